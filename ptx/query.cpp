#include "ptx/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <unordered_map>

#include "base/files.h"
#include "ptx/parser/lexer.h"
#include "ptx/types.h"

namespace foldproof::ptx {
namespace {

template <class Visit>
void for_each_name(const std::vector<Operand>& operands, const Visit& visit);

template <class Visit>
void for_each_name(const Operand& operand, const Visit& visit) {
  if (const auto* name = std::get_if<Name>(&operand.value)) visit(*name);
  if (const auto* elements = std::get_if<std::vector<Operand>>(&operand.value))
    for_each_name(*elements, visit);
  if (const auto* address = std::get_if<AddressOf>(&operand.value)) {
    if (address->base) visit(*address->base);
    for_each_name(address->coordinates, visit);
  }
}

template <class Visit>
void for_each_name(const std::vector<Operand>& operands, const Visit& visit) {
  for (const Operand& operand : operands) for_each_name(operand, visit);
}

/// Visits every name used as an operand of a statement or call.
template <class Visit>
void for_each_name(const Function& function, const Visit& visit) {
  struct Items {
    const Visit& visit;
    void operator()(const Statement& statement) const { for_each_name(statement.operands, visit); }
    void operator()(const CallStatement& call) const {
      visit(call.target);
      for_each_name(call.returns, visit);
      for_each_name(call.arguments, visit);
    }
  };
  for_each_item(function, Items{visit});
}

SharedVariable shared_variable(const Variable& variable, bool is_common) {
  const bool may_be_open = variable.is_extern || !variable.extents.empty();
  return {&variable, is_common, may_be_open && bytes_of(variable) == 0};
}

/// "shared" of "shared::cta".
std::string_view main_word(std::string_view suffix) { return suffix.substr(0, suffix.find("::")); }

LaunchBounds::Extents extents_of(const Function& entry, const char* directive) {
  const auto found = entry.directives.find(directive);
  if (found == entry.directives.end()) return {};
  LaunchBounds::Extents extents{1, 1, 1};
  std::ranges::copy_n(found->second.begin(), std::min<std::ptrdiff_t>(3, std::ssize(found->second)),
                      extents.begin());
  return extents;
}

bool names_register(const Name& name, std::string_view special) {
  const std::string_view text = name.text;
  if (const std::size_t dot = special.find('.'); dot != std::string_view::npos)
    return text == special.substr(0, dot) && name.component == special.substr(dot + 1);
  return text.starts_with(special) &&
         text.substr(special.size()).find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_toolkit_file(std::string_view path) {
  constexpr std::string_view roots[] = {"/usr/include/", "/usr/lib/gcc/", "/usr/local/cuda", "/opt/cuda"};
  constexpr std::string_view parts[] = {"/targets/x86_64-linux/include/", "/cuda/include/", "/include/cccl/",
                                        "/include/cooperative_groups/"};
  return std::ranges::any_of(roots, [&](std::string_view root) { return path.starts_with(root); }) ||
         std::ranges::any_of(parts, [&](std::string_view part) { return path.find(part) != path.npos; });
}

}  // namespace

bool is_empty(const Function& function) {
  bool is_empty = true;
  for_each_item(function, [&](const Statement& i) { is_empty = is_empty && i.opcode == "ret"; });
  for_each_item(function, [&](const CallStatement&) { is_empty = false; });
  return is_empty;
}

const Function* find(const Module& module, std::string_view name) {
  const auto found = std::ranges::find(module.functions, name, &Function::name);
  return found == module.functions.end() ? nullptr : &*found;
}

Functions entries(const Module& module) {
  Functions found;
  for (const Function& function : module.functions)
    if (function.is_entry) found.push_back(&function);
  return found;
}

Functions reachable(const Module& module, std::span<const std::string> roots) {
  std::unordered_map<std::string_view, const Function*> defined;
  for (const Function& function : module.functions)
    if (function.body) defined[function.name] = &function;
  std::set<const Function*> reached;
  std::vector<std::string_view> open(roots.begin(), roots.end());
  while (!open.empty()) {
    const auto found = defined.find(open.back());
    open.pop_back();
    if (found == defined.end() || !reached.insert(found->second).second) continue;
    for_each_item(*found->second, [&](const CallStatement& call) { open.push_back(call.target.text); });
  }
  Functions functions;
  for (const Function& function : module.functions)
    if (reached.contains(&function)) functions.push_back(&function);
  return functions;
}

bool Opcode::has(std::string_view suffix) const {
  return std::ranges::find(suffixes_, suffix) != suffixes_.end();
}

std::string_view Opcode::operation() const {
  if (name_ != "atom" && name_ != "red") return name_;
  constexpr std::string_view operations[] = {"add",  "max", "min", "inc", "dec",
                                             "exch", "cas", "and", "or",  "xor"};
  const auto said = std::ranges::find_if(suffixes_, [&](std::string_view suffix) {
    return std::ranges::find(operations, suffix) != std::end(operations);
  });
  return said == suffixes_.end() ? name_ : std::string_view(*said);
}

Space Opcode::space() const {
  for (const std::string_view suffix : suffixes_)
    if (const auto space = space_of(main_word(suffix))) return *space;
  return Space::none;
}

bool Opcode::names(Space space) const {
  return std::ranges::any_of(suffixes_,
                             [&](std::string_view suffix) { return space_of(main_word(suffix)) == space; });
}

std::uint32_t Opcode::vector() const { return has("v2") ? 2 : has("v4") ? 4 : has("v8") ? 8 : 1; }

ParameterLayout parameters(const Function& entry) {
  ParameterLayout layout;
  std::uint32_t offset = 0;
  for (const Variable& parameter : entry.parameters) {
    const auto bytes = static_cast<std::uint32_t>(bytes_of(parameter));
    const std::uint32_t scalar = bytes_of_type(parameter.type).value_or(0) * parameter.vector;
    const std::uint32_t alignment = std::max({1u, parameter.alignment, scalar});
    offset = (offset + alignment - 1) / alignment * alignment;
    layout.push_back({offset, bytes});
    offset += bytes;
  }
  return layout;
}

LaunchBounds bounds(const Function& entry) {
  return {extents_of(entry, "maxntid"), extents_of(entry, "reqntid"), extents_of(entry, "reqnctapercluster")};
}

std::vector<SharedVariable> shared(const Module& module, const Function& function) {
  std::vector<SharedVariable> found;
  for_each_item(function, [&](const Variable& variable) {
    if (variable.space == Space::shared) found.push_back(shared_variable(variable, false));
  });
  std::set<std::string_view> named;
  for_each_name(function, [&](const Name& name) { named.insert(name.text); });
  for (const Variable& variable : module.variables)
    if (variable.space == Space::shared && named.contains(variable.name))
      found.push_back(shared_variable(variable, true));
  return found;
}

bool reads_special(const Function& function, std::string_view name) {
  bool reads = false;
  for_each_name(function, [&](const Name& read) { reads |= names_register(read, name); });
  return reads;
}

bool uses(const Function& function, std::string_view name) {
  bool found = false;
  for_each_name(function, [&](const Name& used) { found |= used.text == name; });
  return found;
}

bool loads_global(const Statement& statement) {
  const Opcode code(statement);
  const Space space = code.space();
  if (code.is("ld")) return space != Space::shared && space != Space::param && space != Space::local;
  // The destination of a copy precedes its source.
  return code.is("cp") && code.has("async") && code.has("global") && space == Space::shared;
}

Loops loops_of(const Function& function) {
  struct Items {
    std::map<std::string_view, std::size_t> labels{};
    Loops found{};

    void operator()(const Label& label) { labels[label.name] = found.statements.size(); }
    void operator()(const Statement& statement) {
      const std::size_t at = found.statements.size();
      found.statements.push_back(&statement);
      if (statement.opcode != "bra" || statement.operands.empty()) return;
      const auto* target = std::get_if<Name>(&statement.operands.front().value);
      const auto label = target == nullptr ? labels.end() : labels.find(target->text);
      if (label != labels.end()) found.loops.emplace_back(label->second, at);
    }
  };
  Items items;
  for_each_item(function, items);
  return std::move(items.found);
}

std::set<const Statement*> statements_in_loops(const Function& function) {
  const auto [statements, loops] = loops_of(function);
  std::set<const Statement*> in_loops;
  std::size_t begin = statements.size();  // of the loops that go beyond the statement
  auto loop = loops.rbegin();             // by their last statements
  for (std::size_t i = statements.size(); i-- > 0;) {
    for (; loop != loops.rend() && loop->second == i; ++loop) begin = std::min(begin, loop->first);
    if (begin <= i) in_loops.insert(statements[i]);
  }
  return in_loops;
}

Definitions::Definitions(const Function& function) {
  struct Items {
    Definitions& definitions;
    void operator()(const Statement& statement) const {
      if (!statement.operands.empty()) definitions.add(statement.operands.front(), &statement);
    }
    void operator()(const CallStatement& call) const {
      for (const Operand& result : call.returns) definitions.add(result, nullptr);
    }
  };
  for_each_item(function, Items{*this});
}

void Definitions::add(const Operand& written, const Statement* by) {
  if (const auto* name = std::get_if<Name>(&written.value)) writers_[name->text].push_back(by);
  if (const auto* elements = std::get_if<std::vector<Operand>>(&written.value))
    for (const Operand& element : *elements) add(element, by);
  if (written.paired_predicate) writers_[written.paired_predicate->text].push_back(by);
}

std::span<const Statement* const> Definitions::of(std::string_view name) const {
  const auto found = writers_.find(name);
  if (found == writers_.end()) return {};
  return found->second;
}

std::optional<std::uint64_t> Definitions::constant(std::string_view name) const {
  const auto writers = of(name);
  if (writers.size() != 1 || writers.front() == nullptr) return std::nullopt;
  const Statement& statement = *writers.front();
  if (statement.opcode != "mov" || statement.guard || statement.operands.size() != 2) return std::nullopt;
  const auto* literal = std::get_if<Literal>(&statement.operands[1].value);
  const bool is_scalar = std::holds_alternative<Name>(statement.operands[0].value);
  const bool is_integer = literal != nullptr && literal->form == Literal::Form::integer;
  return is_scalar && is_integer ? std::optional(literal->bits) : std::nullopt;
}

std::optional<Position> position(const std::vector<Loc>& locs,
                                 const std::map<std::uint32_t, std::string>& files, std::uint32_t loc) {
  std::optional<Position> innermost;
  for (; loc != 0 && loc < locs.size(); loc = locs[loc].inlined_at) {
    const auto file = files.find(locs[loc].file);
    if (file == files.end() || locs[loc].line == 0) continue;
    const Position here{file->second, locs[loc].line, locs[loc].column};
    if (!is_toolkit_file(file->second)) return here;
    if (!innermost) innermost = here;
  }
  return innermost;
}

Position position(const Source& source, Location at) {
  const Module& module = source.module();
  return position(module.locs, module.files, at.loc).value_or(Position{source.name(), at.ptx_line, 0});
}

void refuse_unknown(const Module& module, const std::string& name) {
  if (module.unknown.empty()) return;
  const UnknownDirective& first = module.unknown.front();
  const std::string word = quoted(Token{Token::Kind::dotted, first.name});
  const auto sentence = [&] {
    switch (first.where) {
      case UnknownDirective::Where::module:
        return fmt::format("unknown directive {} at module scope; remove it", word);
      case UnknownDirective::Where::function_head:
        return fmt::format("unknown directive {} of the function {}; remove it", word,
                           quoted(std::string_view(first.function)));
      case UnknownDirective::Where::function_body: break;
    }
    return fmt::format("unknown directive {} inside a function; remove it", word);
  };
  throw InputError(sentence(), {name, first.line, first.column});
}

}  // namespace foldproof::ptx
