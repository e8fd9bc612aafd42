// Parts of reports as JSON, and values that may be unknown.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "reports/json.h"

namespace foldproof {

/// {"case", "launches", …, "shared": {"loads": {…}, …}, "rounds": […]}, as docs/json.md lists them.
Json to_json(const Counted& counted);
/// The inverse of to_json; lossless.
Counted counted_from(const Json& json);

/// Adds the fields that docs/json.md lists to a kernel's object, and reads them back.
void add_accuracy(Json& kernel, const Accuracy& accuracy);
Accuracy accuracy_from(const Json& kernel);

// An empty text, the number 0 and an absent value are null.
inline Json known(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
inline Json known(unsigned number) { return number == 0 ? Json(nullptr) : Json(number); }
template <class T>
Json known(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The value at `key`; the default of its type if it is null.
template <class T>
T known_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? T{} : value.get<T>();
}
template <class T>
std::optional<T> optional_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::nullopt : std::optional(value.get<T>());
}

// The elements of arrays; reports/json.h and reports/mutation.h declare others.
Json to_json(const CoverageGroup::Class& one);
Json to_json(const CoverageGroup& group);
Json to_json(const SkippedDevice& one);
Json to_json(const ThreadId& id);
struct MutationReport;
Json to_json(const MutationReport& report);

/// An array with to_json of each element.
template <class Range>
Json array_of(const Range& range) {
  Json all = Json::array();
  for (const auto& one : range) all.push_back(to_json(one));
  return all;
}

}  // namespace foldproof
