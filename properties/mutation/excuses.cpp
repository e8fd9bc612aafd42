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

/// The numbers of the file's lines that hold `code`.
std::vector<unsigned> lines_with(const std::string& code, const std::string& file) {
  std::istringstream text(read_text_file(file, largest_source));
  std::vector<unsigned> numbers;
  unsigned number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (line.find(code) != std::string::npos) numbers.push_back(number);
  }
  return numbers;
}

/// The line of the statement that the annotation means; 0 where it means none or several.
unsigned statement_line(const Equivalent& excuse, const std::string& file) {
  const std::vector<unsigned> lines = lines_with(excuse.code, file);
  if (excuse.occurrence == 0) return lines.size() == 1 ? lines.front() : 0;
  return excuse.occurrence <= lines.size() ? lines[excuse.occurrence - 1] : 0;
}

/// Of a Mutant or a MutantReport.
template <typename AnyMutant>
bool is_about_file(const Equivalent& excuse, const AnyMutant& mutant) {
  return names(excuse.file, {mutant.at.file, 0, 0});
}

template <typename AnyMutant>
bool fits(const Equivalent& excuse, const AnyMutant& mutant) {
  return excuse.mutation == mutant.mutation && mutant.deed.find(excuse.change) != std::string::npos &&
         is_about_file(excuse, mutant) && statement_line(excuse, mutant.at.file) == mutant.at.line;
}

/// "block_scan.cuh: __syncthreads(); (2)": the statement, for sentences about it.
std::string statement_text(const Equivalent& excuse) {
  return fmt::format("{}: {}{}", excuse.file, excuse.code,
                     excuse.occurrence == 0 ? "" : fmt::format(" ({})", excuse.occurrence));
}

/// Throws InputError unless `code` means one line of the file.
void check_statement(const Equivalent& excuse, const std::string& file) {
  if (statement_line(excuse, file) != 0) return;
  const std::vector<unsigned> lines = lines_with(excuse.code, file);
  if (lines.empty())
    throw InputError(fmt::format("{} does not hold \"{}\"", excuse.file, excuse.code), excuse.where);
  if (excuse.occurrence != 0)
    throw InputError(fmt::format("{} holds \"{}\" only {} times", excuse.file, excuse.code, lines.size()),
                     excuse.where);
  throw InputError(fmt::format("\"{}\" is in the lines {} of {}; quote more of the line, or choose one with "
                               "\"occurrence\"",
                               excuse.code, fmt::join(lines, ", "), excuse.file),
                   excuse.where);
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
    const auto is_in_file = [&](const Mutant& m) { return is_about_file(excuse, m); };
    if (const auto mutant = std::ranges::find_if(mutants, is_in_file); mutant != mutants.end())
      check_statement(excuse, mutant->at.file);
    if (std::ranges::none_of(mutants, [&](const Mutant& m) { return fits(excuse, m); }))
      throw InputError(
          fmt::format("the kernel has no mutant \"{}\" of {}{}; `foldproof mutate` shows those that it has",
                      excuse.mutation, statement_text(excuse),
                      excuse.change.empty() ? "" : " (" + excuse.change + ")"),
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
      report.wrong_excuses.emplace_back(fmt::format("\"{}\" of {} is no equivalent mutant: it was noticed",
                                                    excuse.mutation, statement_text(excuse)),
                                        excuse.where);
  }
}

}  // namespace foldproof
