#include "reports/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "reports/paint.h"
#include "reports/quote.h"
#include "reports/wrap.h"

namespace foldproof {

namespace {

Color color_of(Severity severity) { return severity == Severity::error ? Color::red : Color::yellow; }

/// How a row's verdict reads.
struct VerdictWord {
  std::string text;
  Color color;
};

VerdictWord word_for(const KernelReport& kernel) {
  switch (kernel.verdict) {
    case Verdict::clean: return {"clean", Color::green};
    case Verdict::findings:
      if (kernel.expected) return {"as expected", Color::green};
      return {fmt::format("{} finding{}", kernel.findings.size(), kernel.findings.size() == 1 ? "" : "s"),
              Color::red};
    case Verdict::unsupported: return {"unsupported", Color::yellow};
    case Verdict::skipped: return {"skipped", Color::yellow};
    case Verdict::error: return {"error", Color::red};
  }
  return {};
}

/// The kernel and its instance, on one line.
std::string title(const KernelReport& kernel) {
  return printable(kernel.label.empty() ? kernel.kernel
                                        : fmt::format("{} [{}]", kernel.kernel, kernel.label));
}

std::string cut(std::string text, std::size_t width) {
  if (text.size() > width) text = text.substr(0, width - 2) + "..";
  return text;
}

// --- findings ---------------------------------------------------------------------------------------------

/// A finding together with all instances that show it.
struct Shown {
  const Finding* finding;
  std::vector<std::string> instances;
};

std::vector<Shown> unexpected_findings(const AuditReport& report) {
  std::vector<Shown> all;
  std::map<std::tuple<Kind, std::string, std::string, std::string>, std::size_t> places;
  for (const KernelReport& kernel : report.kernels) {
    for (const Finding& finding : kernel.findings) {
      if (finding.expected) continue;
      const bool placed = finding.at.line != 0;
      const auto key =
          std::make_tuple(finding.kind, to_string(finding.at), finding.other ? to_string(*finding.other) : "",
                          placed ? kernel.id : kernel.id + kernel.label + finding.message);
      const auto [at, fresh] = places.try_emplace(key, all.size());
      if (fresh) all.push_back({&finding, {}});
      auto& instances = all[at->second].instances;
      if (std::find(instances.begin(), instances.end(), title(kernel)) == instances.end())
        instances.push_back(title(kernel));
    }
  }
  return all;
}

std::string thread_text(const ThreadId& id) {
  const auto index = [](const Dim3& d) {
    return d.y == 0 && d.z == 0 ? fmt::format("{}", d.x) : fmt::format("({}, {}, {})", d.x, d.y, d.z);
  };
  return fmt::format("block {} thread {}", index(id.block), index(id.thread));
}

std::string threads_text(const std::vector<ThreadId>& threads) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, threads.size()); ++i)
    text += (i == 0 ? "" : ", ") + thread_text(threads[i]);
  if (threads.size() > most) text += fmt::format(" and {} more", threads.size() - most);
  return text;
}

std::string instances_text(const std::vector<std::string>& instances) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, instances.size()); ++i)
    text += (i == 0 ? "" : "; ") + instances[i];
  if (instances.size() > most) text += fmt::format(" and {} more instances", instances.size() - most);
  return text;
}

std::string place_text(const Position& at, const std::string& label, const TerminalStyle& style) {
  const Paint paint(style.color);
  std::string text = fmt::format("  {} {}\n", paint(Color::cyan, label), display(at));
  return text + paint(Color::plain, quote(at, "    ", style.width));
}

std::string to_text(const Shown& shown, const TerminalStyle& style) {
  const Paint paint(style.color);
  const Finding& finding = *shown.finding;
  const std::string head = fmt::format("{}[{}]: ", name(finding.severity), name(finding.kind));
  std::string text = paint(color_of(finding.severity), head.substr(0, head.size() - 2)) + ": " +
                     wrap(printable(finding.message), head.size(), 4, style.width) + "\n";
  if (!finding.at.file.empty()) text += place_text(finding.at, "-->", style);
  if (finding.other && !finding.other->file.empty()) {
    if (*finding.other == finding.at)
      text += "  the other access is on the same line\n";
    else
      text += place_text(*finding.other, "and", style);
  }
  const auto row = [&](std::string_view label, const std::string& value) {
    if (!value.empty())
      text += "  " + paint(Color::dim, fmt::format("{:<8}", label)) +
              wrap(printable(value), 10, 10, style.width) + "\n";
  };
  row("who", threads_text(finding.threads));
  row("kernel", instances_text(shown.instances));
  row("case", finding.case_text);
  row("mends", std::string(usual_mend(finding.kind)));
  // Not wrapped: a command is there to be copied.
  if (!finding.replay.empty())
    text += "  " + paint(Color::dim, "replay  ") + paint(Color::bold, printable(finding.replay)) + "\n";
  return text + "\n";
}

// --- the table --------------------------------------------------------------------------------------------

std::string ratio_text(const KernelReport& kernel) {
  if (kernel.cases == 0) return "-";
  if (!kernel.worst_error_over_bound) return "exact";
  return fmt::format("{:.3g}", *kernel.worst_error_over_bound);
}

using Row = std::array<std::string, 7>;
constexpr std::size_t columns = std::tuple_size_v<Row>;
constexpr std::size_t name_column = 1, instance_column = 2, verdict_column = 5;
constexpr bool right_aligned[columns] = {false, false, false, true, true, false, true};

/// The kernel's name without its id, which has a column of its own.
std::string name_without_id(const KernelReport& kernel) {
  std::string text = kernel.kernel;
  if (!kernel.id.empty() && text.starts_with(kernel.id + " ")) text.erase(0, kernel.id.size() + 1);
  return printable(text);
}

Row row_for(const KernelReport& kernel) {
  return {printable(kernel.id),
          name_without_id(kernel),
          printable(kernel.label),
          std::to_string(kernel.cases),
          ratio_text(kernel),
          word_for(kernel).text,
          fmt::format("{:.2f} s", kernel.seconds)};
}

std::array<std::size_t, columns> widths_for(const std::vector<Row>& rows, std::size_t width) {
  std::array<std::size_t, columns> widths{};
  for (const Row& row : rows)
    for (std::size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], row[c].size());
  std::size_t total = 2 * (columns - 1);
  for (const std::size_t w : widths) total += w;
  // The two columns of free text give way, down to a width that still tells rows apart.
  for (const std::size_t c : {name_column, instance_column}) {
    const std::size_t over = total > width ? total - width : 0;
    const std::size_t given = std::min(over, widths[c] - std::min<std::size_t>(widths[c], 18));
    widths[c] -= given;
    total -= given;
  }
  return widths;
}

std::string table(const AuditReport& report, const TerminalStyle& style) {
  const Paint paint(style.color);
  std::vector<Row> rows{{"id", "kernel", "instance", "cases", "error/bound", "verdict", "time"}};
  for (const KernelReport& kernel : report.kernels) rows.push_back(row_for(kernel));
  const auto widths = widths_for(rows, style.width);
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string cell = cut(rows[r][c], widths[c]);
      const std::string padded =
          right_aligned[c] ? fmt::format("{:>{}}", cell, widths[c]) : fmt::format("{:<{}}", cell, widths[c]);
      const bool verdict = r > 0 && c == verdict_column;
      line +=
          (c == 0 ? "" : "  ") + (verdict ? paint(word_for(report.kernels[r - 1]).color, padded) : padded);
    }
    text += (r == 0 ? paint(Color::dim, line) : line) + "\n";
  }
  return text;
}

// --- below the table --------------------------------------------------------------------------------------

/// What each instance has to say besides its row; the same sentence of several instances once.
std::string remarks(const AuditReport& report, const TerminalStyle& style) {
  std::vector<std::pair<std::string, std::vector<std::string>>> sentences;
  const auto add = [&](const std::string& sentence, const KernelReport& kernel) {
    auto at = std::find_if(sentences.begin(), sentences.end(), [&](auto& s) { return s.first == sentence; });
    if (at == sentences.end()) at = sentences.insert(sentences.end(), {sentence, {}});
    at->second.push_back(title(kernel));
  };
  for (const KernelReport& kernel : report.kernels)
    if (!kernel.reason.empty()) add(fmt::format("{}: {}", name(kernel.verdict), kernel.reason), kernel);
  for (const KernelReport& kernel : report.kernels)
    for (const std::string& note : kernel.notes) add("note: " + note, kernel);
  std::string text;
  for (const auto& [sentence, instances] : sentences) {
    const std::string whose = instances.size() == report.kernels.size() && instances.size() > 1
                                  ? "every instance"
                                  : instances_text(instances);
    text += wrap(printable(fmt::format("{} ({})", sentence, whose)), 0, 2, style.width) + "\n";
  }
  return text;
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string summary(const AuditReport& report, std::size_t unexpected, const TerminalStyle& style) {
  const Paint paint(style.color);
  std::map<Verdict, std::size_t> verdicts;
  std::size_t expected = 0;
  std::uint64_t cases = 0;
  for (const KernelReport& kernel : report.kernels) {
    cases += kernel.cases;
    if (kernel.expected)
      ++expected;
    else
      ++verdicts[kernel.verdict];
  }
  std::string text;
  const auto part = [&](std::size_t number, std::string_view words, Color color) {
    if (number > 0) text += (text.empty() ? "" : ", ") + paint(color, fmt::format("{} {}", number, words));
  };
  part(verdicts[Verdict::clean], "clean", Color::green);
  part(expected, "with the findings expected of a defect", Color::green);
  part(verdicts[Verdict::findings], unexpected == 1 ? "with a finding" : "with findings", Color::red);
  part(verdicts[Verdict::unsupported], "unsupported", Color::yellow);
  part(verdicts[Verdict::skipped], "skipped", Color::yellow);
  part(verdicts[Verdict::error], "in error", Color::red);
  const std::string time = style.wall_seconds ? fmt::format(", {:.1f} s", *style.wall_seconds) : "";
  return fmt::format("{} ({}, {} device, seed {}{}): {}\n", counted(report.kernels.size(), "instance"),
                     counted(cases, "case"), report.device, report.seed, time,
                     text.empty() ? "nothing to audit" : text);
}

}  // namespace

std::string to_text(const AuditReport& report, const TerminalStyle& style) {
  const std::vector<Shown> shown = unexpected_findings(report);
  std::string text;
  for (const Shown& one : shown) text += to_text(one, style);
  text += table(report, style);
  text += remarks(report, style);
  return text + summary(report, shown.size(), style);
}

}  // namespace foldproof
