#include <span>

#include "reports/json/parts.h"

namespace foldproof {
namespace {

template <class T>
struct Field {
  const char* key;
  std::uint64_t T::*number;
};

constexpr Field<SharedTraffic> shared_fields[] = {{"requests", &SharedTraffic::requests},
                                                  {"lanes", &SharedTraffic::lanes},
                                                  {"passes", &SharedTraffic::passes},
                                                  {"conflicts", &SharedTraffic::conflicts}};
constexpr Field<GlobalTraffic> global_fields[] = {{"requests", &GlobalTraffic::requests},
                                                  {"lanes", &GlobalTraffic::lanes},
                                                  {"sectors", &GlobalTraffic::sectors}};
constexpr Field<Round> round_fields[] = {{"load_requests", &Round::load_requests},
                                         {"load_lanes", &Round::load_lanes},
                                         {"store_requests", &Round::store_requests},
                                         {"store_lanes", &Round::store_lanes}};
constexpr Field<Counters> counter_fields[] = {
    {"launches", &Counters::launches},
    {"blocks", &Counters::blocks},
    {"threads", &Counters::threads},
    {"warp_instructions", &Counters::warp_instructions},
    {"live_lanes", &Counters::live_lanes},
    {"active_lanes", &Counters::active_lanes},
    {"divergent_branches", &Counters::divergent_branches},
    {"shared_requests_of_busiest_warp", &Counters::shared_requests_of_busiest_warp},
    {"atomics_at_busiest_address", &Counters::atomics_at_busiest_address},
    {"block_barriers", &Counters::block_barriers},
    {"warp_barriers", &Counters::warp_barriers},
    {"cluster_barriers", &Counters::cluster_barriers},
};

template <class T>
void write(Json& json, const T& from, std::span<const Field<T>> fields) {
  for (const auto& [key, number] : fields) json[key] = from.*number;
}

template <class T>
void read(const Json& json, T& to, std::span<const Field<T>> fields) {
  for (const auto& [key, number] : fields) json.at(key).get_to(to.*number);
}

template <class Traffic>
Json written(const ByAccess<Traffic>& by, std::span<const Field<Traffic>> fields) {
  Json json = Json::object();
  write(json["loads"], by.loads, fields);
  write(json["stores"], by.stores, fields);
  write(json["atomics"], by.atomics, fields);
  return json;
}

template <class Traffic>
void read(const Json& json, ByAccess<Traffic>& by, std::span<const Field<Traffic>> fields) {
  read(json.at("loads"), by.loads, fields);
  read(json.at("stores"), by.stores, fields);
  read(json.at("atomics"), by.atomics, fields);
}

}  // namespace

Json to_json(const Counted& counted) {
  const Counters& c = counted.counters;
  Json json{{"case", known(counted.case_text)}};
  write<Counters>(json, c, counter_fields);
  json["warp_efficiency"] = c.warp_efficiency();
  for (std::size_t k = 0; k < c.classes.size(); ++k)
    json["classes"][std::string(instruction_class_names[k])] = c.classes[k];
  json["shared"] = written<SharedTraffic>(c.shared, shared_fields);
  json["global"] = written<GlobalTraffic>(c.global, global_fields);
  json["rounds"] = Json::array();
  for (const Round& round : c.rounds) write<Round>(json["rounds"].emplace_back(), round, round_fields);
  return json;
}

Counted counted_from(const Json& json) {
  Counted counted;
  Counters& c = counted.counters;
  counted.case_text = known_at<std::string>(json, "case");
  read<Counters>(json, c, counter_fields);
  for (std::size_t k = 0; k < c.classes.size(); ++k)
    json.at("classes").at(std::string(instruction_class_names[k])).get_to(c.classes[k]);
  read<SharedTraffic>(json.at("shared"), c.shared, shared_fields);
  read<GlobalTraffic>(json.at("global"), c.global, global_fields);
  for (const Json& round : json.at("rounds")) read<Round>(round, c.rounds.emplace_back(), round_fields);
  return counted;
}

}  // namespace foldproof
