#include <fmt/format.h>

#include <algorithm>

#include "reports/mutation.h"
#include "reports/paint.h"
#include "reports/quote.h"
#include "reports/text/sections.h"

namespace foldproof {

namespace {

Color color_of(MutantStatus status) {
  switch (status) {
    case MutantStatus::killed: return Color::green;
    case MutantStatus::survived: return Color::red;
    case MutantStatus::equivalent:
    case MutantStatus::invalid: return Color::dim;
    case MutantStatus::skipped: return Color::yellow;
  }
  return Color::plain;
}

std::string title(const MutationReport& report) { return titled(report.kernel, report.label); }

std::string line_of(const Position& at) { return display({at.file, at.line, 0}); }

std::string finding_text(const Finding& finding) {
  const std::string place = finding.at.line == 0 ? "" : " at " + line_of(finding.at);
  return std::string(name(finding.kind)) + place;
}

std::string statements_text(const MutantReport& mutant) {
  return mutant.edits == 1
             ? fmt::format("PTX line {}", mutant.ptx_line)
             : fmt::format("PTX line {}, {} of {} statements", mutant.ptx_line, mutant.alive, mutant.edits);
}

/// The outcome of the mutant, shown after its change.
std::string end_of(const MutantReport& mutant) {
  switch (mutant.status) {
    case MutantStatus::killed: return mutant.killer ? finding_text(*mutant.killer) : "";
    case MutantStatus::survived:
      return fmt::format("not detected in {} cases ({}){}", mutant.cases, statements_text(mutant),
                         mutant.killer ? "; only a warning, " + finding_text(*mutant.killer) : "");
    case MutantStatus::equivalent:
    case MutantStatus::invalid: return mutant.reason;
    case MutantStatus::skipped: return "not finished";
  }
  return "";
}

std::string mutants_text(const MutationReport& report, const TerminalStyle& style) {
  const Paint paint(style.color);
  std::string text;
  const Position* last = nullptr;
  for (const MutantReport& mutant : report.mutants) {
    if (last == nullptr || last->file != mutant.at.file || last->line != mutant.at.line)
      text += fmt::format("  {} {}\n{}", paint(Color::cyan, "-->"), line_of(mutant.at),
                          quote({mutant.at.file, mutant.at.line, 0}, "    ", style.width));
    last = &mutant.at;
    const std::string end = end_of(mutant);
    text += "  " + paint(color_of(mutant.status), fmt::format("{:<10}", name(mutant.status))) + "  " +
            sentence_text(mutant.change + (end.empty() ? "" : ": " + end), 14, 14, style.width) + "\n";
  }
  return text;
}

std::string complaints_text(const MutationReport& report, const TerminalStyle& style) {
  std::string text;
  for (const InputError& error : report.wrong_equivalents)
    text += sentence_text(fmt::format("error: {} ({})", error.sentence(), display(error.position())), 0, 2,
                          style.width) +
            "\n";
  return text;
}

std::string percent(std::optional<double> score) { return score ? fmt::format("{:.1f} %", *score) : "-"; }

std::string table_row(const MutationReport& report, std::size_t width) {
  const std::string begin = fmt::format("{:<{}}", title(report), width);
  if (!report.reason.empty()) return begin + "  " + shortened(printable(report.reason)) + "\n";
  const std::uint64_t skipped = report.count(MutantStatus::skipped);
  return fmt::format("{}  {:>6}  {:>8}  {:>10}  {:>7}  {:>7}  {:.1f} s{}\n", begin,
                     report.count(MutantStatus::killed), report.count(MutantStatus::survived),
                     report.count(MutantStatus::equivalent), report.count(MutantStatus::invalid),
                     percent(score({&report, 1})), report.seconds,
                     skipped == 0 ? "" : fmt::format("  ({} not finished)", skipped));
}

std::string summary(std::span<const MutationReport> reports, const TerminalStyle& style) {
  const auto all = [&](MutantStatus status) {
    std::uint64_t sum = 0;
    for (const MutationReport& report : reports) sum += report.count(status);
    return sum;
  };
  const std::uint64_t killed = all(MutantStatus::killed), survived = all(MutantStatus::survived),
                      skipped = all(MutantStatus::skipped);
  const auto unfinished = static_cast<std::size_t>(
      std::ranges::count_if(reports, [](const MutationReport& report) { return !report.reason.empty(); }));
  const std::string time = style.wall_seconds ? fmt::format(" ({:.1f} s)", *style.wall_seconds) : "";
  const std::string head = killed + survived == 0 ? "no score"
                           : skipped == 0         ? "score " + percent(score(reports))
                                          : fmt::format("score {} of {} finished", percent(score(reports)),
                                                        counted(killed + survived, "mutant"));
  const std::string missing =
      (skipped == 0 ? "" : fmt::format(", {} not finished", skipped)) +
      (unfinished == 0 ? "" : fmt::format(", {} without a result", counted(unfinished, "kernel")));
  return fmt::format("{}: {} killed, {} survived; not counted: {} annotated as equivalent, {} invalid{}{}\n",
                     head, killed, survived, all(MutantStatus::equivalent), all(MutantStatus::invalid),
                     missing, time);
}

std::string sentence(const MutantReport& mutant) {
  const std::string change = fmt::format("{} at {}", mutant.change, line_of(mutant.at));
  if (mutant.status == MutantStatus::killed)
    return fmt::format("{}: reported as {}", change, name(mutant.killer->kind));
  if (mutant.status == MutantStatus::equivalent)
    return fmt::format("{}: equivalent, the result cannot change: {}", change, mutant.reason);
  return change + ": not detected by any case" +
         (mutant.killer ? fmt::format(", except for a warning, {}", name(mutant.killer->kind)) : "");
}

}  // namespace

std::string to_text(std::span<const MutationReport> reports, const TerminalStyle& style) {
  const Paint paint(style.color);
  std::string text;
  std::size_t width = 6;
  for (const MutationReport& report : reports) {
    width = std::max(width, columns_of(title(report)));
    text += paint(Color::bold, title(report)) + "\n" + mutants_text(report, style) +
            complaints_text(report, style) + "\n";
  }
  text += fmt::format("{:<{}}  killed  survived  equivalent  invalid    score  time\n", "kernel", width);
  for (const MutationReport& report : reports) text += table_row(report, width);
  return text + summary(reports, style);
}

std::string proof_text(std::span<const MutationReport> reports, const TerminalStyle& style) {
  std::string text;
  for (const MutationReport& report : reports) {
    if (!report.reason.empty()) text += title(report) + ": " + shortened(printable(report.reason)) + "\n";
    for (const MutantStatus status : {MutantStatus::survived, MutantStatus::equivalent, MutantStatus::killed})
      for (const MutantReport& mutant : report.mutants) {
        if (mutant.status != status) continue;
        text += sentence_text(sentence(mutant), 0, 2, style.width) + "\n";
        if (status == MutantStatus::survived)
          text += quote({mutant.at.file, mutant.at.line, 0}, "    ", style.width);
      }
    if (const std::uint64_t skipped = report.count(MutantStatus::skipped); skipped > 0)
      text += fmt::format("{} more {} not finished\n", skipped, skipped == 1 ? "was" : "were");
    text += complaints_text(report, style);
  }
  return text + summary(reports, style);
}

}  // namespace foldproof
