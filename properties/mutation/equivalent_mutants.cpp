// Survivors without effect: the contract lists them one by one, and each annotation is verified.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/files.h"
#include "base/text.h"
#include "properties/mutation.h"
#include "properties/store/triage.h"

namespace foldproof {
namespace {

/// The numbers of the first `most` lines that contain `code`.
std::vector<unsigned> lines_with(std::string_view code, std::string_view text, std::uint64_t most) {
  std::vector<unsigned> numbers;
  unsigned number = 0;
  while (!text.empty() && numbers.size() < most) {
    const std::string_view line = text.substr(0, text.find('\n'));
    ++number;
    if (line.find(code) != std::string_view::npos) numbers.push_back(number);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return numbers;
}

/// The line of the statement that the annotation refers to; 0 if it matches none or several.
unsigned statement_line(const Equivalent& equivalent, std::string_view text) {
  const std::uint64_t occurrence = equivalent.occurrence;
  const std::vector<unsigned> lines = lines_with(equivalent.code, text, occurrence == 0 ? 2 : occurrence);
  return lines.size() == std::max<std::uint64_t>(1, occurrence) ? lines.back() : 0;
}

bool is_about(const Equivalent& equivalent, const std::string& source) {
  return names(equivalent.file, {source, 0, 0});
}

/// In bytes: each annotation searches its source.
constexpr std::size_t largest_annotated_source = std::size_t{4} << 20;

/// "block_scan.cuh: __syncthreads(); (2)": the statement, for messages.
std::string statement_text(const Equivalent& equivalent) {
  return fmt::format("{}: {}{}", equivalent.file, equivalent.code,
                     equivalent.occurrence == 0 ? "" : fmt::format(" ({})", equivalent.occurrence));
}

void check_name(const Equivalent& equivalent) {
  std::vector<std::string> known;
  for (const MutationInfo& info : mutations()) known.emplace_back(info.name);
  if (std::ranges::find(known, equivalent.mutation) != known.end()) return;
  throw InputError(
      fmt::format("unknown mutation \"{}\"{}", equivalent.mutation, suggestion(equivalent.mutation, known)),
      equivalent.where);
}

/// The sources of the mutants, each once, in the order of the mutants.
std::vector<std::string> sources_of(std::span<const Mutant> mutants) {
  std::vector<std::string> sources;
  std::set<std::string_view> known;
  for (const Mutant& mutant : mutants)
    if (known.insert(mutant.at.file).second) sources.push_back(mutant.at.file);
  return sources;
}

}  // namespace

const std::vector<unsigned>& EquivalentMutants::lines_in(const std::string& source) const {
  if (const auto known = lines_.find(source); known != lines_.end()) return known->second;
  std::vector<unsigned> lines(contract_.equivalents.size());
  std::optional<std::string> text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Equivalent& equivalent = contract_.equivalents[i];
    if (!is_about(equivalent, source)) continue;
    if (!text) text = read_text_file(source, largest_annotated_source);
    lines[i] = statement_line(equivalent, *text);
  }
  return lines_[source] = std::move(lines);
}

EquivalentMutants::Annotations EquivalentMutants::fitting(const std::string& mutation,
                                                          const std::string& change,
                                                          const Position& at) const {
  Annotations fitting;
  const std::vector<unsigned>& lines = lines_in(at.file);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Equivalent& equivalent = contract_.equivalents[i];
    if (lines[i] != 0 && lines[i] == at.line && equivalent.mutation == mutation &&
        change.find(equivalent.change) != std::string::npos)
      fitting.push_back(&equivalent);
  }
  return fitting;
}

void EquivalentMutants::check_statement(const Equivalent& equivalent, const std::string& source) const {
  const auto place = static_cast<std::size_t>(&equivalent - contract_.equivalents.data());
  if (lines_in(source)[place] != 0) return;
  const std::vector<unsigned> lines = lines_with(equivalent.code, read_text_file(source, largest_source),
                                                 std::numeric_limits<std::uint64_t>::max());
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

std::set<const Equivalent*> EquivalentMutants::fitted_by(std::span<const Mutant> mutants) const {
  std::set<const Equivalent*> fitted;
  for (const Mutant& mutant : mutants)
    for (const Equivalent* equivalent : fitting(mutant.mutation, mutant.change, mutant.at))
      fitted.insert(equivalent);
  return fitted;
}

void EquivalentMutants::check(std::span<const Mutant> mutants) const {
  const std::vector<std::string> sources = sources_of(mutants);
  std::optional<std::set<const Equivalent*>> fitted;  // after the first name and statement were checked
  for (const Equivalent& equivalent : contract_.equivalents) {
    check_name(equivalent);
    const auto is_its_source = [&](const std::string& source) { return is_about(equivalent, source); };
    if (const auto source = std::ranges::find_if(sources, is_its_source); source != sources.end())
      check_statement(equivalent, *source);
    if (!fitted) fitted = fitted_by(mutants);
    if (!fitted->contains(&equivalent))
      throw InputError(
          fmt::format("the kernel has no mutant \"{}\" of {}{}; `foldproof mutate` lists its mutants",
                      equivalent.mutation, statement_text(equivalent),
                      equivalent.change.empty() ? "" : " (" + equivalent.change + ")"),
          equivalent.where);
  }
}

bool EquivalentMutants::include(const Mutant& mutant, std::uint64_t alive) const {
  return std::ranges::any_of(fitting(mutant.mutation, mutant.change, mutant.at),
                             [&](const Equivalent* equivalent) { return alive <= equivalent->statements; });
}

void EquivalentMutants::apply(MutationReport& report) const {
  std::set<const Equivalent*> surviving, killed;
  for (MutantReport& mutant : report.mutants)
    for (const Equivalent* equivalent : fitting(mutant.mutation, mutant.change, mutant.at)) {
      if (mutant.status == MutantStatus::killed) killed.insert(equivalent);
      if (mutant.status != MutantStatus::survived && mutant.status != MutantStatus::equivalent) continue;
      if (mutant.alive > equivalent->statements) continue;
      surviving.insert(equivalent);
      mutant.status = MutantStatus::equivalent;
      mutant.reason = equivalent->reason;
    }
  for (const Equivalent& equivalent : contract_.equivalents)
    if (killed.contains(&equivalent) && !surviving.contains(&equivalent))
      report.wrong_equivalents.emplace_back(
          fmt::format("\"{}\" of {} is not an equivalent mutant: it was detected", equivalent.mutation,
                      statement_text(equivalent)),
          equivalent.where);
}

}  // namespace foldproof
