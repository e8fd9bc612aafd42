// Derives the list of mutants from PTX.
#include <algorithm>
#include <map>
#include <tuple>

#include "properties/mutation.h"
#include "properties/mutation/mutations.h"
#include "ptx/edit.h"
#include "ptx/query.h"

namespace foldproof {
namespace {

std::vector<std::string> launched(const Instance& instance) {
  std::vector<std::string> names;
  for (const LaunchContract& launch : instance.launches) names.push_back(launch.lowered);
  return names;
}

class Collector {
 public:
  explicit Collector(const ptx::Source& source) : source_(source) {}

  void add(const ptx::Function& function) {
    const ptx::Definitions definitions(function);
    ptx::for_each_item(function, [&](const ptx::Statement& statement) { add(statement, definitions); });
  }

  /// By source line; the mutations of a line in the order of their table.
  std::vector<Mutant> sorted() {
    std::ranges::stable_sort(mutants_, {}, [](const Mutant& m) { return std::tie(m.at.file, m.at.line); });
    return std::move(mutants_);
  }

 private:
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
  Collector collector(image.ptx);
  for (const ptx::Function* function : ptx::reachable(image.ptx.module(), launched(instance)))
    collector.add(*function);
  return collector.sorted();
}

Image mutated(const Image& image, const Edit& edit) {
  return {image.name(), ptx::replaced(image.ptx, {edit.begin, edit.end}, edit.replacement)};
}

}  // namespace foldproof
