#include <cmath>

#include "reports/json/parts.h"

namespace foldproof {
namespace {

/// null if a number is beyond the range of f64.
Json to_json(const BoundedResult& bounded) {
  const auto& [result, exact, error, bound] = bounded;
  for (const double x : {result, exact, error, bound})
    if (!std::isfinite(x)) return nullptr;
  return {{"result", result}, {"exact", exact}, {"error", error}, {"bound", bound}};
}

}  // namespace

void add_accuracy(Json& kernel, const Accuracy& accuracy) {
  Json checked = Json::object();
  for (std::size_t i = 0; i < accuracy.checked_by.size(); ++i)
    checked[std::string(name(static_cast<CheckResult::Evidence>(i)))] = accuracy.checked_by[i];
  kernel["checked_by"] = checked;
  kernel["why_not_checked"] = known(accuracy.why_not);
  kernel["worst_error_ulps"] = known(accuracy.worst_ulps);
  kernel["worst_checked_by"] = accuracy.worst_by ? Json(name(*accuracy.worst_by)) : Json(nullptr);
  kernel["worst_is_vacuous"] = accuracy.worst_is_vacuous;
  kernel["worst_result"] = accuracy.worst ? to_json(*accuracy.worst) : Json(nullptr);
  const auto& order = accuracy.order;
  kernel["tree"] =
      order ? Json{{"order", order->order}, {"height", order->height}, {"elements", order->elements}}
            : Json(nullptr);
}

Accuracy accuracy_from(const Json& kernel) {
  Accuracy accuracy;
  for (std::size_t i = 0; i < accuracy.checked_by.size(); ++i) {
    const auto evidence = static_cast<CheckResult::Evidence>(i);
    kernel.at("checked_by").at(std::string(name(evidence))).get_to(accuracy.checked_by[i]);
    if (kernel.at("worst_checked_by") == name(evidence)) accuracy.worst_by = evidence;
  }
  accuracy.why_not = known_at<std::string>(kernel, "why_not_checked");
  accuracy.worst_ulps = optional_at<double>(kernel, "worst_error_ulps");
  accuracy.worst_is_vacuous = kernel.at("worst_is_vacuous").get<bool>();
  if (const Json worst = kernel.value("worst_result", Json()); !worst.is_null())  // earlier versions lack it
    accuracy.worst = BoundedResult{worst.at("result").get<double>(), worst.at("exact").get<double>(),
                                   worst.at("error").get<double>(), worst.at("bound").get<double>()};
  if (const Json& tree = kernel.at("tree"); !tree.is_null())
    accuracy.order = OrderShown{tree.at("order").get<std::string>(), tree.at("height").get<std::uint64_t>(),
                                tree.at("elements").get<std::uint64_t>()};
  return accuracy;
}

}  // namespace foldproof
