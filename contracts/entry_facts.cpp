#include "contracts/entry_facts.h"

#include <algorithm>

#include "base/error.h"
#include "ptx/query.h"
#include "ptx/types.h"

namespace foldproof {
namespace {

using ptx::Opcode;
using ptx::Operand;

/// Registers, functions and parameters named in calls.
std::set<std::string_view> names_in_calls(const ptx::Function& function) {
  std::set<std::string_view> names;
  const auto add = [&](const Operand& operand) {
    if (const auto* name = std::get_if<ptx::Name>(&operand.value)) names.insert(name->text);
  };
  ptx::for_each_item(function, [&](const ptx::CallStatement& call) {
    names.insert(call.target.text);
    std::ranges::for_each(call.returns, add);
    std::ranges::for_each(call.arguments, add);
  });
  return names;
}

std::optional<std::uint32_t> threads_in(const ptx::LaunchBounds::Extents& extents) {
  std::uint64_t product = 1;
  for (const std::uint32_t extent : extents) product = std::min<std::uint64_t>(product * extent, 1 << 20);
  return product == 0 || product > 1024 ? std::nullopt : std::optional(static_cast<std::uint32_t>(product));
}

/// The number of bytes that one thread reads: 16 for ld.global.v4.f32; 0 if the instruction does not specify
/// it.
std::uint64_t bytes_read(const ptx::Statement& statement) {
  const Opcode code(statement);
  if (code.is("ld")) return std::uint64_t{code.vector()} * ptx::bytes_of_type(code.type()).value_or(0);
  if (code.has("bulk") || statement.operands.size() < 3) return 0;
  const auto* bytes = std::get_if<ptx::Literal>(&statement.operands[2].value);
  return bytes == nullptr ? 0 : bytes->bits;
}

bool writes_one_of(const std::set<std::string_view>& names, const ptx::Statement& statement) {
  if (statement.operands.empty()) return false;
  const auto* name = std::get_if<ptx::Name>(&statement.operands.front().value);
  return name != nullptr && names.contains(name->text);
}

/// Records constants that may be the end of a loop.
void read_comparison(const ptx::Statement& statement, EntryFacts& facts) {
  const std::string_view type = Opcode(statement).type();
  if (!Opcode(statement).is("setp") || !(type.starts_with('s') || type.starts_with('u'))) return;
  for (const Operand& operand : statement.operands)
    if (const auto* literal = std::get_if<ptx::Literal>(&operand.value);
        literal != nullptr && static_cast<std::int64_t>(literal->bits) > 0)
      facts.compared_integers.insert(literal->bits);
}

void read_instruction(const ptx::Statement& statement, EntryFacts& facts) {
  const Opcode code(statement);
  const bool is_shared = code.names(ptx::Space::shared);
  const TypedOperation operation{std::string(code.operation()), std::string(code.type())};
  read_comparison(statement, facts);
  if (code.is("shfl") || code.is("redux") || code.is("vote")) facts.uses_shuffle = true;
  if (is_shared) facts.uses_shared = true;
  if (is_shared && code.is("st"))
    facts.widest_shared_store =
        std::max<std::uint64_t>(facts.widest_shared_store, ptx::bytes_of_type(code.type()).value_or(0));
  if ((code.is("atom") || code.is("red")) && !is_shared) facts.atomics.insert(operation);
  const bool is_fast_exponential = code.is("ex2") && code.has("approx");
  // Approximations of f64, such as rcp.approx.ftz.f64, flush f64 alone; cvt.ftz.f32.f64 flushes its f32
  // result.
  const bool is_of_f64 = code.type() == "f64" && !code.is("cvt");
  if (code.has("ftz") && !is_fast_exponential && !is_of_f64) facts.flushes_subnormals = true;
  if (code.has("approx") || code.has("full")) facts.approximates = true;
  const bool is_quotient = code.is("div") || code.is("rcp") || code.is("sqrt");
  if (is_quotient && (code.has("approx") || code.has("full")) && code.type() == "f32")
    facts.divides_approximately = true;
  constexpr std::string_view computing[] = {"add", "sub", "mul",  "fma",   "min", "max",
                                            "div", "rcp", "sqrt", "rsqrt", "ex2", "lg2"};
  if (std::ranges::find(computing, code.name()) != std::end(computing)) facts.arithmetic.insert(operation);
}

bool is_exponential(const ptx::Statement* statement) { return Opcode(*statement).is("ex2"); }

/// Whether it compares two floats in registers. A logarithm compares its argument with constants.
bool compares_floats(const ptx::Statement* statement) {
  const Opcode code(*statement);
  const bool is_float = code.type().starts_with("f") || code.type().starts_with("bf");
  if (!is_float || !(code.is("max") || code.is("min") || code.is("setp") || code.is("set"))) return false;
  const auto is_name = [](const Operand& operand) {
    return std::holds_alternative<ptx::Name>(operand.value);
  };
  const auto& operands = statement->operands;
  return operands.size() >= 3 && std::all_of(operands.end() - 2, operands.end(), is_name);
}

bool compares_after_exponential(const ptx::Function& function) {
  const auto [statements, loops] = ptx::loops_of(function);
  const auto first = std::ranges::find_if(statements, is_exponential);
  if (first == statements.end()) return false;
  // A function that computes exponentials is called at unknown places.
  if (!function.is_entry || std::any_of(first, statements.end(), compares_floats)) return true;
  return std::ranges::any_of(loops, [&](const auto& loop) {
    const auto begin = statements.begin() + static_cast<std::ptrdiff_t>(loop.first),
               end = statements.begin() + static_cast<std::ptrdiff_t>(loop.second);
    return begin <= first && first < end && std::any_of(begin, end, compares_floats);
  });
}

void read_shared(const ptx::Module& module, const ptx::Function& function, EntryFacts& facts) {
  for (const ptx::SharedVariable& shared : ptx::shared(module, function)) {
    facts.uses_shared = true;
    facts.uses_dynamic_shared |= shared.is_dynamic;
    // Arrays of helper functions that several entries share do not reveal one entry's block size.
    const bool is_own_array = !shared.is_common && !shared.variable->extents.empty();
    if (is_own_array) facts.shared_arrays.push_back(ptx::bytes_of(*shared.variable));
  }
}

void read_function(const ptx::Module& module, const ptx::Function& function, EntryFacts& facts) {
  const std::set<std::string_view> in_calls = names_in_calls(function);
  ptx::for_each_item(function, [&](const ptx::Statement& statement) {
    read_instruction(statement, facts);
    // A value that is loaded for a call is not an element.
    if (ptx::loads_global(statement) && !writes_one_of(in_calls, statement))
      facts.widest_read = std::max(facts.widest_read, bytes_read(statement));
  });
  const auto reads = [&](std::string_view special) { return ptx::reads_special(function, special); };
  facts.uses_block_index |= reads("%ctaid") || reads("%clusterid");
  // As cooperative groups do, which number all blocks of a grid and synchronize them.
  const bool numbers_all = reads("%ctaid.z") && reads("%nctaid.x") && reads("%nctaid.y");
  facts.block_axes[0] |= numbers_all || reads("%ctaid.x") || reads("%clusterid");
  facts.block_axes[1] |= !numbers_all && reads("%ctaid.y");
  facts.block_axes[2] |= !numbers_all && reads("%ctaid.z");
  facts.stride_axes[0] |= reads("%nctaid.x") || reads("%nclusterid");
  facts.stride_axes[1] |= !numbers_all && reads("%nctaid.y");
  facts.stride_axes[2] |= !numbers_all && reads("%nctaid.z");
  facts.uses_grid_sync |= reads("%envreg");
  facts.asserts |= ptx::uses(function, "__assertfail");
  for (const ptx::Variable& variable : module.variables)
    if (variable.space == ptx::Space::constant && variable.initial.empty() &&
        ptx::uses(function, variable.name))
      facts.host_constants.insert(variable.name);
  facts.has_two_dimensions |= reads("%tid.y") && !reads("%ntid.y");
  facts.reads_in_loop |= std::ranges::any_of(ptx::statements_in_loops(function),
                                             [](const auto* inside) { return ptx::loads_global(*inside); });
  facts.compares_after_exponential |= compares_after_exponential(function);
  read_shared(module, function, facts);
}

}  // namespace

EntryFacts facts_of(const ptx::Module& module, const std::string& lowered) {
  EntryFacts facts;
  for (const ptx::Function* function : ptx::reachable(module, {&lowered, 1}))
    read_function(module, *function, facts);
  if (const ptx::Function* entry = ptx::find(module, lowered)) {
    const ptx::LaunchBounds bounds = ptx::bounds(*entry);
    facts.required_threads = threads_in(bounds.required_threads);
    facts.most_threads = threads_in(bounds.most_threads);
    facts.cluster = bounds.required_cluster;
    for (std::size_t i = 0; i < entry->parameters.size(); ++i)
      if (!ptx::uses(*entry, entry->parameters[i].name)) facts.unused_parameters.insert(i);
  }
  return facts;
}

EntryFacts facts_of(const ptx::Source& source, const std::string& lowered) {
  try {
    return facts_of(source.module(), lowered);
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace foldproof
