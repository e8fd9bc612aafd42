#include "reports/json/accuracy.h"

#include <nlohmann/json.hpp>

namespace foldproof {

void add_accuracy(Json& kernel, const Accuracy& accuracy) {
  Json checked = Json::object();
  for (std::size_t i = 0; i < accuracy.checked_by.size(); ++i)
    checked[std::string(name(static_cast<CheckResult::Evidence>(i)))] = accuracy.checked_by[i];
  kernel["checked_by"] = checked;
  kernel["why_not_checked"] = accuracy.why_not.empty() ? Json(nullptr) : Json(accuracy.why_not);
  kernel["worst_error_ulps"] = accuracy.worst_ulps ? Json(*accuracy.worst_ulps) : Json(nullptr);
  kernel["worst_checked_by"] = accuracy.worst_by ? Json(name(*accuracy.worst_by)) : Json(nullptr);
  kernel["worst_is_vacuous"] = accuracy.worst_is_vacuous;
  const auto& order = accuracy.order;
  kernel["tree"] =
      order ? Json{{"order", order->order}, {"height", order->height}, {"elements", order->elements}}
            : Json(nullptr);
}

Accuracy accuracy_from(const Json& kernel) {
  Accuracy accuracy;
  for (std::size_t i = 0; i < accuracy.checked_by.size(); ++i) {
    const auto evidence = static_cast<CheckResult::Evidence>(i);
    accuracy.checked_by[i] = kernel.at("checked_by").at(std::string(name(evidence))).get<std::uint64_t>();
    if (kernel.at("worst_checked_by") == name(evidence)) accuracy.worst_by = evidence;
  }
  if (const Json& why = kernel.at("why_not_checked"); !why.is_null())
    accuracy.why_not = why.get<std::string>();
  if (const Json& ulps = kernel.at("worst_error_ulps"); !ulps.is_null())
    accuracy.worst_ulps = ulps.get<double>();
  accuracy.worst_is_vacuous = kernel.at("worst_is_vacuous").get<bool>();
  if (const Json& tree = kernel.at("tree"); !tree.is_null())
    accuracy.order = OrderShown{tree.at("order").get<std::string>(), tree.at("height").get<std::uint64_t>(),
                                tree.at("elements").get<std::uint64_t>()};
  return accuracy;
}

}  // namespace foldproof
