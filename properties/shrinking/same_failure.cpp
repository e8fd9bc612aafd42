#include "properties/shrinking/shrink.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/number.h"

namespace foldproof {
namespace {

/// Runs after the first that must show a finding too; only one for a timeout, which takes the full time
/// limit.
int repeats_of(Kind kind) { return kind == Kind::timeout ? 1 : 2; }

/// "with the result 1, …"; empty if there is none.
std::string result_of(const Instance& instance, const Evaluation& evaluation) {
  if (evaluation.output.empty()) return "";
  const Element type = instance.reduction->output;
  return fmt::format("with the result {}{}", to_text(type, load(type, evaluation.output, 0)),
                     evaluation.output.size() > size_of(type) ? ", …" : "");
}

std::string said_of(const Instance& instance, const Evaluation& evaluation, const Finding* finding) {
  const std::string result = result_of(instance, evaluation);
  const std::string found =
      finding == nullptr ? "no finding" : fmt::format("{} ({})", name(finding->kind), finding->message);
  return result.empty() ? found : fmt::format("{} {}", found, result);
}

}  // namespace

bool same_family(Kind a, Kind b) {
  const auto is_value = [](Kind kind) { return kind == Kind::wrong_value || kind == Kind::outside_bound; };
  return a == b || (is_value(a) && is_value(b));
}

bool is_like(const Finding& a, const Finding& b) {
  // Either of two racing accesses may have come first.
  const bool is_turned_round = a.other && b.other && a.at == *b.other && *a.other == b.at;
  return same_family(a.kind, b.kind) && a.is_about_category == b.is_about_category &&
         (a.at == b.at || is_turned_round);
}

bool stands_for(const Finding& other, const Finding& finding) {
  return is_like(other, finding) && other.severity >= finding.severity;
}

std::optional<Finding> not_reproduced(const Evaluator& evaluator, const Instance& instance, const Case& c,
                                      const Evaluation& first, const Finding& finding) {
  for (int run = 0; run < repeats_of(finding.kind); ++run) {
    const Evaluation again = evaluator.evaluate(c);
    const auto is_it = [&](Finding other) {
      other.is_about_category = finding.is_about_category;  // a race may leave a number or a NaN
      return stands_for(other, finding);
    };
    if (std::ranges::any_of(again.findings, is_it)) continue;
    Finding changing = finding;
    changing.kind = Kind::not_reproducible;
    const Finding* other = again.findings.empty() ? nullptr : &again.findings.front();
    changing.message = fmt::format(
        "the case does not fail in every run of the same job: the first run gave {}, and a later one {}",
        said_of(instance, first, &finding), said_of(instance, again, other));
    return changing;
  }
  return std::nullopt;
}

}  // namespace foldproof
