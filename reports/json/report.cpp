#include "reports/json.h"

#include <nlohmann/json.hpp>

#include "reports/json/accuracy.h"

#include "reports/json/counters.h"

namespace foldproof {

namespace {

Json known(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json known(unsigned number) { return number == 0 ? Json(nullptr) : Json(number); }

Json triple(const Dim3& d) { return Json::array({d.x, d.y, d.z}); }

Dim3 dim3_from(const Json& json) {
  return {json.at(0).get<std::uint32_t>(), json.at(1).get<std::uint32_t>(), json.at(2).get<std::uint32_t>()};
}

/// The text at `key`; empty if it is null.
std::string text_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::string() : value.get<std::string>();
}

unsigned number_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? 0 : value.get<unsigned>();
}

Json to_json(const std::vector<CoverageGroup>& coverage) {
  if (coverage.empty()) return nullptr;
  Json groups = Json::array();
  for (const CoverageGroup& group : coverage) {
    Json classes = Json::array();
    for (const CoverageGroup::Class& one : group.classes)
      classes.push_back({{"name", one.name}, {"cases", one.cases}});
    groups.push_back({{"name", group.name}, {"classes", std::move(classes)}});
  }
  return groups;
}

std::vector<CoverageGroup> coverage_from(const Json& json) {
  std::vector<CoverageGroup> coverage;
  for (const Json& group : json) {
    coverage.push_back({group.at("name").get<std::string>(), {}});
    for (const Json& one : group.at("classes"))
      coverage.back().classes.push_back(
          {one.at("name").get<std::string>(), one.at("cases").get<std::uint64_t>()});
  }
  return coverage;
}

Verdict verdict_named(const std::string& text) {
  for (const Verdict v : {Verdict::clean, Verdict::findings, Verdict::another_finding, Verdict::unsupported,
                          Verdict::skipped, Verdict::error})
    if (name(v) == text) return v;
  throw std::invalid_argument("No verdict is called \"" + text + "\".");
}

}  // namespace

Json report_envelope(const Json& device, const Json& seed) {
  return {{"tool", "foldproof"}, {"version", FOLDPROOF_VERSION}, {"device", device}, {"seed", seed}};
}

Finding finding_from(const Json& json) {
  Finding finding;
  finding.kind = kind_named(json.at("kind").get<std::string>()).value();
  finding.severity = severity_named(json.at("severity").get<std::string>()).value();
  finding.expected = json.at("expected").get<bool>();
  finding.message = json.at("message").get<std::string>();
  finding.at = {text_at(json, "file"), number_at(json, "line"), number_at(json, "column")};
  if (!json.at("other_file").is_null())
    finding.other = {text_at(json, "other_file"), number_at(json, "other_line"),
                     number_at(json, "other_column")};
  for (const Json& id : json.at("threads"))
    finding.threads.push_back({dim3_from(id.at("block")), dim3_from(id.at("thread"))});
  finding.case_text = text_at(json, "case");
  finding.replay = text_at(json, "replay");
  return finding;
}

Json to_json(const Finding& finding) {
  const Position other = finding.other.value_or(Position{});
  Json threads = Json::array();
  for (const ThreadId& id : finding.threads)
    threads.push_back({{"block", triple(id.block)}, {"thread", triple(id.thread)}});
  return {{"kind", name(finding.kind)},
          {"severity", name(finding.severity)},
          {"expected", finding.expected},
          {"message", finding.message},
          {"file", known(finding.at.file)},
          {"line", known(finding.at.line)},
          {"column", known(finding.at.column)},
          {"other_file", known(other.file)},
          {"other_line", known(other.line)},
          {"other_column", known(other.column)},
          {"threads", threads},
          {"case", known(finding.case_text)},
          {"replay", known(finding.replay)},
          {"help", help_of(finding.kind)}};
}

Json untried_json(const std::map<std::string, std::int64_t>& untried) {
  Json all = Json::array();
  for (const auto& [name, value] : untried) all.push_back({{"name", name}, {"value", value}});
  return all;
}

Json to_json(const KernelReport& kernel) {
  Json findings = Json::array();
  for (const Finding& finding : kernel.findings) findings.push_back(to_json(finding));
  const auto& worst = kernel.worst_error_over_bound;
  Json json{{"kernel", kernel.kernel},
            {"entry", kernel.entry},
            {"id", kernel.id},
            {"instance", kernel.label},
            {"file", kernel.file},
            {"device", kernel.device},
            {"verdict", name(kernel.verdict)},
            {"expected", kernel.expected},
            {"cases", kernel.cases},
            {"worst_error_over_bound", worst ? Json(*worst) : Json(nullptr)},
            {"worst_case", known(kernel.worst_case)},
            {"untried_above", untried_json(kernel.untried_above)},
            {"findings", findings},
            {"notes", kernel.notes},
            {"reason", known(kernel.reason)},
            {"seconds", kernel.seconds},
            {"warp_instructions", kernel.warp_instructions ? Json(*kernel.warp_instructions) : Json(nullptr)},
            {"counters", kernel.counters ? to_json(*kernel.counters) : Json(nullptr)},
            {"coverage", to_json(kernel.coverage)}};
  add_accuracy(json, kernel.accuracy);
  return json;
}

Json to_json(const AuditReport& report) {
  Json json = report_envelope(report.device, std::to_string(report.seed));
  Json& skipped = json["skipped_devices"] = Json::array();
  for (const SkippedDevice& one : report.skipped_devices)
    skipped.push_back({{"device", one.device}, {"reason", one.reason}});
  Json& kernels = json["kernels"] = Json::array();
  for (const KernelReport& kernel : report.kernels) kernels.push_back(to_json(kernel));
  return json;
}

Json error_json(std::string_view message, const Position& position) {
  Json json = report_envelope(nullptr, nullptr);
  json["kernels"] = Json::array();
  json["error"] = {{"message", message},
                   {"file", known(position.file)},
                   {"line", known(position.line)},
                   {"column", known(position.column)}};
  return json;
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string pack(const Json& json) {
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

Json unpack(std::string_view bytes) { return Json::from_cbor(bytes.begin(), bytes.end()); }

KernelReport kernel_report_from(const Json& json) {
  KernelReport kernel;
  kernel.kernel = json.at("kernel").get<std::string>();
  kernel.entry = json.at("entry").get<std::string>();
  kernel.id = json.at("id").get<std::string>();
  kernel.label = json.at("instance").get<std::string>();
  kernel.file = json.at("file").get<std::string>();
  kernel.device = json.at("device").get<std::string>();
  kernel.verdict = verdict_named(json.at("verdict").get<std::string>());
  kernel.expected = json.at("expected").get<bool>();
  kernel.cases = json.at("cases").get<std::uint64_t>();
  if (const Json& worst = json.at("worst_error_over_bound"); !worst.is_null())
    kernel.worst_error_over_bound = worst.get<double>();
  kernel.worst_case = text_at(json, "worst_case");
  kernel.accuracy = accuracy_from(json);
  for (const Json& untried : json.at("untried_above"))
    kernel.untried_above[untried.at("name").get<std::string>()] = untried.at("value").get<std::int64_t>();
  for (const Json& finding : json.at("findings")) kernel.findings.push_back(finding_from(finding));
  kernel.notes = json.at("notes").get<std::vector<std::string>>();
  kernel.reason = text_at(json, "reason");
  kernel.seconds = json.at("seconds").get<double>();
  if (const Json& counted = json.at("warp_instructions"); !counted.is_null())
    kernel.warp_instructions = counted.get<std::uint64_t>();
  else
    kernel.warp_instructions.reset();
  if (const Json& counters = json.at("counters"); !counters.is_null())
    kernel.counters = counted_from(counters);
  if (const Json& coverage = json.at("coverage"); !coverage.is_null())
    kernel.coverage = coverage_from(coverage);
  return kernel;
}

}  // namespace foldproof
