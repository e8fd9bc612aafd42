#include "reports/json/counters.h"

#include <nlohmann/json.hpp>

namespace foldproof {
namespace {

// Each of these visits the fields of one structure, for writing or reading: fields(x, visit) calls
// visit("name", x.name) and so on.

template <class Of, class Visit>
void traffic_fields(Of& t, Visit visit) {
  visit("requests", t.requests);
  visit("lanes", t.lanes);
  if constexpr (requires { t.sectors; }) {
    visit("sectors", t.sectors);
  } else {
    visit("passes", t.passes);
    visit("conflicts", t.conflicts);
  }
}

template <class Of, class Visit>
void access_fields(Of& by, Visit visit) {
  visit("loads", by.loads);
  visit("stores", by.stores);
  visit("atomics", by.atomics);
}

template <class Of, class Visit>
void round_fields(Of& r, Visit visit) {
  visit("load_requests", r.load_requests);
  visit("load_lanes", r.load_lanes);
  visit("store_requests", r.store_requests);
  visit("store_lanes", r.store_lanes);
}

template <class Of, class Visit>
void plain_fields(Of& c, Visit visit) {
  visit("launches", c.launches);
  visit("blocks", c.blocks);
  visit("threads", c.threads);
  visit("warp_instructions", c.warp_instructions);
  visit("live_lanes", c.live_lanes);
  visit("active_lanes", c.active_lanes);
  visit("divergent_branches", c.divergent_branches);
  visit("shared_requests_of_busiest_warp", c.shared_requests_of_busiest_warp);
  visit("atomics_at_busiest_address", c.atomics_at_busiest_address);
  visit("block_barriers", c.block_barriers);
  visit("warp_barriers", c.warp_barriers);
  visit("cluster_barriers", c.cluster_barriers);
}

auto writer(Json& json) {
  return [&json](const char* key, std::uint64_t value) { json[key] = value; };
}

auto reader(const Json& json) {
  return [&json](const char* key, std::uint64_t& value) { value = json.at(key).get<std::uint64_t>(); };
}

template <class Traffic>
Json written(const ByAccess<Traffic>& by) {
  Json json = Json::object();
  access_fields(by, [&](const char* key, const Traffic& t) { traffic_fields(t, writer(json[key])); });
  return json;
}

template <class Traffic>
void read(const Json& json, ByAccess<Traffic>& by) {
  access_fields(by, [&](const char* key, Traffic& t) { traffic_fields(t, reader(json.at(key))); });
}

}  // namespace

Json to_json(const Counted& counted) {
  const Counters& c = counted.counters;
  Json json{{"case", counted.case_text.empty() ? Json(nullptr) : Json(counted.case_text)}};
  plain_fields(c, writer(json));
  json["warp_efficiency"] = c.warp_efficiency();
  for (std::size_t k = 0; k < c.classes.size(); ++k)
    json["classes"][std::string(instruction_class_names[k])] = c.classes[k];
  json["shared"] = written(c.shared);
  json["global"] = written(c.global);
  json["rounds"] = Json::array();
  for (const Round& round : c.rounds) round_fields(round, writer(json["rounds"].emplace_back()));
  return json;
}

Counted counted_from(const Json& json) {
  Counted counted;
  Counters& c = counted.counters;
  if (!json.at("case").is_null()) counted.case_text = json.at("case").get<std::string>();
  plain_fields(c, reader(json));
  for (std::size_t k = 0; k < c.classes.size(); ++k)
    c.classes[k] = json.at("classes").at(std::string(instruction_class_names[k])).get<std::uint64_t>();
  read(json.at("shared"), c.shared);
  read(json.at("global"), c.global);
  for (const Json& round : json.at("rounds")) round_fields(c.rounds.emplace_back(), reader(round));
  return counted;
}

}  // namespace foldproof
