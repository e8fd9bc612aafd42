#include "command/trial_result.h"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "reports/json.h"

namespace foldproof {

std::string packed(const Trialled& trialled) {
  Json preconditions;
  if (const auto& found = trialled.preconditions) {
    Json warnings = Json::array();
    for (const Finding& warning : found->warnings) warnings.push_back(to_json(warning));
    preconditions = {{"block", found->block},
                     {"counts", found->counts},
                     {"limited", found->limited},
                     {"shared", found->shared ? Json(*found->shared) : Json()},
                     {"is_aligned", found->is_aligned},
                     {"assumptions", found->assumptions},
                     {"warnings", warnings}};
  }
  const auto& [candidate, no_fit, outputs, misbehaviour] = trialled.choice;
  return pack({{"candidate", candidate},
               {"no_fit", no_fit},
               {"outputs", outputs},
               {"misbehaviour", misbehaviour ? to_json(*misbehaviour) : Json()},
               {"preconditions", preconditions},
               {"is_cut", trialled.is_cut}});
}

Trialled unpacked(std::string_view bytes) {
  const Json json = unpack(bytes);
  Trialled trialled;
  json.at("candidate").get_to(trialled.choice.candidate);
  json.at("no_fit").get_to(trialled.choice.no_fit);
  json.at("outputs").get_to(trialled.choice.outputs);
  json.at("is_cut").get_to(trialled.is_cut);
  if (const Json& shown = json.at("misbehaviour"); !shown.is_null())
    trialled.choice.misbehaviour = finding_from(shown);
  const Json& preconditions = json.at("preconditions");
  if (preconditions.is_null()) return trialled;
  Preconditions& found = trialled.preconditions.emplace();
  preconditions.at("block").get_to(found.block);
  preconditions.at("counts").get_to(found.counts);
  preconditions.at("limited").get_to(found.limited);
  if (const Json& shared = preconditions.at("shared"); !shared.is_null())
    found.shared = shared.get<std::uint64_t>();
  preconditions.at("is_aligned").get_to(found.is_aligned);
  preconditions.at("assumptions").get_to(found.assumptions);
  for (const Json& warning : preconditions.at("warnings")) found.warnings.push_back(finding_from(warning));
  return trialled;
}

}  // namespace foldproof
