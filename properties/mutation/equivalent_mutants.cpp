// Survivors without effect: the contract lists them one by one, and each annotation is verified.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "contracts/keys.h"
#include "properties/mutation.h"
#include "properties/store/triage.h"

namespace foldproof {
namespace {

/// The numbers of the lines in the file that contain `code`.
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

/// The line of the statement that the annotation refers to; 0 if it matches none or several.
unsigned statement_line(const Equivalent& equivalent, const std::string& file) {
  const std::vector<unsigned> lines = lines_with(equivalent.code, file);
  if (equivalent.occurrence == 0) return lines.size() == 1 ? lines.front() : 0;
  return equivalent.occurrence <= lines.size() ? lines[equivalent.occurrence - 1] : 0;
}

/// For a Mutant or a MutantReport.
template <typename AnyMutant>
bool is_about_file(const Equivalent& equivalent, const AnyMutant& mutant) {
  return names(equivalent.file, {mutant.at.file, 0, 0});
}

template <typename AnyMutant>
bool fits(const Equivalent& equivalent, const AnyMutant& mutant) {
  return equivalent.mutation == mutant.mutation &&
         mutant.change.find(equivalent.change) != std::string::npos && is_about_file(equivalent, mutant) &&
         statement_line(equivalent, mutant.at.file) == mutant.at.line;
}

/// "block_scan.cuh: __syncthreads(); (2)": the statement, for messages.
std::string statement_text(const Equivalent& equivalent) {
  return fmt::format("{}: {}{}", equivalent.file, equivalent.code,
                     equivalent.occurrence == 0 ? "" : fmt::format(" ({})", equivalent.occurrence));
}

/// Throws InputError unless `code` identifies one line of the file.
void check_statement(const Equivalent& equivalent, const std::string& file) {
  if (statement_line(equivalent, file) != 0) return;
  const std::vector<unsigned> lines = lines_with(equivalent.code, file);
  if (lines.empty())
    throw InputError(fmt::format("{} does not contain \"{}\"", equivalent.file, equivalent.code),
                     equivalent.where);
  if (equivalent.occurrence != 0)
    throw InputError(
        fmt::format("{} contains \"{}\" only {} times", equivalent.file, equivalent.code, lines.size()),
        equivalent.where);
  throw InputError(
      fmt::format("\"{}\" matches lines {} of {}; quote more of the line, or choose one with \"occurrence\"",
                  equivalent.code, fmt::join(lines, ", "), equivalent.file),
      equivalent.where);
}

void check_name(const Equivalent& equivalent) {
  std::vector<std::string> known;
  for (const MutationInfo& info : mutations()) known.emplace_back(info.name);
  if (std::ranges::find(known, equivalent.mutation) != known.end()) return;
  throw InputError(
      fmt::format("unknown mutation \"{}\"{}", equivalent.mutation, suggestion(equivalent.mutation, known)),
      equivalent.where);
}

}  // namespace

void check_equivalents(const Contract& contract, std::span<const Mutant> mutants) {
  for (const Equivalent& equivalent : contract.equivalents) {
    check_name(equivalent);
    const auto is_in_file = [&](const Mutant& m) { return is_about_file(equivalent, m); };
    if (const auto mutant = std::ranges::find_if(mutants, is_in_file); mutant != mutants.end())
      check_statement(equivalent, mutant->at.file);
    if (std::ranges::none_of(mutants, [&](const Mutant& m) { return fits(equivalent, m); }))
      throw InputError(
          fmt::format("the kernel has no mutant \"{}\" of {}{}; `foldproof mutate` lists its mutants",
                      equivalent.mutation, statement_text(equivalent),
                      equivalent.change.empty() ? "" : " (" + equivalent.change + ")"),
          equivalent.where);
  }
}

bool is_equivalent(const Contract& contract, const Mutant& mutant, std::uint64_t alive) {
  return std::ranges::any_of(contract.equivalents, [&](const Equivalent& equivalent) {
    return fits(equivalent, mutant) && alive <= equivalent.statements;
  });
}

void apply_equivalents(MutationReport& report, const Contract& contract) {
  for (const Equivalent& equivalent : contract.equivalents) {
    bool survives = false, is_killed = false;
    for (MutantReport& mutant : report.mutants) {
      if (!fits(equivalent, mutant)) continue;
      is_killed |= mutant.status == MutantStatus::killed;
      if (mutant.status != MutantStatus::survived && mutant.status != MutantStatus::equivalent) continue;
      if (mutant.alive > equivalent.statements) continue;
      survives = true;
      mutant.status = MutantStatus::equivalent;
      mutant.reason = equivalent.reason;
    }
    if (is_killed && !survives)
      report.wrong_equivalents.emplace_back(
          fmt::format("\"{}\" of {} is not an equivalent mutant: it was detected", equivalent.mutation,
                      statement_text(equivalent)),
          equivalent.where);
  }
}

}  // namespace foldproof
