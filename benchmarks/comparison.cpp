#include "benchmarks/comparison.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace foldproof {

namespace {

/// The totals of a folder's instances, separately for those that must be the same and for the others.
struct Row {
  std::uint64_t instances = 0, cases = 0, runs = 0, same = 0, other_nan = 0, left_out = 0, findings = 0;
  void add(const Compared& one) {
    ++instances;
    cases += one.cases, runs += one.tally.runs, same += one.tally.same;
    other_nan += one.tally.other_nan, left_out += one.tally.left_out;
    findings += one.findings.size();
  }
};

}  // namespace

Json to_json(const Compared& one) {
  Json findings = Json::array();
  for (const Finding& finding : one.findings) findings.push_back(to_json(finding));
  return {{"folder", one.folder},
          {"kernel", one.kernel},
          {"instance", one.instance},
          {"must_be_same", one.must_be_same},
          {"cases", one.cases},
          {"runs", one.tally.runs},
          {"same", one.tally.same},
          {"other_nan", one.tally.other_nan},
          {"left_out", one.tally.left_out},
          {"reason", one.trouble.empty() ? Json(nullptr) : Json(one.trouble)},
          {"findings", findings}};
}

Compared compared_from(const Json& json) {
  const auto number = [&](const char* key) { return json.at(key).get<std::uint64_t>(); };
  const auto text = [&](const char* key) { return json.at(key).get<std::string>(); };
  Compared one{text("folder"),
               text("kernel"),
               text("instance"),
               json.at("must_be_same").get<bool>(),
               number("cases"),
               {number("runs"), number("same"), number("other_nan"), number("left_out")},
               {},
               json.at("reason").is_null() ? "" : text("reason")};
  for (const Json& finding : json.at("findings")) one.findings.push_back(finding_from(finding));
  return one;
}

Json to_json(const Comparison& comparison) {
  Json kernels = Json::array();
  for (const Compared& one : comparison.kernels) kernels.push_back(to_json(one));
  return {{"device", comparison.device}, {"fmad", comparison.contracted}, {"kernels", kernels}};
}

std::string page_of(const Comparison& comparison, const std::string& command) {
  std::map<std::pair<std::string, bool>, Row> rows;
  Row sum;
  for (const Compared& one : comparison.kernels) rows[{one.folder, !one.must_be_same}].add(one), sum.add(one);
  std::string text = fmt::format(
      "# The emulated device against a GPU\n\n"
      "Made by `{}` on: {}. {}. {} random cases of at most {} elements, with the further runs that each is "
      "compared with.\n\n"
      "Kernels need not have the same bits where their contract claims no single order, or where PTX leaves "
      "the "
      "result of an instruction to the hardware (`.approx`): these are held against their bounds alone. A "
      "NaN of "
      "f64 may have another sign or payload where two NaNs met: PTX does not say which of them goes on, and "
      "ptxas "
      "may swap the operands of a sum or product.\n\n"
      "| kernels | must have the same bits | instances | cases | runs | with the same bits | but for NaNs of "
      "f64 "
      "| left out | findings |\n"
      "|---|---|---|---|---|---|---|---|---|\n",
      command, comparison.device,
      comparison.contracted
          ? "Built as the contracts say, so that ptxas may contract a product and a sum into one operation: "
            "results are held against their bounds"
          : "Built with `-fmad=false`",
      sum.cases, comparison.largest);
  const auto line = [&](const std::string& name, const std::string& must, const Row& row) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, must, row.instances,
                        row.cases, row.runs, row.same, row.other_nan, row.left_out, row.findings);
  };
  for (const auto& [key, row] : rows) line(key.first, key.second ? "no" : "yes", row);
  line("all", "", sum);
  for (const Compared& one : comparison.kernels) {
    if (!one.trouble.empty())
      text += fmt::format("\n- {} [{}] was not compared: {}", one.kernel, one.instance, one.trouble);
    for (const Finding& finding : one.findings)
      text +=
          fmt::format("\n- {} [{}]: {} ({})", one.kernel, one.instance, finding.message, finding.case_text);
  }
  return text + "\n";
}

}  // namespace foldproof
