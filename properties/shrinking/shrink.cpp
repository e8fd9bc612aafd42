#include "properties/shrinking/shrink.h"

#include <rapidcheck/Seq.h>
#include <rapidcheck/seq/Create.h>
#include <rapidcheck/seq/Transform.h>
#include <rapidcheck/shrink/Shrink.h>
#include <rapidcheck/shrinkable/Create.h>

#include <algorithm>
#include <bit>

#include "contracts/sizes.h"
#include "oracles/number.h"
#include "properties/distributions.h"

namespace foldproof {
namespace {

/// Inputs up to this many elements are shrunk element by element; larger ones would not be readable anyway.
constexpr std::size_t most_elements = 512;
/// A case with more planted elements is harder to read than the distribution it came from.
constexpr std::size_t most_planted = 16;

/// Runs candidates until the budget is spent.
class ShrinkTrials {
 public:
  ShrinkTrials(const StillFails& fails, ShrinkBudget budget) : fails_(fails), budget_(budget) {}

  bool spent() const { return budget_.runs == 0 || budget_.cost == 0; }

  bool fails(const Case& c) {
    if (spent()) return false;
    --budget_.runs;
    std::uint64_t cost = 0;
    const bool failed = fails_(c, cost);
    budget_.cost -= std::min(budget_.cost, cost);
    return failed;
  }

 private:
  const StillFails& fails_;
  ShrinkBudget budget_;
};

bool same(const Case& a, const Case& b) { return describe(a) == describe(b); }

/// The simpler neighbours of a case, boldest steps first: fewer elements and blocks make all further runs
/// shorter.
class Neighbours {
 public:
  Neighbours(const Domain& domain, const Instance& instance) : domain_(&domain), instance_(&instance) {}

  rc::Seq<Case> operator()(const Case& c) const {
    const auto is_size = [&](const std::string& name) { return determines_count(name); };
    const auto is_other = [&](const std::string& name) { return !determines_count(name) && name != "grid"; };
    auto all = rc::seq::concat(counts(c), variables(c, is_size), smaller_grid(c), simplified(c),
                               variables(c, is_other), closer_elements(c), distributions(c), seeds(c));
    return rc::seq::filter(std::move(all), [c](const Case& candidate) { return !same(candidate, c); });
  }

  /// The case for a matrix that consists only of this part, a row or a column; nothing if the domain admits
  /// no such matrix. Its elements are to be planted.
  std::optional<Case> for_part_alone(Case c, const Part& part) const {
    const auto size = static_cast<std::int64_t>(part.size());
    const bool is_row = part.is_contiguous();
    for (auto& [name, value] : c.variables)
      if (is_row && determines_count(name)) value = 1;
    c.variables["columns"] = is_row ? size : 1;
    c.variables["count"] = size;
    c.variables = domain_->nearest(c.variables);
    if (c.variables.at("count") != size) return std::nullopt;
    c.relation.clear();
    return c;
  }

 private:
  static rc::Seq<Case> simplified(const Case& c) {
    Case without_relation = c, bare = c, once = c, undisturbed = c, aligned = c;
    without_relation.relation.clear();
    bare.input.transforms.clear();
    once.calls = 1;
    undisturbed.order = usual(c.order);
    aligned.offset = 0;
    return rc::seq::concat(rc::seq::just(without_relation, bare), fewer_transforms(c),
                           rc::seq::just(once, undisturbed, aligned));
  }

  /// Drops one of several transforms.
  static rc::Seq<Case> fewer_transforms(const Case& c) {
    std::vector<Case> fewer;
    for (std::size_t i = 0; i < c.input.transforms.size() && c.input.transforms.size() > 1; ++i) {
      fewer.push_back(c);
      auto& transforms = fewer.back().input.transforms;
      transforms.erase(transforms.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return rc::seq::fromContainer(std::move(fewer));
  }

  rc::Seq<Case> towards(const Case& c, const std::string& name, std::int64_t target) const {
    return with(c, name, rc::shrink::towards(c.variables.at(name), target));
  }

  rc::Seq<Case> with(const Case& c, const std::string& name, rc::Seq<std::int64_t> values) const {
    return rc::seq::map(std::move(values), [c, name, domain = domain_](std::int64_t value) {
      Case smaller = c;
      smaller.variables[name] = value;
      smaller.variables = domain->nearest(smaller.variables);
      std::erase_if(smaller.input.planted, [&](const auto& p) {
        const auto count = value_of(smaller.variables, "count");
        return count && p.index >= static_cast<std::uint64_t>(*count);
      });
      return smaller;
    });
  }

  /// A fault in the remainder of a warp or block also occurs with the remainder alone, or after a full warp
  /// or block.
  rc::Seq<Case> counts(const Case& c) const {
    const auto count = c.variables.find("count");
    if (count == c.variables.end()) return {};
    std::vector<std::int64_t> rests;
    for (const std::int64_t whole : {std::int64_t{32}, tile_of(c.variables)})
      for (const std::int64_t rest : {count->second % whole, whole + count->second % whole})
        if (rest < count->second) rests.push_back(rest);
    return rc::seq::concat(with(c, "count", rc::seq::fromContainer(std::move(rests))),
                           towards(c, "count", 0));
  }

  rc::Seq<Case> smaller_grid(const Case& c) const {
    return c.variables.contains("grid") ? towards(c, "grid", 1) : rc::Seq<Case>();
  }

  /// Whether the variable determines the count, as rows and columns do.
  bool determines_count(const std::string& name) const {
    const Range* count = range_of(*instance_, "count");
    const auto uses = [&](const Expression& bound) {
      const std::vector<std::string> names = bound.names();
      return std::ranges::find(names, name) != names.end();
    };
    return count != nullptr && (uses(count->low) || uses(count->high));
  }

  /// Smaller values of the chosen variables, except the count.
  rc::Seq<Case> variables(const Case& c, const auto& is_chosen) const {
    rc::Seq<Case> all;
    Variables chosen;
    for (const auto& variable : domain_->variables()) {
      const std::int64_t low = domain_->bounds(variable, chosen).low;
      if (variable.first != "count" && is_chosen(variable.first))
        all = rc::seq::concat(std::move(all), towards(c, variable.first, low));
      chosen[variable.first] = c.variables.at(variable.first);
    }
    return all;
  }

  /// With one planted element closer to the one before it, so that the count can be smaller.
  static rc::Seq<Case> closer_elements(Case c) {
    std::ranges::sort(c.input.planted, {}, &Planted::index);
    rc::Seq<Case> all;
    std::uint64_t low = 0;
    for (std::size_t i = 0; i < c.input.planted.size(); ++i) {
      const std::uint64_t index = c.input.planted[i].index;
      if (index > low)
        all = rc::seq::concat(std::move(all),
                              rc::seq::map(rc::shrink::towards(index, low), [c, i](auto closer) {
                                Case moved = c;
                                moved.input.planted[i].index = closer;
                                return moved;
                              }));
      low = index + 1;
    }
    return all;
  }

  /// Individually planted elements are easiest to read among zeros, and so is an input without any.
  rc::Seq<Case> distributions(const Case& c) const {
    if (!c.input.planted.empty() || c.input == InputDistribution{{"zeros"}}) return {};
    std::vector<Case> simpler;
    for (const DistributionInfo& distribution : foldproof::distributions()) {
      if (distribution.name == c.input.distribution.name) break;
      if (!instance_->reduction || !suits(distribution, instance_->reduction->input)) continue;
      simpler.push_back(c);
      simpler.back().input.distribution = {std::string(distribution.name)};
    }
    return rc::seq::fromContainer(std::move(simpler));
  }

  static rc::Seq<Case> seeds(const Case& c) {
    std::vector<Case> simpler;
    for (std::uint64_t seed = 0; seed < std::min<std::uint64_t>(c.input.seed, 4); ++seed) {
      simpler.push_back(c);
      simpler.back().input.seed = seed;
    }
    return rc::seq::fromContainer(std::move(simpler));
  }

  const Domain* domain_;
  const Instance* instance_;
};

/// Follows the tree to the first child that fails, and continues from there.
Case shrink_distribution(const Case& failing, const Neighbours& neighbours, ShrinkTrials& trials) {
  auto node = rc::shrinkable::shrinkRecur(failing, neighbours);
  for (bool descended = true; descended && !trials.spent();) {
    descended = false;
    auto children = node.shrinks();
    while (auto child = children.next()) {
      if (trials.spent()) break;
      if (!trials.fails(child->value())) continue;
      node = std::move(*child);
      descended = true;
      break;
    }
  }
  return node.value();
}

/// Delta debugging over the nonzero elements of an input.
class ElementShrinker {
 public:
  ElementShrinker(const Case& c, Element element, const std::vector<std::uint64_t>& bits,
                  ShrinkTrials& trials)
      : case_(c), element_(element), trials_(trials) {
    case_.input = {{"zeros"}};
    for (std::size_t i = 0; i < bits.size(); ++i)
      if (bits[i] != 0) case_.input.planted.push_back({i, planted_text(element, bits[i])});
  }

  /// The shrunk case, or `fallback` if that is easier to read.
  Case shrunk(const Case& fallback) {
    if (!trials_.fails(case_)) return fallback;
    remove_elements();
    if (case_.input.planted.size() > most_planted) return fallback;
    simplify_values();
    return case_;
  }

 private:
  void remove_elements() {
    for (std::size_t chunk = std::max<std::size_t>(case_.input.planted.size() / 2, 1);; chunk /= 2) {
      for (std::size_t at = 0; at < case_.input.planted.size() && !trials_.spent();)
        if (!try_without(at, chunk)) at += chunk;
      if (chunk == 1) return;
    }
  }

  bool try_without(std::size_t at, std::size_t chunk) {
    Case fewer = case_;
    auto& planted = fewer.input.planted;
    const auto begin = planted.begin() + static_cast<std::ptrdiff_t>(at);
    planted.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(chunk, planted.size() - at)));
    if (!trials_.fails(fewer)) return false;
    case_ = std::move(fewer);
    return true;
  }

  void simplify_values() {
    for (std::size_t i = 0; i < case_.input.planted.size(); ++i)
      for (const std::string& value : simpler_than(case_.input.planted[i].value)) {
        Case simpler = case_;
        simpler.input.planted[i].value = value;
        if (!trials_.fails(simpler)) continue;
        case_ = std::move(simpler);
        break;
      }
  }

  /// Small integers, then the value itself cut to fewer bits; simplest first.
  std::vector<std::string> simpler_than(const std::string& value) const {
    std::vector<std::string> simpler;
    const auto add = [&](const Number& number) {
      const std::string text = planted_text(element_, encode(element_, number));
      if (text == value) return false;
      if (std::ranges::find(simpler, text) == simpler.end()) simpler.push_back(text);
      return true;
    };
    for (const double small : {1.0, -1.0, 2.0, -2.0})
      if (!add(number_of(small))) return simpler;
    const Number number = decode(element_, planted_bits(element_, value));
    const int width = static_cast<int>(std::bit_width(number.significand));
    for (int kept = 1; number.is_finite() && kept < width; kept *= 2) {
      Number cut = number;
      cut.significand >>= width - kept;
      cut.exponent += width - kept;
      if (!add(cut)) break;
    }
    return simpler;
  }

  Case case_;
  Element element_;
  ShrinkTrials& trials_;
};

std::vector<std::uint64_t> bits_of(const Part& part, const std::vector<std::uint64_t>& all) {
  std::vector<std::uint64_t> bits;
  for (std::size_t i = 0; i < part.size(); ++i)
    if (part.element(i) < all.size()) bits.push_back(all[part.element(i)]);
  return bits;
}

}  // namespace

Case shrink(const Case& failing, const Domain& domain, const Instance& instance, const StillFails& fails,
            const InputBits& input, const std::optional<Part>& wrong, ShrinkBudget budget) {
  const Neighbours neighbours(domain, instance);
  const ShrinkBudget third{budget.runs / 3, budget.cost / 3};
  ShrinkTrials distribution_trials(fails, third), element_trials(fails, third), part_trials(fails, third);
  if (wrong && wrong->size() > 0 && wrong->size() <= most_elements)
    if (const auto alone = neighbours.for_part_alone(failing, *wrong)) {
      ElementShrinker elements(*alone, instance.reduction->input, bits_of(*wrong, input(failing)),
                               part_trials);
      const Case small = elements.shrunk(failing);
      if (!same(small, failing)) return shrink_distribution(small, neighbours, distribution_trials);
    }
  Case small = shrink_distribution(failing, neighbours, distribution_trials);
  if (!instance.reduction || small.variables.at("count") > static_cast<std::int64_t>(most_elements))
    return small;
  // A distribution with at most a few elements is readable; it is taken apart anyway, since zeros and ones
  // show which elements matter.
  ElementShrinker elements(small, instance.reduction->input, input(small), element_trials);
  // Fewer elements may fail in a smaller launch, and may no longer need the relation.
  return shrink_distribution(elements.shrunk(small), neighbours, element_trials);
}

}  // namespace foldproof
