#include <fmt/format.h>

#include <stdexcept>

#include "reports/json/parts.h"
#include "reports/mutation.h"

namespace foldproof {

namespace {

constexpr MutantStatus statuses[] = {MutantStatus::killed, MutantStatus::survived, MutantStatus::equivalent,
                                     MutantStatus::invalid, MutantStatus::skipped};

MutantStatus status_named(const std::string& text) {
  for (const MutantStatus status : statuses)
    if (name(status) == text) return status;
  throw std::invalid_argument("No status is called \"" + text + "\".");
}

/// Adds the score and the number of mutants of each status.
void add_counts(Json& json, std::span<const MutationReport> reports) {
  const std::optional<double> reached = score(reports);
  json["score"] = reached ? Json(*reached) : Json();
  for (const MutantStatus status : statuses) {
    std::uint64_t count = 0;
    for (const MutationReport& report : reports) count += report.count(status);
    json[std::string(name(status))] = count;
  }
}

}  // namespace

Json to_json(const MutationReport& report) {
  Json json = {
      {"kernel", report.kernel}, {"id", report.id}, {"instance", report.label}, {"file", report.file}};
  add_counts(json, {&report, 1});
  json["mutants"] = array_of(report.mutants);
  Json& complaints = json["complaints"] = Json::array();
  for (const InputError& error : report.wrong_equivalents) complaints.push_back(error.what());
  json["reason"] = known(report.reason);
  json["seconds"] = report.seconds;
  return json;
}

Json to_json(const MutantReport& mutant) {
  return {{"mutation", mutant.mutation},
          {"change", mutant.change},
          {"file", mutant.at.file},
          {"line", known(mutant.at.line)},
          {"column", known(mutant.at.column)},
          {"ptx_line", mutant.ptx_line},
          {"statements", mutant.edits},
          {"alive", mutant.alive},
          {"status", name(mutant.status)},
          {"cases", mutant.cases},
          {"finding", mutant.killer ? to_json(*mutant.killer) : Json(nullptr)},
          {"reason", known(mutant.reason)}};
}

MutantReport mutant_report_from(const Json& json) {
  MutantReport mutant;
  mutant.mutation = json.at("mutation").get<std::string>();
  mutant.change = json.at("change").get<std::string>();
  mutant.at = {json.at("file").get<std::string>(), known_at<unsigned>(json, "line"),
               known_at<unsigned>(json, "column")};
  mutant.ptx_line = json.at("ptx_line").get<std::uint32_t>();
  mutant.edits = json.at("statements").get<std::uint64_t>();
  mutant.alive = json.at("alive").get<std::uint64_t>();
  mutant.status = status_named(json.at("status").get<std::string>());
  mutant.cases = json.at("cases").get<std::uint64_t>();
  if (!json.at("finding").is_null()) mutant.killer = finding_from(json.at("finding"));
  mutant.reason = known_at<std::string>(json, "reason");
  return mutant;
}

Json to_json(std::span<const MutationReport> reports, const std::string& device, std::uint64_t seed) {
  Json json = report_envelope(device, std::to_string(seed));
  add_counts(json, reports);
  json["kernels"] = array_of(reports);
  return json;
}

}  // namespace foldproof
