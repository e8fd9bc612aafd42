#include "command/guessing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/task_pool.h"
#include "command/emulated.h"
#include "contracts/guess.h"
#include "properties/fitting_block.h"

namespace foldproof {

namespace {

Range& block_of(Contract& contract) {
  auto& domain = contract.instances.at(0).domain;
  return std::ranges::find(domain, "block", &std::pair<std::string, Range>::first)->second;
}

}  // namespace

std::vector<Contract> guessed_contracts(const std::filesystem::path& source, const std::string& entry,
                                        const CompileOptions& options, std::vector<std::string>& said) {
  std::vector<Contract> contracts = guess_contracts(source, entry, options, said);
  TaskPool pool;
  pool.tasks = contracts.size();
  pool.work = [&](std::size_t task, const auto&) -> std::string {
    const auto runner = checked_runner();
    const auto image = compile_contract(contracts[task], options);
    const auto block = fitting_block(contracts[task], image, *runner);
    return block ? std::to_string(*block) : "";
  };
  pool.finished = [&](std::size_t task, const Outcome& outcome) {
    // The audit reports anything else that goes wrong.
    if (outcome.ending != Outcome::Ending::finished || outcome.text.empty()) return;
    Range& block = block_of(contracts[task]);
    said.push_back(fmt::format(
        "{}: blocks of {} threads access memory out of bounds and blocks of {} do not; assumed block size: "
        "{} threads.",
        contracts[task].instances[0].launches[0].entry, block.low.text(), outcome.text, outcome.text));
    block = Range::parse(outcome.text, {});
  };
  pool.progress = [](std::uint64_t) {};
  if (!pool.run()) throw Interrupted{};
  return contracts;
}

}  // namespace foldproof
