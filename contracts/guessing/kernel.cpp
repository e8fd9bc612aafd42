#include "contracts/guessing/guesses.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "contracts/guessing/structs.h"
#include "ptx/query.h"
#include "ptx/types.h"

namespace foldproof {
namespace {

struct TypeRow {
  std::string_view spelled;
  Element element;
  std::uint32_t lanes = 1;
};
constexpr TypeRow types[] = {
    {"float", Element::f32},
    {"double", Element::f64},
    {"__half", Element::f16},
    {"half", Element::f16},
    {"__nv_bfloat16", Element::bf16},
    {"nv_bfloat16", Element::bf16},
    {"__nv_fp8_e4m3", Element::e4m3},
    {"__nv_fp8_e5m2", Element::e5m2},
    {"__nv_fp4_e2m1", Element::e2m1},
    {"signed char", Element::i8},
    {"char", Element::i8},
    {"int8_t", Element::i8},
    {"unsigned char", Element::u8},
    {"uint8_t", Element::u8},
    {"bool", Element::u8},
    {"short", Element::i16},
    {"int16_t", Element::i16},
    {"unsigned short", Element::u16},
    {"uint16_t", Element::u16},
    {"int", Element::i32},
    {"int32_t", Element::i32},
    {"unsigned int", Element::u32},
    {"unsigned", Element::u32},
    {"uint32_t", Element::u32},
    {"long", Element::i64},
    {"long long", Element::i64},
    {"int64_t", Element::i64},
    {"unsigned long", Element::u64},
    {"unsigned long long", Element::u64},
    {"size_t", Element::u64},
    {"std::size_t", Element::u64},
    {"uint64_t", Element::u64},
    {"float2", Element::f32, 2},
    {"float4", Element::f32, 4},
    {"double2", Element::f64, 2},
    {"__half2", Element::f16, 2},
    {"half2", Element::f16, 2},
    {"__nv_bfloat162", Element::bf16, 2},
    {"nv_bfloat162", Element::bf16, 2},
    {"char4", Element::i8, 4},
    {"uchar4", Element::u8, 4},
    {"short2", Element::i16, 2},
    {"ushort2", Element::u16, 2},
    {"short4", Element::i16, 4},
    {"ushort4", Element::u16, 4},
    {"int2", Element::i32, 2},
    {"int4", Element::i32, 4},
    {"uint2", Element::u32, 2},
    {"uint4", Element::u32, 4},
    {"longlong2", Element::i64, 2},
    {"ulonglong2", Element::u64, 2},
};

bool is_qualifier(std::string_view word) {
  return word == "const" || word == "volatile" || word == "__restrict__" || word == "__restrict" ||
         word == "struct";
}

Parameter parameter_of(const std::string& type, const std::string& name, const Accesses& accesses) {
  Parameter parameter;
  parameter.type = type;
  parameter.name = name;
  parameter.accesses = accesses;
  std::string plain, word;
  const auto finish = [&] {
    if (word == "const") parameter.is_const = true;
    if (!word.empty() && !is_qualifier(word)) plain += (plain.empty() ? "" : " ") + word;
    word.clear();
  };
  int stars = 0;
  for (const char c : type) {
    if (c == '*') ++stars;
    if (c == ' ' || c == '*')
      finish();
    else
      word += c;
  }
  finish();
  parameter.is_pointer = stars == 1;
  const auto* row = std::ranges::find(types, plain, &TypeRow::spelled);
  const bool is_known = row != std::end(types) && stars <= 1 && (row->lanes == 1 || parameter.is_pointer);
  // What is read as bool must be 0 or 1, and no contract can say that of an input.
  const bool is_valid = plain != "bool" || (parameter.is_pointer && parameter.is_only_written());
  if (!is_known || !is_valid) return parameter;
  parameter.element = row->element;
  parameter.lanes = row->lanes;
  return parameter;
}

/// The parameters of the declared kernel of that name; of overloads, of those with as many parameters. None
/// if several have different names for them.
std::vector<std::string> written_parameters(const EntrySignature& signature,
                                            const std::vector<DeclaredKernel>& declared) {
  std::vector<DeclaredKernel> named;
  std::ranges::copy_if(declared, std::back_inserter(named), [&](const DeclaredKernel& kernel) {
    return kernel.name == plain_name(signature.spelled);
  });
  if (named.size() > 1)
    std::erase_if(named, [&](const DeclaredKernel& kernel) {
      return kernel.parameters.size() != signature.parameters.size();
    });
  const auto names_of = [](const DeclaredKernel& kernel) {
    std::vector<std::string> names;
    for (const std::string& parameter : kernel.parameters) names.push_back(declared_name(parameter));
    return names;
  };
  const auto differs = [&](const DeclaredKernel& other) {
    return names_of(other) != names_of(named.front());
  };
  return named.empty() || std::ranges::any_of(named, differs) ? std::vector<std::string>{}
                                                              : named.front().parameters;
}

/// Types come from the demangled name; names, and with C linkage also the types, from the text of the source.
std::vector<Parameter> parameters_of(const EntrySignature& signature,
                                     const std::vector<DeclaredKernel>& declared,
                                     const std::vector<Accesses>& accesses) {
  const std::vector<std::string> written = written_parameters(signature, declared);
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < std::max(signature.parameters.size(), written.size()); ++i) {
    const std::string name = i < written.size() ? declared_name(written[i]) : "";
    const std::string type = i < signature.parameters.size()
                                 ? signature.parameters[i]
                                 : written[i].substr(0, written[i].size() - name.size());
    parameters.push_back(parameter_of(type, name, i < accesses.size() ? accesses[i] : Accesses{}));
    parameters.back().argument = i;
  }
  return parameters;
}

bool may_be_struct(const Parameter& parameter) {
  return !parameter.element && parameter.type.find_first_of("*&") == std::string::npos;
}

/// The bytes of a struct with such members, as C++ lays them out.
std::uint64_t bytes_of_struct(const std::vector<Parameter>& members) {
  std::uint64_t bytes = 0, alignment = 1;
  const auto round_up_to = [&](std::uint64_t unit) { bytes = (bytes + unit - 1) / unit * unit; };
  for (const Parameter& member : members) {
    const std::uint64_t size = size_of(*member.element);
    round_up_to(size);
    bytes += size;
    alignment = std::max(alignment, size);
  }
  round_up_to(alignment);
  return bytes;
}

/// The members of the parameter, if it is a struct of that many bytes; otherwise the parameter itself.
std::vector<Parameter> members_of(const Parameter& parameter, std::uint64_t bytes, const SourceText& source) {
  const auto found = may_be_struct(parameter) ? members_of_struct(source, parameter.type) : std::nullopt;
  std::vector<Parameter> members;
  if (found)
    for (const StructMember& member : *found)
      members.push_back(parameter_of(member.type, member.name, Accesses{}));
  const bool is_empty = may_be_struct(parameter) && members.empty() && bytes == 1;
  if (is_empty) members.push_back(parameter_of("unsigned char", "", Accesses{}));
  const auto is_unknown = [](const Parameter& member) { return !member.element; };
  if (members.empty() || std::ranges::any_of(members, is_unknown) || bytes_of_struct(members) != bytes)
    return {parameter};
  for (Parameter& member : members) {
    member.argument = parameter.argument;
    member.whole = parameter.type + (parameter.name.empty() ? "" : " " + parameter.name);
    member.is_placeholder = is_empty;
  }
  return members;
}

/// The values, one for each argument, repeated for the members that replace it; `unknown` for those.
template <typename Value>
std::vector<Value> expanded(const std::vector<Value>& values, const std::vector<Parameter>& parameters,
                            const Value& unknown) {
  std::vector<Value> all;
  for (const Parameter& parameter : parameters)
    all.push_back(parameter.whole.empty() && parameter.argument < values.size() ? values[parameter.argument]
                                                                                : unknown);
  return all;
}

}  // namespace

bool Parameter::is_only_read() const {
  return is_const || (accesses.is_read && !accesses.is_output() && !accesses.is_unknown);
}

bool Parameter::is_only_written() const {
  return accesses.is_output() && !accesses.is_read && !accesses.is_unknown;
}

std::uint64_t bytes_of_type(std::string_view spelled) {
  const auto* row = std::ranges::find(types, spelled, &TypeRow::spelled);
  return row == std::end(types) ? 0 : std::uint64_t{row->lanes} * size_of(row->element);
}

std::vector<std::uint32_t> Kernel::launched_blocks() const {
  std::set<std::uint32_t> blocks;
  for (const SourceLaunch& launch : launches) {
    const SourceExtents& block = launch.block;
    if (!block[0] || block[1] != 1 || block[2] != 1) return {};
    blocks.insert(*block[0]);
  }
  return {blocks.begin(), blocks.end()};
}

std::optional<std::array<std::uint32_t, 3>> Kernel::launched_shape() const {
  const auto differs = [&](const SourceLaunch& launch) { return launch.block != launches.front().block; };
  if (launches.empty() || std::ranges::any_of(launches, differs)) return std::nullopt;
  const auto [x, y, z] = launches.front().block;
  const bool needs_shape = facts.has_two_dimensions;
  if (!x || !y || !z || (*y * *z == 1 && !needs_shape)) return std::nullopt;
  return std::array{*x, *y, *z};
}

std::optional<std::uint32_t> Kernel::launched_threads() const {
  if (const auto shape = launched_shape()) return (*shape)[0] * (*shape)[1] * (*shape)[2];
  const std::vector<std::uint32_t> blocks = launched_blocks();
  return blocks.size() == 1 ? std::optional(blocks.front()) : std::nullopt;
}

std::optional<std::uint32_t> Kernel::launched_grid(std::size_t axis) const {
  std::optional<std::uint32_t> most;
  for (const SourceLaunch& launch : launches) {
    const auto blocks = launch.grid.at(axis);
    if (!blocks) return std::nullopt;
    most = std::max(most.value_or(0), *blocks);
  }
  return most;
}

std::size_t Kernel::grid_axis() const {
  const auto first = std::ranges::find(facts.block_axes, true);
  return first == facts.block_axes.end() ? 0 : static_cast<std::size_t>(first - facts.block_axes.begin());
}

bool Kernel::has_open_grid() const {
  return std::ranges::any_of(launches,
                             [&](const SourceLaunch& launch) { return !launch.grid.at(grid_axis()); });
}

bool may_take_structs(const Kernel& kernel) { return std::ranges::any_of(kernel.parameters, may_be_struct); }

void expand_structs(Kernel& kernel, const ptx::Module& module, const SourceText& source) {
  const ptx::Function* entry = ptx::find(module, kernel.signature.lowered);
  if (entry == nullptr || entry->parameters.size() != kernel.parameters.size()) return;
  std::vector<Parameter> all;
  for (const Parameter& parameter : kernel.parameters)
    std::ranges::copy(members_of(parameter, ptx::bytes_of(entry->parameters[parameter.argument]), source),
                      std::back_inserter(all));
  if (all.size() == kernel.parameters.size() &&
      std::ranges::all_of(all, [](const Parameter& one) { return one.whole.empty(); }))
    return;
  kernel.parameters = std::move(all);
  for (SourceLaunch& launch : kernel.launches) {
    if (launch.arguments.size() == kernel.parameters.size()) continue;  // it initializes each member
    launch.passes_struct = true;
    if (launch.not_understood.empty()) launch.not_understood = "that passes a struct";
    if (!launch.arguments.empty()) launch.arguments = expanded(launch.arguments, kernel.parameters, {});
    for (HostCall& call : launch.calls)
      if (!call.arguments.empty()) call.arguments = expanded(call.arguments, kernel.parameters, {});
  }
  std::set<std::size_t> unused;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
    if (kernel.facts.unused_parameters.contains(kernel.parameters[i].argument)) unused.insert(i);
  kernel.facts.unused_parameters = std::move(unused);
}

Kernel kernel_of(const Image& image, const std::string& lowered,
                 const std::vector<DeclaredKernel>& declared) {
  Kernel kernel;
  kernel.signature = signature_of(lowered);
  kernel.entry = identifying_name(entries_of(image.ptx.module()), kernel.signature);
  kernel.parameters = parameters_of(kernel.signature, declared, accesses_of(image.ptx.module(), lowered));
  kernel.facts = facts_of(image.ptx, lowered);
  return kernel;
}

}  // namespace foldproof
