// Survivors that cannot matter: the contract lists them one by one, and each entry is held to what it says.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "contracts/keys.h"
#include "properties/keeping/triage.h"
#include "properties/mutation.h"

namespace foldproof {
namespace {

/// Of a Mutant or a MutantReport.
template <typename AnyMutant>
bool fits(const Equivalent& excuse, const AnyMutant& mutant) {
  return excuse.mutation == mutant.mutation && names(excuse.at, {mutant.at.file, mutant.at.line, 0}) &&
         mutant.deed.find(excuse.change) != std::string::npos;
}

std::string line_at(const Position& at) {
  std::istringstream text(read_text_file(at.file, largest_source));
  std::string line;
  for (unsigned i = 0; i < at.line; ++i)
    if (!std::getline(text, line)) return "";
  return line;
}

void check_name(const Equivalent& excuse) {
  std::vector<std::string> known;
  for (const MutationInfo& info : mutations()) known.emplace_back(info.name);
  if (std::ranges::find(known, excuse.mutation) != known.end()) return;
  throw InputError(
      fmt::format("there is no mutation \"{}\"{}", excuse.mutation, suggestion(excuse.mutation, known)),
      excuse.where);
}

}  // namespace

void check_excuses(const Contract& contract, std::span<const Mutant> mutants) {
  for (const Equivalent& excuse : contract.equivalents) {
    check_name(excuse);
    const auto mutant = std::ranges::find_if(mutants, [&](const Mutant& m) { return fits(excuse, m); });
    if (mutant == mutants.end())
      throw InputError(
          fmt::format("the kernel has no mutant \"{}\" at {}{}; `foldproof mutate` shows those "
                      "that it has",
                      excuse.mutation, excuse.at, excuse.change.empty() ? "" : " (" + excuse.change + ")"),
          excuse.where);
    if (line_at(mutant->at).find(excuse.code) == std::string::npos)
      throw InputError(fmt::format("{} does not hold \"{}\": the code has moved", excuse.at, excuse.code),
                       excuse.where);
  }
}

bool is_excused(const Contract& contract, const Mutant& mutant, std::uint64_t alive) {
  return std::ranges::any_of(contract.equivalents, [&](const Equivalent& excuse) {
    return fits(excuse, mutant) && alive <= excuse.statements;
  });
}

void apply_excuses(MutationReport& report, const Contract& contract) {
  for (const Equivalent& excuse : contract.equivalents) {
    bool survives = false, is_killed = false;
    for (MutantReport& mutant : report.mutants) {
      if (!fits(excuse, mutant)) continue;
      is_killed |= mutant.fate == Fate::killed;
      if (mutant.fate != Fate::survived && mutant.fate != Fate::equivalent) continue;
      if (mutant.alive > excuse.statements) continue;
      survives = true;
      mutant.fate = Fate::equivalent;
      mutant.reason = excuse.reason;
    }
    if (is_killed && !survives)
      report.wrong_excuses.emplace_back(
          fmt::format("\"{}\" at {} is no equivalent mutant: it was noticed", excuse.mutation, excuse.at),
          excuse.where);
  }
}

}  // namespace foldproof
