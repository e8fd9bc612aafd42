#include "reports/accuracy.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/quote.h"
#include "reports/wrap.h"

namespace foldproof {
namespace {

/// Of a catalogue, the table says enough.
constexpr std::size_t most_instances = 4;

constexpr std::array layers{Judgement::Layer::nothing, Judgement::Layer::category, Judgement::Layer::exact,
                            Judgement::Layer::bound, Judgement::Layer::tree};

std::string_view spoken(Judgement::Layer layer) {
  switch (layer) {
    case Judgement::Layer::nothing: return "by nothing";
    case Judgement::Layer::category: return "by whether they are finite";
    case Judgement::Layer::exact: return "to the bit";
    case Judgement::Layer::bound: return "by the bound for any order";
    default: return "by the bound for the order that was seen";
  }
}

std::string judged_text(const Accuracy& accuracy) {
  std::string text;
  for (const Judgement::Layer layer : layers)
    if (const auto cases = accuracy.judged_by[static_cast<std::size_t>(layer)]; cases != 0)
      text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", cases, spoken(layer),
                          layer == Judgement::Layer::nothing ? fmt::format(" ({})", accuracy.why_not) : "");
  return text;
}

std::string worst_text(const KernelReport& kernel) {
  const Accuracy& a = kernel.accuracy;
  std::string text;
  if (kernel.worst_error_over_bound && a.worst_by)
    text = fmt::format("{:.3g} of what rounding can cause ({}{}) with {}", *kernel.worst_error_over_bound,
                       spoken(*a.worst_by), a.worst_is_vacuous ? ", which says nothing about the value" : "",
                       kernel.worst_case);
  if (a.worst_ulps)
    text += fmt::format("{}{:.3g} ulp at most", text.empty() ? "" : "; of all cases, ", *a.worst_ulps);
  return text;
}

std::string of_kernel(const KernelReport& kernel, unsigned width) {
  const Accuracy& a = kernel.accuracy;
  const std::string judged = judged_text(a);
  if (judged.empty()) return "";
  std::string text =
      printable(fmt::format("{}{}{}", kernel.kernel, kernel.label.empty() ? "" : " ", kernel.label)) + "\n";
  constexpr unsigned indent = 11;
  const auto line = [&](std::string_view what, const std::string& value) {
    if (!value.empty())
      text += fmt::format("  {:<9}{}\n", what, wrap(printable(value), indent, indent, width));
  };
  line("judged", judged);
  line("worst", worst_text(kernel));
  if (a.order)
    line("order", fmt::format("{}; at most {} additions on the way of one of {} elements", a.order->order,
                              a.order->height, a.order->elements));
  return text;
}

}  // namespace

std::string accuracy_text(const AuditReport& report, unsigned width) {
  if (report.kernels.size() > most_instances) return "";
  std::string text;
  for (const KernelReport& kernel : report.kernels) text += of_kernel(kernel, width);
  return text;
}

void add_accuracy(Json& kernel, const Accuracy& accuracy) {
  Json judged = Json::object();
  for (const Judgement::Layer layer : layers)
    judged[std::string(name(layer))] = accuracy.judged_by[static_cast<std::size_t>(layer)];
  kernel["judged_by"] = judged;
  kernel["why_not_judged"] = accuracy.why_not.empty() ? Json(nullptr) : Json(accuracy.why_not);
  kernel["worst_error_ulps"] = accuracy.worst_ulps ? Json(*accuracy.worst_ulps) : Json(nullptr);
  kernel["worst_judged_by"] = accuracy.worst_by ? Json(name(*accuracy.worst_by)) : Json(nullptr);
  kernel["worst_is_vacuous"] = accuracy.worst_is_vacuous;
  const auto& order = accuracy.order;
  kernel["tree"] =
      order ? Json{{"order", order->order}, {"height", order->height}, {"elements", order->elements}}
            : Json(nullptr);
}

Accuracy accuracy_from(const Json& kernel) {
  Accuracy accuracy;
  for (const Judgement::Layer layer : layers) {
    accuracy.judged_by[static_cast<std::size_t>(layer)] =
        kernel.at("judged_by").at(std::string(name(layer))).get<std::uint64_t>();
    if (kernel.at("worst_judged_by") == name(layer)) accuracy.worst_by = layer;
  }
  if (const Json& why = kernel.at("why_not_judged"); !why.is_null())
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
