// Derives the list of mutants from PTX.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "properties/mutation.h"
#include "properties/mutation/mutations.h"
#include "ptx/edit.h"
#include "ptx/query.h"

namespace foldproof::mutation {

std::optional<std::uint64_t> Candidate::integer(std::size_t operand) const {
  if (operand >= statement.operands.size()) return std::nullopt;
  const auto& value = statement.operands[operand].value;
  if (const auto* literal = std::get_if<ptx::Literal>(&value))
    return literal->form == ptx::Literal::Form::integer ? std::optional(literal->bits) : std::nullopt;
  const auto* name = std::get_if<ptx::Name>(&value);
  if (name == nullptr || !name->component.empty() || statement.operands[operand].offset != 0)
    return std::nullopt;
  return definitions.constant(name->text);
}

std::span<const Row> rows() {
  static constexpr Row table[] = {
#define FOLDPROOF_MUTATION(id, name, does) {name, does, id},
#include "properties/mutation/mutations.def"
#undef FOLDPROOF_MUTATION
  };
  return table;
}

std::string Spelled::text() const {
  std::string spelled = guard + opcode;
  for (const std::string& suffix : suffixes) spelled += "." + suffix;
  if (!operands.empty()) spelled += fmt::format(" {}", fmt::join(operands, ", "));
  return spelled + ";";
}

bool Spelled::has(std::string_view suffix) const {
  return std::ranges::find(suffixes, suffix) != suffixes.end();
}

Spelled Spelled::with(std::string_view suffix, std::string_view by) const {
  Spelled changed = *this;
  const auto at = std::ranges::find(changed.suffixes, suffix);
  if (at == changed.suffixes.end()) return changed;
  if (by.empty())
    changed.suffixes.erase(at);
  else
    *at = by;
  return changed;
}

Spelled Spelled::with_operand(std::size_t index, std::string by) const {
  Spelled changed = *this;
  changed.operands.at(index) = std::move(by);
  return changed;
}

Spelled spell(const ptx::Statement& statement, const ptx::Source& source) {
  Spelled spelled;
  if (statement.guard)
    spelled.guard = fmt::format("@{}{} ", statement.guard_negated ? "!" : "", statement.guard->text);
  spelled.opcode = statement.opcode;
  spelled.suffixes = statement.suffixes;
  for (const ptx::Operand& operand : statement.operands)
    spelled.operands.emplace_back(ptx::text_of(source, operand.extent));
  return spelled;
}

}  // namespace foldproof::mutation

namespace foldproof {
namespace {

std::vector<std::string> launched(const Instance& instance) {
  std::vector<std::string> names;
  for (const LaunchContract& launch : instance.launches) names.push_back(launch.lowered);
  return names;
}

class Collector {
 public:
  Collector(const ptx::Source& source, const Continue& goes_on) : source_(source), goes_on_(goes_on) {}

  void add(const ptx::Function& function) {
    if (!continues()) return;
    const ptx::Definitions definitions(function);
    ptx::for_each_item(function, [&](const ptx::Statement& statement) {
      if (continues()) add(statement, definitions);
    });
  }

  /// By source line; the mutations of a line in the order of their table.
  std::vector<Mutant> sorted() {
    std::ranges::stable_sort(mutants_, {}, [](const Mutant& m) { return std::tie(m.at.file, m.at.line); });
    return std::move(mutants_);
  }

 private:
  bool continues() {
    is_stopped_ = is_stopped_ || (goes_on_ && !goes_on_(mutants_.size()));
    return !is_stopped_;
  }

  void add(const ptx::Statement& statement, const ptx::Definitions& definitions) {
    const mutation::Candidate candidate{statement, mutation::spell(statement, source_), definitions};
    for (const mutation::Row& row : mutation::rows())
      for (mutation::Change& change : row.find(candidate)) add(statement, row, std::move(change));
  }

  void add(const ptx::Statement& statement, const mutation::Row& row, mutation::Change change) {
    const Position at = ptx::position(source_, statement.at);
    const auto [place, is_new] = places_.try_emplace({at.file, at.line, change.change}, mutants_.size());
    if (is_new) mutants_.push_back({std::string(row.name), std::move(change.change), at, {}});
    mutants_[place->second].edits.push_back({statement.extent.begin, statement.extent.end,
                                             std::move(change.replacement), statement.at.ptx_line,
                                             at.column});
  }

  const ptx::Source& source_;
  const Continue& goes_on_;
  bool is_stopped_ = false;
  std::vector<Mutant> mutants_;
  std::map<std::tuple<std::string, unsigned, std::string>, std::size_t> places_;
};

}  // namespace

std::vector<MutationInfo> mutations() {
  std::vector<MutationInfo> infos;
  for (const mutation::Row& row : mutation::rows()) infos.push_back({row.name, row.does});
  return infos;
}

std::vector<Mutant> mutants_of(const Instance& instance, const Image& image, const Continue& goes_on) {
  Collector collector(image.ptx, goes_on);
  for (const ptx::Function* function : ptx::reachable(image.ptx.module(), launched(instance)))
    collector.add(*function);
  return collector.sorted();
}

Image mutated(const Image& image, const Edit& edit) {
  return {image.name(), ptx::replaced(image.ptx, {edit.begin, edit.end}, edit.replacement)};
}

}  // namespace foldproof
