#include "reports/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "reports/counters_text.h"
#include "reports/paint.h"
#include "reports/quote.h"
#include "reports/text/sections.h"

namespace foldproof {

namespace {

Color color_of(Severity severity) { return severity == Severity::error ? Color::red : Color::yellow; }

/// A short name of the kernel and its instance.
std::string title(const KernelReport& kernel) {
  return titled(kernel.id.empty() ? kernel.kernel : kernel.id, kernel.label);
}

// --- findings

/// A finding with all instances that show it.
struct Shown {
  const Finding* finding;
  std::vector<std::string> instances;
  std::size_t alike = 0;  ///< additional findings in these instances, of the same kind at the same place
  std::vector<std::string> also = {};  ///< further pairs of places with this kind of race for this memory
};

/// The same for a race whose accesses happened in the other order.
std::string places_text(const Finding& finding) {
  std::string at = display(finding.at);
  if (!finding.other || *finding.other == finding.at) return at;
  std::string other = display(*finding.other);
  if (!is_about_undefined_values(finding.kind) && other < at) std::swap(at, other);
  return at + " and " + other;
}

void add_to(Shown& shown, const Finding& finding, const std::string& instance) {
  const auto lacks = [](const std::vector<std::string>& texts, const std::string& text) {
    return std::ranges::find(texts, text) == texts.end();
  };
  const std::string places = places_text(finding);
  const bool is_new_place = places != places_text(*shown.finding) && lacks(shown.also, places);
  const bool is_new_instance = lacks(shown.instances, instance);
  if (is_new_place) shown.also.push_back(places);
  if (is_new_instance) shown.instances.push_back(instance);
  if (!is_new_place && !is_new_instance) ++shown.alike;
}

std::vector<Shown> unexpected_findings(const AuditReport& report) {
  std::vector<Shown> all;
  std::map<std::tuple<Kind, Severity, bool, std::string, std::string>, std::size_t> known;
  for (const KernelReport& kernel : report.kernels) {
    for (const Finding& finding : kernel.findings) {
      if (finding.expected) continue;
      const bool placed = finding.at.line != 0;
      const std::string where = finding.memory.empty() ? places_text(finding) : finding.memory;
      const std::string whose =
          kernel.file + "\n" + kernel.id + "\n" + kernel.entry.substr(0, kernel.entry.find('<'));
      const auto key = std::make_tuple(finding.kind, finding.severity, finding.is_about_category, where,
                                       placed ? whose : whose + kernel.label + finding.message);
      const auto [at, fresh] = known.try_emplace(key, all.size());
      if (fresh) all.push_back({&finding, {}, 0});
      add_to(all[at->second], finding, title(kernel));
    }
  }
  return all;
}

std::string thread_text(const ThreadId& id) {
  return fmt::format("block {} thread {}", index_text(id.block), index_text(id.thread));
}

/// The first `shown` texts, and the number of the others.
std::string first_of(std::span<const std::string> texts, std::size_t shown, std::string_view separator) {
  if (texts.size() <= shown) return fmt::format("{}", fmt::join(texts, separator));
  return fmt::format("{} and {} more", fmt::join(texts.first(shown), separator), texts.size() - shown);
}

std::string threads_text(const std::vector<ThreadId>& threads) {
  std::vector<std::string> texts;
  for (const ThreadId& id : threads)
    if (std::string text = thread_text(id); std::ranges::find(texts, text) == texts.end())
      texts.push_back(std::move(text));
  return first_of(texts, 4, ", ");
}

std::string instances_text(const std::vector<std::string>& instances) { return first_of(instances, 3, "; "); }

/// The command with paths inside the working folder made relative, as a user would type it there.
std::string short_command(std::string command) {
  std::error_code error;
  const std::string here = " " + std::filesystem::current_path(error).string() + "/";
  for (std::size_t at = command.find(here); !error && at != std::string::npos; at = command.find(here, at))
    // A name that begins like an option needs a prefix.
    command.replace(at, here.size(), command.compare(at + here.size(), 1, "-") == 0 ? " ./" : " ");
  return printable(command);
}

std::string place_text(const Position& at, const std::string& label, const TerminalStyle& style) {
  const Paint paint(style.color);
  std::string text = fmt::format("  {} {}\n", paint(Color::cyan, label), display(at));
  return text + paint(Color::plain, quote(at, "    ", style.width));
}

std::string cause_text(const Cause& cause) {
  if (is_about_values(cause.kind))
    return fmt::format("possibly the same defect as the `{}`", name(cause.kind));
  return fmt::format("possibly the `{}`{}", name(cause.kind),
                     cause.at.file.empty() ? "" : " at " + display(cause.at));
}

std::string to_text(const Shown& shown, const TerminalStyle& style) {
  const Paint paint(style.color);
  const Finding& finding = *shown.finding;
  const std::string head = fmt::format("{}[{}]: ", name(finding.severity), name(finding.kind));
  std::string text = paint(color_of(finding.severity), head.substr(0, head.size() - 2)) + ": " +
                     sentence_text(finding.message, head.size(), 4, style.width) + "\n";
  if (!finding.at.file.empty()) text += place_text(finding.at, "-->", style);
  if (finding.other && !finding.other->file.empty()) {
    const bool is_origin = is_about_undefined_values(finding.kind);
    if (*finding.other == finding.at)
      text +=
          is_origin ? "  which originates on the same line\n" : "  the other access is on the same line\n";
    else
      text += place_text(*finding.other, is_origin ? "which originates at" : "and", style);
  }
  const auto row = [&](std::string_view label, const std::string& value) {
    if (!value.empty())
      text += "  " + paint(Color::dim, fmt::format("{:<8}", label)) +
              wrap(printable(value), 10, 10, style.width) + "\n";
  };
  row("threads", threads_text(finding.threads));
  row("kernel", instances_text(shown.instances));
  if (!shown.also.empty()) row("also", "at " + first_of(shown.also, 4, "; "));
  row("case", finding.case_text);
  if (shown.alike > 0)
    row("omitted", fmt::format("{} more of this kind at this place; --format json prints all", shown.alike));
  if (finding.cause)
    row("cause", cause_text(*finding.cause));
  else
    row("help", help_of(finding));
  row("more", fmt::format("foldproof explain {}", name(finding.kind)));
  // Not wrapped, so that the command can be copied.
  if (!finding.replay.empty())
    text += "  " + paint(Color::dim, "replay  ") + paint(Color::bold, short_command(finding.replay)) + "\n";
  return text + "\n";
}

// --- below the table

std::string skipped_devices_text(const AuditReport& report, const TerminalStyle& style) {
  std::string text;
  for (const SkippedDevice& skipped : report.skipped_devices)
    text += sentence_text(fmt::format("{} skipped: {}", skipped.device, skipped.reason), 0, 2, style.width) +
            "\n";
  return text;
}

std::string without_contract_text(const AuditReport& report, const TerminalStyle& style) {
  const std::vector<std::string>& files = report.sources_without_contract;
  if (files.empty()) return "";
  constexpr std::size_t most = 8;
  const std::size_t shown = std::min(files.size(), most);
  const std::string more = files.size() > most ? fmt::format(" and {} more", files.size() - most) : "";
  return sentence_text(
             fmt::format("not audited: no contract covers all kernels of {}{}; "
                         "`foldproof audit FILE` guesses a contract for a .cu file",
                         fmt::join(files.begin(), files.begin() + static_cast<long>(shown), ", "), more),
             0, 2, style.width) +
         "\n";
}

/// The reasons and notes of the instances; a sentence that several instances share appears once.
std::string remarks(const AuditReport& report, const TerminalStyle& style) {
  std::vector<std::pair<std::string, std::vector<std::string>>> sentences;
  const auto add = [&](const std::string& sentence, const std::string& whose) {
    auto at = std::find_if(sentences.begin(), sentences.end(), [&](auto& s) { return s.first == sentence; });
    if (at == sentences.end()) at = sentences.insert(sentences.end(), {sentence, {}});
    at->second.push_back(whose);
  };
  for (const KernelReport& kernel : report.kernels)
    if (!kernel.reason.empty())
      add(fmt::format("{}: {}",
                      kernel.verdict == Verdict::findings ? "not checked as intended" : name(kernel.verdict),
                      kernel.reason),
          title(kernel));
  for (const KernelReport& kernel : report.kernels)
    for (const std::string& note : kernel.notes) add("note: " + note, title(kernel));
  for (const KernelReport& kernel : report.kernels)  // contracts for one kernel may have the same name
    for (const std::string& what : kernel.not_audited)
      add("not audited: " + what, kernel.contract.empty() ? title(kernel) : kernel.file);
  std::string text;
  for (const auto& [sentence, instances] : sentences) {
    std::string whose;
    const bool names_it = instances.size() == 1 && sentence.starts_with("note: " + instances.front() + ":");
    if (report.kernels.size() > 1 && !names_it)
      whose = fmt::format(
          " ({})", instances.size() == report.kernels.size() ? "every instance" : instances_text(instances));
    text += wrap(shortened(printable(sentence)) + whose, 0, 2, style.width) + "\n";
  }
  return text;
}

/// The suppressions that no instance needed. A replayed case does not show that.
std::string unused_allows_text(const AuditReport& report, const TerminalStyle& style) {
  std::map<std::pair<std::string, std::string>, std::uint64_t>
      accepted;  // by the kernel's file, and in words
  for (const KernelReport& kernel : report.kernels)
    if (kernel.cases > 1 && !kernel.is_cut_off)
      for (const Accepted& one : kernel.accepted)
        accepted[{kernel.file, fmt::format("{} at {}", name(one.kind), one.at)}] += one.findings;
  std::string text;
  for (const auto& [allow, findings] : accepted)
    if (findings == 0)
      text += sentence_text(fmt::format("note: the acceptance of {} matched no finding", allow.second), 0, 2,
                            style.width) +
              "\n";
  return text;
}

/// What a single source claims but was not tried; in a catalogue this would apply to nearly every kernel.
std::string limits_text(const AuditReport& report, const TerminalStyle& style) {
  std::map<std::string, std::int64_t> above;
  for (const KernelReport& kernel : report.kernels) {
    if (kernel.file != report.kernels.front().file) return "";
    for (const auto& [name, value] : kernel.untried_above) above[name] = std::max(above[name], value);
  }
  std::vector<std::string> limits;
  for (const auto& [name, value] : above)
    limits.push_back(name == "count" ? fmt::format("counts above {}", value)
                                     : fmt::format("\"{}\" above {}", name, value));
  if (limits.empty()) return "";
  return sentence_text(fmt::format("note: {} were not tried", fmt::join(limits, ", ")), 0, 2, style.width) +
         "\n";
}

/// "3 clean, 1 with findings": how many reports have each verdict.
std::string verdicts_text(std::span<const KernelReport> kernels, const Paint& paint) {
  std::map<Verdict, std::size_t> verdicts;
  std::size_t expected = 0;
  for (const KernelReport& kernel : kernels)
    if (kernel.expected)
      ++expected;
    else
      ++verdicts[kernel.verdict];
  std::string text;
  const auto part = [&](std::size_t number, std::string_view words, Color color) {
    if (number > 0) text += (text.empty() ? "" : ", ") + paint(color, fmt::format("{} {}", number, words));
  };
#define FOLDPROOF_VERDICT(id, name, counted, color)   \
  part(verdicts[Verdict::id], counted, Color::color); \
  if constexpr (Verdict::id == Verdict::clean) part(expected, "with the announced findings", Color::green);
#include "properties/verdicts.def"
#undef FOLDPROOF_VERDICT
  return text;
}

std::string summary(const AuditReport& report, const TerminalStyle& style) {
  std::uint64_t cases = 0;
  std::uint64_t accepted = 0;
  for (const KernelReport& kernel : report.kernels) {
    cases += kernel.cases;
    for (const Accepted& one : kernel.accepted) accepted += one.findings;
  }
  std::string text = verdicts_text(report.kernels, Paint(style.color));
  if (accepted != 0) text += fmt::format("; {} accepted", counted(accepted, "finding"));
  const std::string time = style.wall_seconds ? fmt::format(", {:.1f} s", *style.wall_seconds) : "";
  return fmt::format("{} ({}, {} device, seed {}{}): {}\n", counted(report.kernels.size(), "instance"),
                     counted(cases, "case"), printable(report.device), report.seed, time,
                     text.empty() ? "nothing to audit" : text);
}

/// If several devices ran an instance, its label also names the device.
AuditReport with_devices_named(AuditReport report) {
  const auto identity = [](const KernelReport& kernel) {
    return std::tuple(kernel.file, kernel.kernel, kernel.label);
  };
  std::map<std::tuple<std::string, std::string, std::string>, std::set<std::string>> devices;
  for (const KernelReport& kernel : report.kernels) devices[identity(kernel)].insert(kernel.device);
  for (KernelReport& kernel : report.kernels)
    if (devices[identity(kernel)].size() > 1) {
      kernel.bindings.insert(kernel.bindings.begin(), {"", kernel.device});
      kernel.label = kernel.device + (kernel.label.empty() ? "" : ",") + kernel.label;
    }
  return report;
}

}  // namespace

std::string titled(const std::string& name, const std::string& instance) {
  return shortened(printable(instance.empty() ? name : fmt::format("{} [{}]", name, instance)));
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string findings_text(const AuditReport& report, const TerminalStyle& style) {
  std::string text;
  for (const Shown& one : unexpected_findings(report)) text += to_text(one, style);
  return text;
}

std::string to_text(const AuditReport& whole, const TerminalStyle& style) {
  const AuditReport report = with_devices_named(whole);
  return findings_text(report, style) + table(report, style.color, style.width) +
         accuracy_text(report, style.verbose, style.width) + counters_tables(report, style.color) +
         coverage_text(report, style.width) + remarks(report, style) + unused_allows_text(report, style) +
         limits_text(report, style) + without_contract_text(report, style) +
         skipped_devices_text(report, style) + summary(report, style);
}

std::string kernel_line(std::span<const KernelReport> instances) {
  const KernelReport& first = instances.front();
  const std::string file = std::filesystem::path(first.file).filename().string();
  return fmt::format("{0}: {2}: {1}", printable(first.id.empty() ? file : first.id + " (" + file + ")"),
                     verdicts_text(instances, Paint(false)), counted(instances.size(), "instance"));
}

}  // namespace foldproof
