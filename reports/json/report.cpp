#include "base/printable.h"
#include "reports/json/parts.h"

namespace foldproof {

namespace {

Json triple(const Dim3& d) { return Json::array({d.x, d.y, d.z}); }

Dim3 dim3_from(const Json& json) {
  return {json.at(0).get<std::uint32_t>(), json.at(1).get<std::uint32_t>(), json.at(2).get<std::uint32_t>()};
}

Position position_from(const Json& json, const std::string& prefix) {
  return {known_at<std::string>(json, (prefix + "file").c_str()),
          known_at<unsigned>(json, (prefix + "line").c_str()),
          known_at<unsigned>(json, (prefix + "column").c_str())};
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

}  // namespace

Json to_json(const CoverageGroup::Class& one) { return {{"name", one.name}, {"cases", one.cases}}; }
Json to_json(const CoverageGroup& group) {
  return {{"name", group.name}, {"classes", array_of(group.classes)}};
}
Json to_json(const SkippedDevice& one) { return {{"device", one.device}, {"reason", one.reason}}; }
Json to_json(const ThreadId& id) { return {{"block", triple(id.block)}, {"thread", triple(id.thread)}}; }

Json report_envelope(const Json& device, const Json& seed) {
  return {{"tool", "foldproof"}, {"version", FOLDPROOF_VERSION}, {"device", device}, {"seed", seed}};
}

Finding finding_from(const Json& json) {
  Finding finding;
  finding.kind = kind_named(json.at("kind").get<std::string>()).value();
  finding.severity = severity_named(json.at("severity").get<std::string>()).value();
  finding.expected = json.at("expected").get<bool>();
  finding.message = json.at("message").get<std::string>();
  finding.at = position_from(json, "");
  if (!json.at("other_file").is_null()) finding.other = position_from(json, "other_");
  for (const Json& id : json.at("threads"))
    finding.threads.push_back({dim3_from(id.at("block")), dim3_from(id.at("thread"))});
  if (json.contains("memory")) finding.memory = known_at<std::string>(json, "memory");
  finding.case_text = known_at<std::string>(json, "case");
  finding.replay = known_at<std::string>(json, "replay");
  finding.is_about_category = json.value("is_about_category", false);
  if (const auto cause = json.find("cause"); cause != json.end() && !cause->is_null())
    finding.cause = {kind_named(cause->at("kind").get<std::string>()).value(), position_from(*cause, "")};
  return finding;
}

Json to_json(const Cause& cause) {
  return {{"kind", name(cause.kind)},
          {"file", known(cause.at.file)},
          {"line", known(cause.at.line)},
          {"column", known(cause.at.column)}};
}

Json to_json(const Finding& finding) {
  const Position other = finding.other.value_or(Position{});
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
          {"threads", array_of(finding.threads)},
          {"case", known(finding.case_text)},
          {"replay", known(finding.replay)},
          {"help", help_of(finding)},
          {"memory", known(finding.memory)},
          {"cause", finding.cause ? to_json(*finding.cause) : Json()},
          {"is_about_category", finding.is_about_category}};
}

Json untried_json(const std::map<std::string, std::int64_t>& untried) {
  Json all = Json::array();
  for (const auto& [name, value] : untried) all.push_back({{"name", name}, {"value", value}});
  return all;
}

Json to_json(const Accepted& accepted) {
  return {{"kind", name(accepted.kind)},
          {"at", accepted.at},
          {"reason", accepted.reason},
          {"until", accepted.until},
          {"findings", accepted.findings}};
}

Accepted accepted_from(const Json& json) {
  return {kind_named(json.at("kind").get<std::string>()).value(), json.at("at").get<std::string>(),
          json.at("reason").get<std::string>(), json.at("until").get<std::string>(),
          json.at("findings").get<std::uint64_t>()};
}

Json to_json(const KernelReport& kernel) {
  Json json{{"kernel", kernel.kernel},
            {"entry", kernel.entry},
            {"id", kernel.id},
            {"instance", kernel.label},
            {"file", kernel.file},
            {"contract", known(kernel.contract)},
            {"device", kernel.device},
            {"verdict", name(kernel.verdict)},
            {"expected", kernel.expected},
            {"cases", kernel.cases},
            {"worst_error_over_bound", known(kernel.worst_error_over_bound)},
            {"worst_case", known(kernel.worst_case)},
            {"untried_above", untried_json(kernel.untried_above)},
            {"findings", array_of(kernel.findings)},
            {"accepted", array_of(kernel.accepted)},
            {"notes", kernel.notes},
            {"not_audited", kernel.not_audited},
            {"cut_off", kernel.is_cut_off},
            {"reason", known(kernel.reason)},
            {"seconds", kernel.seconds},
            {"warp_instructions", known(kernel.warp_instructions)},
            {"counters", kernel.counters ? to_json(*kernel.counters) : Json(nullptr)},
            {"coverage", kernel.coverage.empty() ? Json(nullptr) : array_of(kernel.coverage)}};
  add_accuracy(json, kernel.accuracy);
  return json;
}

Json to_json(const AuditReport& report) {
  Json json = report_envelope(report.device, std::to_string(report.seed));
  json["skipped_devices"] = array_of(report.skipped_devices);
  json["sources_without_contract"] = report.sources_without_contract;
  json["kernels"] = array_of(report.kernels);
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

std::string dump(const Json& json) { return json.dump(-1, ' ', true, Json::error_handler_t::replace); }

std::string json_line(const Json& json) { return json_without_commands(dump(json)) + "\n"; }

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
  kernel.contract = json.contains("contract") ? known_at<std::string>(json, "contract") : "";
  kernel.device = json.at("device").get<std::string>();
  kernel.verdict = verdict_named(json.at("verdict").get<std::string>()).value();
  kernel.expected = json.at("expected").get<bool>();
  kernel.cases = json.at("cases").get<std::uint64_t>();
  kernel.worst_error_over_bound = optional_at<double>(json, "worst_error_over_bound");
  kernel.worst_case = known_at<std::string>(json, "worst_case");
  kernel.accuracy = accuracy_from(json);
  for (const Json& untried : json.at("untried_above"))
    kernel.untried_above[untried.at("name").get<std::string>()] = untried.at("value").get<std::int64_t>();
  for (const Json& finding : json.at("findings")) kernel.findings.push_back(finding_from(finding));
  // Reports of earlier versions lack it.
  for (const Json& accepted : json.value("accepted", Json::array()))
    kernel.accepted.push_back(accepted_from(accepted));
  kernel.notes = json.at("notes").get<std::vector<std::string>>();
  kernel.not_audited = json.value("not_audited", std::vector<std::string>());
  kernel.is_cut_off = json.at("cut_off").get<bool>();
  kernel.reason = known_at<std::string>(json, "reason");
  kernel.seconds = json.at("seconds").get<double>();
  kernel.warp_instructions = optional_at<std::uint64_t>(json, "warp_instructions");
  if (const Json& counters = json.at("counters"); !counters.is_null())
    kernel.counters = counted_from(counters);
  if (const Json& coverage = json.at("coverage"); !coverage.is_null())
    kernel.coverage = coverage_from(coverage);
  return kernel;
}

}  // namespace foldproof
