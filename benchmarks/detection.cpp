// foldproof-lab detection: which device and which tool found which defect, as a page generated from an
// audit's JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "benchmarks/verbs.h"
#include "reports/json.h"

namespace foldproof {

namespace {

constexpr std::size_t largest_report = std::size_t{1} << 30;

struct Column {
  const char* device;  ///< as named in reports
  const char* title;
};
constexpr Column columns[] = {{"emulated", "emulated device"}, {"cuda/racecheck", "racecheck"},
                              {"cuda/memcheck", "memcheck"},   {"cuda/synccheck", "synccheck"},
                              {"cuda/initcheck", "initcheck"}, {"cuda", "value on the GPU"}};

struct Defect {
  std::string name;
  std::map<std::string, KernelReport> by_device;
};

/// The emulated device and the tools find behaviour; wrong values are shown in the GPU's column.
std::string cell(const Defect& defect, const Column& column) {
  const auto found = defect.by_device.find(column.device);
  if (found == defect.by_device.end()) return "not run";
  const KernelReport& report = found->second;
  const bool is_another = report.verdict == Verdict::another_finding;
  if (report.verdict != Verdict::clean && report.verdict != Verdict::findings && !is_another)
    return std::string(name(report.verdict));
  const std::string_view device = column.device;
  std::set<std::string> kinds;
  bool is_wrong = false;
  for (const Finding& finding : report.findings) {
    const bool of_tool =
        device.find('/') == std::string_view::npos || finding.message.starts_with("compute-sanitizer");
    is_wrong |= is_about_values(finding.kind);
    if (of_tool && (device == "emulated" || !is_about_values(finding.kind)))
      kinds.insert(std::string(name(finding.kind)) +
                   (finding.severity == Severity::warning ? " (warning)" : ""));
  }
  if (device == "cuda" && is_wrong) kinds.insert("wrong");
  if (kinds.empty()) return device == "cuda" ? "right" : "";
  return fmt::format("{}{}", fmt::join(kinds, ", "), is_another ? " (another finding)" : "");
}

/// Whether there is a finding of a family that the source announces.
bool is_found(const Defect& defect, const Column& column) {
  const auto report = defect.by_device.find(column.device);
  return report != defect.by_device.end() && report->second.verdict == Verdict::findings;
}

/// The text of a table cell: one line, with the separator escaped.
std::string cell_text(const std::string& text) {
  std::string all;
  for (const char c : printable(text)) all += c == '|' ? std::string("\\|") : std::string(1, c);
  return all;
}

std::vector<Defect> defects_of(const std::vector<Json>& reports) {
  std::vector<Defect> defects;
  for (const Json& report : reports)
    for (const Json& json : report.at("kernels")) {
      const KernelReport kernel = kernel_report_from(json);
      const std::string title =
          kernel.label.empty() ? kernel.kernel : fmt::format("{} [{}]", kernel.kernel, kernel.label);
      auto known = std::ranges::find(defects, title, &Defect::name);
      if (known == defects.end()) known = defects.insert(defects.end(), {title, {}});
      known->by_device.insert_or_assign(kernel.device, kernel);
    }
  return defects;
}

std::string devices_of(const std::vector<Json>& reports) {
  std::set<std::string> devices;
  for (const Json& report : reports) devices.insert(report.at("device").get<std::string>());
  return fmt::format("{}", fmt::join(devices, "; "));
}

std::string page_of(const std::vector<Json>& reports) {
  const std::vector<Defect> defects = defects_of(reports);
  std::string text = fmt::format(
      "# What finds which defect\n\n"
      "Made by `foldproof-lab detection` from reports of `foldproof audit kernels/defects --format json`: on "
      "the "
      "emulated device, with `--device cuda`, and with `--device cuda --sanitizer "
      "racecheck,memcheck,synccheck,initcheck`. Devices: {}.\n\n"
      "The emulated device tries 40 cases of each defect, the tools 12 of at most 4096 elements, the GPU "
      "alone 40. "
      "*Another finding* is of no family that the source announces, and does not count as found. "
      "The last column says whether the GPU's values were wrong in any of them: what is `right` there passes "
      "every "
      "test that looks at values.\n\n| defect |",
      devices_of(reports));
  for (const Column& column : columns) text += fmt::format(" {} |", column.title);
  text += "\n|---|";
  for (std::size_t c = 0; c < std::size(columns); ++c) text += "---|";
  text += '\n';
  std::vector<std::size_t> found(std::size(columns));
  for (const Defect& defect : defects) {
    text += fmt::format("| {} |", cell_text(defect.name));
    for (std::size_t c = 0; c < std::size(columns); ++c) {
      const std::string what = cell(defect, columns[c]);
      found[c] += is_found(defect, columns[c]) && !what.empty() ? 1 : 0;
      text += fmt::format(" {} |", what);
    }
    text += '\n';
  }
  text += fmt::format("| found, of {} |", defects.size());
  for (const std::size_t count : found) text += fmt::format(" {} |", count);
  return text + "\n";
}

/// The content of a file, after reading it as a report.
Json report_in(const std::string& file) {
  try {
    Json report = Json::parse(read_text_file(file, largest_report));
    page_of({report});
    return report;
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {  // from the JSON, or from unknown names
    throw InputError(fmt::format("this is no report of foldproof audit --format json: {}", error.what()),
                     {file});
  }
}

int detection(const std::vector<std::string>& files, const Console& console) {
  std::vector<Json> reports;
  for (const std::string& file : files) reports.push_back(report_in(file));
  console.print(page_of(reports));
  return exit_ok;
}

}  // namespace

Run attach_detection(CLI::App& app, Console& console) {
  auto files = std::make_shared<std::vector<std::string>>();
  app.add_option("REPORT.json", *files, "What foldproof audit --format json printed, one or several")
      ->required();
  return [files, &console] { return detection(*files, console); };
}

}  // namespace foldproof
