#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reports/mutation.h"

namespace foldproof {

namespace {

constexpr MutantStatus statuses[] = {MutantStatus::killed, MutantStatus::survived, MutantStatus::equivalent,
                                     MutantStatus::invalid, MutantStatus::skipped};

Json known(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json known(unsigned number) { return number == 0 ? Json(nullptr) : Json(number); }

unsigned number_at(const Json& json, const char* key) {
  return json.at(key).is_null() ? 0 : json.at(key).get<unsigned>();
}

MutantStatus status_named(const std::string& text) {
  for (const MutantStatus status : statuses)
    if (name(status) == text) return status;
  throw std::invalid_argument("No status is called \"" + text + "\".");
}

/// Adds the score and the number of mutants of each status.
void add_counts(Json& json, std::span<const MutationReport> reports) {
  json["score"] = score(reports);
  for (const MutantStatus status : statuses) {
    std::uint64_t count = 0;
    for (const MutationReport& report : reports) count += report.count(status);
    json[std::string(name(status))] = count;
  }
}

Json to_json(const MutationReport& report) {
  Json json = {
      {"kernel", report.kernel}, {"id", report.id}, {"instance", report.label}, {"file", report.file}};
  add_counts(json, {&report, 1});
  Json& mutants = json["mutants"] = Json::array();
  for (const MutantReport& mutant : report.mutants) mutants.push_back(to_json(mutant));
  Json& complaints = json["complaints"] = Json::array();
  for (const InputError& error : report.wrong_equivalents) complaints.push_back(error.what());
  json["reason"] = known(report.reason);
  json["seconds"] = report.seconds;
  return json;
}

}  // namespace

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
  mutant.at = {json.at("file").get<std::string>(), number_at(json, "line"), number_at(json, "column")};
  mutant.ptx_line = json.at("ptx_line").get<std::uint32_t>();
  mutant.edits = json.at("statements").get<std::uint64_t>();
  mutant.alive = json.at("alive").get<std::uint64_t>();
  mutant.status = status_named(json.at("status").get<std::string>());
  mutant.cases = json.at("cases").get<std::uint64_t>();
  if (!json.at("finding").is_null()) mutant.killer = finding_from(json.at("finding"));
  if (!json.at("reason").is_null()) mutant.reason = json.at("reason").get<std::string>();
  return mutant;
}

Json to_json(std::span<const MutationReport> reports, const std::string& device, std::uint64_t seed) {
  Json json = report_envelope(device, std::to_string(seed));
  add_counts(json, reports);
  Json& kernels = json["kernels"] = Json::array();
  for (const MutationReport& report : reports) kernels.push_back(to_json(report));
  return json;
}

}  // namespace foldproof
