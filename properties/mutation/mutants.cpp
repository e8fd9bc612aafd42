// From PTX to the list of its mutants.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "properties/mutation.h"
#include "properties/mutation/operators.h"
#include "ptx/ast.h"
#include "ptx/source_place.h"

namespace foldproof {
namespace {

/// Calls `visit` with every statement and every call of the scope, in the order of the text.
template <typename Visit>
void each_item(const ptx::Scope& scope, const Visit& visit) {
  for (const ptx::Item& item : scope.items) {
    if (const auto* inner = std::get_if<std::unique_ptr<ptx::Scope>>(&item))
      each_item(**inner, visit);
    else
      visit(item);
  }
}

/// The entries that the instance launches and the functions that these call, in the order of the text.
std::vector<const ptx::Function*> reached_functions(const ptx::Module& module, const Instance& instance) {
  std::map<std::string, const ptx::Function*> by_name;
  for (const ptx::Function& function : module.functions) by_name[function.name] = &function;
  std::set<const ptx::Function*> reached;
  std::vector<std::string> open;
  for (const LaunchContract& launch : instance.launches) open.push_back(launch.lowered);
  while (!open.empty()) {
    const auto found = by_name.find(open.back());
    open.pop_back();
    if (found == by_name.end() || !found->second->body || !reached.insert(found->second).second) continue;
    each_item(*found->second->body, [&](const ptx::Item& item) {
      if (const auto* call = std::get_if<ptx::CallStatement>(&item)) open.push_back(call->target.text);
    });
  }
  std::vector<const ptx::Function*> functions;
  for (const ptx::Function& function : module.functions)
    if (reached.contains(&function)) functions.push_back(&function);
  return functions;
}

/// Registers that one unguarded `mov` of an integer is all that writes.
class Constants {
 public:
  explicit Constants(const ptx::Scope& body) {
    each_item(body, [this](const ptx::Item& item) {
      if (const auto* statement = std::get_if<ptx::Statement>(&item)) take(*statement);
      if (const auto* call = std::get_if<ptx::CallStatement>(&item))
        for (const ptx::Operand& result : call->returns) write(result);
    });
  }

  std::optional<std::uint64_t> operator()(const std::string& name) const {
    const auto found = values_.find(name);
    return found != values_.end() && writes_.at(name) == 1 ? std::optional(found->second) : std::nullopt;
  }

 private:
  void take(const ptx::Statement& statement) {
    if (statement.operands.empty()) return;
    write(statement.operands.front());
    const auto* name = std::get_if<ptx::Name>(&statement.operands.front().value);
    if (statement.opcode != "mov" || statement.guard || name == nullptr || statement.operands.size() != 2)
      return;
    const auto* literal = std::get_if<ptx::Literal>(&statement.operands[1].value);
    if (literal != nullptr && literal->form == ptx::Literal::Form::integer)
      values_[name->text] = literal->bits;
  }

  void write(const ptx::Operand& operand) {
    if (const auto* name = std::get_if<ptx::Name>(&operand.value)) ++writes_[name->text];
    if (const auto* elements = std::get_if<std::vector<ptx::Operand>>(&operand.value))
      for (const ptx::Operand& element : *elements) write(element);
  }

  std::map<std::string, std::uint64_t> values_;
  std::map<std::string, int> writes_;
};

class Collector {
 public:
  Collector(const Image& image, const ptx::Module& module) : image_(image), module_(module) {}

  void add(const ptx::Function& function) {
    const Constants constants(*function.body);
    each_item(*function.body, [&](const ptx::Item& item) {
      if (const auto* statement = std::get_if<ptx::Statement>(&item)) add(*statement, constants);
    });
  }

  /// By source line; the mutations of a line in the order of their table.
  std::vector<Mutant> sorted() {
    std::ranges::stable_sort(mutants_, {}, [](const Mutant& m) { return std::tie(m.at.file, m.at.line); });
    return std::move(mutants_);
  }

 private:
  void add(const ptx::Statement& statement, const Constants& constants) {
    const mutation::Candidate candidate{statement, mutation::spell(statement, image_.ptx), constants};
    for (const mutation::Row& row : mutation::rows())
      for (mutation::Change& change : row.find(candidate)) add(statement, row, std::move(change));
  }

  void add(const ptx::Statement& statement, const mutation::Row& row, mutation::Change change) {
    const Position at = ptx::source_place(module_.locs, module_.files, statement.at.loc)
                            .value_or(Position{image_.name, statement.at.ptx_line, 0});
    const auto [place, is_new] = places_.try_emplace({at.file, at.line, change.deed}, mutants_.size());
    if (is_new) mutants_.push_back({std::string(row.name), std::move(change.deed), at, {}});
    mutants_[place->second].edits.push_back({statement.extent.begin, statement.extent.end,
                                             std::move(change.replacement), statement.at.ptx_line,
                                             at.column});
  }

  const Image& image_;
  const ptx::Module& module_;
  std::vector<Mutant> mutants_;
  std::map<std::tuple<std::string, unsigned, std::string>, std::size_t> places_;
};

}  // namespace

std::vector<MutationInfo> mutations() {
  std::vector<MutationInfo> infos;
  for (const mutation::Row& row : mutation::rows()) infos.push_back({row.name, row.does});
  return infos;
}

std::vector<Mutant> mutants_of(const Instance& instance, const Image& image) {
  const ptx::Module module = ptx::parse(image.ptx, image.name);
  Collector collector(image, module);
  for (const ptx::Function* function : reached_functions(module, instance)) collector.add(*function);
  return collector.sorted();
}

Image mutated(const Image& image, const Edit& edit) {
  std::string text = image.ptx.substr(0, edit.begin);
  text += edit.replacement;
  return {image.name, text + image.ptx.substr(edit.end)};
}

}  // namespace foldproof
