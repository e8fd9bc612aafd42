#include "properties/generator.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "contracts/sizes.h"
#include "oracles/number.h"
#include "properties/distributions.h"
#include "properties/execution/job.h"
#include "properties/generation/draws.h"
#include "properties/generation/turns.h"
#include "properties/generation/variable_choice.h"
#include "properties/random.h"
#include "properties/relations/relations.h"

namespace foldproof {
namespace {

/// Salts for the turns of a case, in addition to the seed. Frozen: changing a text changes every case.
namespace salt {
constexpr std::string_view distribution = "recipe", transform = "modifier", relation = "law";
}  // namespace salt

bool varies_block(const Domain& domain) {
  const auto& variables = domain.variables();
  if (std::ranges::find(variables, "block", &std::pair<std::string, Range>::first) == variables.end())
    return false;
  const Bounds reach = domain.reach("block");
  return reach.low < reach.high;
}

/// The turn of a case. Without a block to choose, a corner with the smallest one would be like the others.
Turn turn_in(const Domain& domain, std::uint64_t index, std::uint64_t seed) {
  Turn turn = turn_of(index, seed);
  if (turn.block == Turn::Block::drawn || varies_block(domain)) return turn;
  if (turn.block == Turn::Block::smallest) turn.counts = CountClass::large;
  turn.block = Turn::Block::drawn;
  return turn;
}

Schedule schedule_in(Chooser& choose, std::uint64_t index, std::uint64_t seed) {
  using Order = Schedule::Order;
  constexpr Order orders[] = {Order::converging,    Order::converging,     Order::converging,
                              Order::lanes_forward, Order::lanes_backward, Order::warps_backward,
                              Order::random,        Order::random};
  const Order order = orders[in_turn(index, std::size(orders), hash_of("schedule", seed))];
  return {order, order == Order::random ? choose.bits() : 0};
}

std::int64_t offset_in(Chooser& choose, const Variables& variables) {
  const auto claimed = variables.find("offset");
  if (claimed != variables.end()) return claimed->second;
  // An offset of 12 one-byte elements is aligned to 4 bytes, one of 8 to 8 bytes.
  const auto drawn = choose.one_of<std::int64_t>({0, 0, 0, 1, 2, 3, 5});
  if (drawn == 3) return choose.one_of<std::int64_t>({3, 4, 8});
  if (drawn == 5) return choose.one_of<std::int64_t>({4, 5, 12, 13});
  return drawn;
}

/// Whether an output is an extremum or the index of one.
bool gives_extremum(const Instance& instance) {
  const auto is_one = [](const Reduction& reduction) { return is_extremum(underlying(reduction.op)); };
  return is_one(*instance.reduction) ||
         std::ranges::any_of(instance.additional_outputs, is_one, &AdditionalOutput::reduction);
}

/// For an extremum, NaN is drawn only if the contract specifies NaN handling; elements are moved far below
/// zero only for extrema and exponentials; and some distributions serve only one operator, or extrema.
bool is_wanted(const DistributionInfo& distribution, const Instance& instance) {
  if (!suits(distribution, instance.reduction->input)) return false;
  const bool finds_extremum = info(instance.reduction->op).takes("maximum") || gives_extremum(instance);
  if (distribution.name == "far-below" && !finds_extremum) return false;
  if (distribution.name == "threshold" && instance.reduction->op != Operator::top_p) return false;
  if (distribution.name == "zero-sum" && instance.reduction->op != Operator::any) return false;
  if (distribution.name == "neighbours" && !gives_extremum(instance)) return false;
  // They need several elements per thread, and are added to such cases.
  if (distribution.name == "nan-between" || distribution.name == "nan-ahead" ||
      distribution.name == "zeros-between" || distribution.name == "minus-inf-ahead")
    return false;
  const bool plants_nan = distribution.name == "nans" || distribution.name == "nan";
  return !plants_nan || !gives_extremum(instance) || instance.claims.nan != NanPolicy::unspecified;
}

/// Which distributions show most with counts of a class.
std::vector<std::pair<CountClass, std::vector<std::string_view>>> preferred_inputs(const Instance& instance) {
  const Reduction& reduction = *instance.reduction;
  const auto gives = info(reduction.op).gives;
  const bool is_of_floats = is_float(reduction.accumulator),
             is_extreme = is_extremum(underlying(reduction.op));
  const bool has_rows = needs_columns(reduction.result) && !reduces_columns(instance);
  std::vector<std::pair<CountClass, std::vector<std::string_view>>> preferred;
  // A lost element shows only if nothing is rounded or cancels, and most elements can be lost in a corner.
  // Integers of one sign overflow an accumulator that is too narrow if there are many of them. A sum that is
  // not compensated, although the contract claims it, loses most if most elements are absorbed.
  if (gives == OperatorInfo::Gives::counts)
    preferred.push_back({CountClass::corner, {"equal"}});
  else if (reduction.sum != SumMethod::plain)
    preferred.push_back({CountClass::corner, {"stagnation", "integers"}});
  else if (is_of_floats)
    preferred.push_back({CountClass::corner, {is_extreme ? "one-hot" : "integers", "equal"}});
  else if (has_rows)
    preferred.push_back({CountClass::large, {"negative"}});
  else
    preferred.push_back({CountClass::corner, {"negative", "extremes"}});
  // The order of the blocks shows only if there are several and their totals are rounded; that a thread keeps
  // only its last element, if it reads several.
  const bool is_index = gives == OperatorInfo::Gives::index || gives == OperatorInfo::Gives::ranked;
  preferred.push_back({CountClass::medium,
                       {needs_every_element(reduction.op) ? "one-hot" : "neighbours",
                        is_index ? "zeros" : "zero-sum", "cancelling", "ill-conditioned", "uniform"}});
  // The sum of several is seldom subnormal.
  if (folds(reduction.op) || adds_pairs(reduction.op)) preferred.push_back({CountClass::one, {"subnormals"}});
  return preferred;
}

/// The transforms by which some cases must separate the elements of a thread: a running extremum may lose
/// what precedes a NaN or a zero, and a loop may end there.
std::vector<std::string_view> separators_of(const Instance& instance) {
  const Element input = instance.reduction->input;
  if (!is_float(input)) return {};
  const NanPolicy nan = instance.claims.nan;
  const bool is_extreme = gives_extremum(instance);
  const bool skips_nan = nan == NanPolicy::ignore || (is_extreme && nan == NanPolicy::propagate);
  std::vector<std::string_view> all;
  if (skips_nan && float_format(input).has_nan) all = {"nan-between", "nan-ahead"};
  if (is_extreme) all.emplace_back("zeros-between");
  // A mask: for a running maximum of -inf, the distance of another -inf is NaN.
  if (instance.claims.masked != Masked::unspecified && float_format(input).has_infinity)
    all.emplace_back("minus-inf-ahead");
  return all;
}

/// With elements of about 2^k, the variance is about epsilon; or the norm is, for L2 normalization.
std::int64_t exponent_near_epsilon(const Reduction& reduction) {
  const int exponent = std::ilogb(reduction.epsilon);
  return reduction.op == Operator::l2_normalize ? exponent - 2 : exponent / 2;
}

/// In half of the cases: an element at the edge of the condition that elements must satisfy to count.
void plant_threshold(Case& c, const Instance& instance, Chooser& choose) {
  const std::int64_t count = value_of(c.variables, "count").value_or(0);
  if (!instance.reduction || !instance.reduction->where || count == 0 || choose.between(0, 1) == 0) return;
  const std::vector<std::uint64_t> thresholds = instance.reduction->where->thresholds();
  if (thresholds.empty()) return;
  const std::uint64_t bits =
      thresholds[static_cast<std::size_t>(choose.between(0, std::ssize(thresholds) - 1))];
  c.input.planted = {{static_cast<std::uint64_t>(choose.between(0, count - 1)),
                      planted_text(instance.reduction->input, bits)}};
  if (!permits_planted(instance, c)) c.input.planted.clear();
}

}  // namespace

std::string identity_of(const Contract& contract, const Instance& instance) {
  return (contract.id.empty() ? contract.source.stem().string() : contract.id) + "|" + instance.label;
}

CaseGenerator::CaseGenerator(const Instance& instance, const Domain& domain, const std::string& identity,
                             std::uint64_t seed, bool obeys_schedules)
    : instance_(instance),
      domain_(domain),
      seed_(hash_of(identity, seed)),
      obeys_schedules_(obeys_schedules) {
  if (!instance.reduction) return;
  for (const DistributionInfo& distribution : foldproof::distributions())
    if (is_wanted(distribution, instance)) distributions_.emplace_back(distribution.name);
  for (const DistributionInfo& transform : foldproof::transforms())
    if (is_wanted(transform, instance)) transforms_.emplace_back(transform.name);
  relations_ = relations_of(instance);
  // Those of an audit in turn, so that it has each of them.
  constexpr std::uint64_t usual_cases = 40;
  const std::vector<std::string_view> separators = separators_of(instance);
  for (std::uint64_t index = 0, next = 0; !separators.empty() && index < usual_cases; ++index)
    separators_.emplace_back(may_separate(drawn(index)) ? separators[next++ % separators.size()] : "");
}

CaseGenerator::Ingredients CaseGenerator::ingredients(std::uint64_t index) const {
  const std::size_t classes = distributions_.size();
  if (classes == 0) return {"equal", ""};
  const std::uint64_t rank = rank_of(index, seed_), round = rank / classes, own = rank % classes;
  const auto counts_at = [&](std::uint64_t at) {
    return turn_in(domain_, index_of_rank(at, seed_), seed_).counts;
  };
  auto inputs = permutation(classes, mixed(hash_of(salt::distribution, seed_) + round));
  auto changes = permutation(classes, mixed(hash_of(salt::transform, seed_) + round));
  // Gives the distributions, one each, to the first cases of the round with such counts.
  const auto give = [&](CountClass counts, const std::vector<std::string_view>& names) {
    std::size_t place = 0;
    for (const std::string_view name : names) {
      const auto known = std::ranges::find(distributions_, name);
      if (known == distributions_.end()) continue;
      const auto wanted = static_cast<std::size_t>(known - distributions_.begin());
      while (place < classes && counts_at(round * classes + place) != counts) ++place;
      if (place == classes) return;
      std::swap(inputs[place++], *std::ranges::find(inputs, wanted));
    }
  };
  for (const auto& [counts, names] : preferred_inputs(instance_)) give(counts, names);
  const auto is_plain = [&](std::size_t at) { return changes[at] >= transforms_.size(); };
  const auto stays = [&](std::size_t at) { return stays_as_made(distributions_[inputs[at]]); };
  for (std::size_t at = 0, free = 0; at < classes; ++at) {
    if (!stays(at) || is_plain(at)) continue;
    while (free < classes && (stays(free) || !is_plain(free))) ++free;
    if (free == classes) break;
    std::swap(changes[at], changes[free]);
  }
  return {distributions_[inputs[own]], changes[own] < transforms_.size() ? transforms_[changes[own]] : ""};
}

std::string CaseGenerator::relation(std::uint64_t index) const {
  if (relations_.empty()) return "";
  // Two of every eight cases: one that ends near the edge of a tile, and a small one.
  const CountClass counts = turn_in(domain_, index, seed_).counts;
  if (counts != CountClass::tile_edge && counts != CountClass::small) return "";
  return relations_[in_turn(2 * (index / count_classes) + (counts == CountClass::small ? 1 : 0),
                            relations_.size(), hash_of(salt::relation, seed_))];
}

Case CaseGenerator::drawn(std::uint64_t index) const {
  Chooser choose(mixed(seed_ ^ mixed(index + 1)));
  const Turn turn = turn_in(domain_, index, seed_);

  Case c;
  const ValueTurns turns(index, seed_);
  c.variables = chosen_variables(choose, domain_, reduces_columns(instance_), turn, turns);
  const Ingredients made_of = ingredients(index);
  c.input.distribution.name = made_of.distribution;
  c.input.seed = choose.bits();
  c.order = order_for(schedule_in(choose, index, seed_));
  if (is_host_function(instance_)) c.order = usual(c.order);
  if (!suits_slow_schedules(c.variables)) c.order = usual(c.order);
  c.offset = static_cast<std::uint64_t>(std::max<std::int64_t>(0, offset_in(choose, c.variables)));
  c.calls = choose.between(0, 3) == 0 && turn.counts != CountClass::corner ? 2 : 1;
  c.relation = relation(index);
  if (!made_of.transform.empty())
    c.input.transforms = {with_argument(choose, made_of.transform, *instance_.reduction)};
  // Whether a maximum is right shows in exponentials only if it is far above the rest. If the contract claims
  // a result for masked rows, some rows must be masked, and some must only begin like that: a running maximum
  // is -inf then, and -inf minus -inf is NaN.
  const bool is_long = turn.counts == CountClass::medium || turn.counts == CountClass::tile_edge ||
                       turn.counts == CountClass::corner;
  if (wants("peaks") && is_long) c.input.transforms.push_back({"peaks"});
  // A maximum that starts at 0, or takes 0 for what missing warps hold, shows if all elements are far below.
  const bool may_move = !gives_extremum(instance_) || !stays_as_made(made_of.distribution);
  const CountClass far_counts = gives_extremum(instance_) ? CountClass::power_edge : CountClass::warp_edge;
  if (wants("far-below") && may_move && turn.counts == far_counts)
    c.input.transforms.push_back({"far-below"});
  // A variance from the sums of x and x^2 is as good as one from the deviations unless the mean is far
  // larger.
  if (wants("shift") && turn.counts == CountClass::warp_edge && !stays_as_made(made_of.distribution))
    c.input.transforms.push_back({"shift", float_format(instance_.reduction->input).precision / 2});
  // Which epsilon is added, or compared with, shows only if it is about as large as what it is added to.
  const bool has_edge = turn.counts == CountClass::tile_edge || turn.counts == CountClass::power_edge;
  if (wants("scale") && has_edge && !stays_as_made(made_of.distribution))
    c.input.transforms.push_back({"scale", exponent_near_epsilon(*instance_.reduction)});
  if (wants("minus-inf") && turn.counts == CountClass::small)
    c.input.transforms.push_back({"minus-inf", PlantedAt::row});
  if (wants("minus-inf") && turn.counts == CountClass::power_edge)
    c.input.transforms.push_back({"minus-inf", PlantedAt::first});
  // A comparison with a NaN is false, so that a kernel which begins with one may keep it.
  if (wants("nan") && !stays_as_made(made_of.distribution)) {
    if (turn.counts == CountClass::small) c.input.transforms.push_back({"nan", PlantedAt::first});
    if (turn.counts == CountClass::warp_edge) c.input.transforms.push_back({"nan", PlantedAt::last});
  }
  plant_threshold(c, instance_, choose);
  return c;
}

// What was planted, such as an infinity in place of every element, remains.
bool CaseGenerator::may_separate(const Case& c) const {
  constexpr std::int64_t elements_per_thread = 3;
  const std::int64_t threads = value_of(c.variables, "grid").value_or(1) * tile_of(c.variables);
  const auto is_planted = [](const InputStep& step) {
    return std::holds_alternative<PlantedAt>(step.argument);
  };
  return value_of(c.variables, "count").value_or(0) >= elements_per_thread * threads &&
         !stays_as_made(c.input.distribution.name) && std::ranges::none_of(c.input.transforms, is_planted);
}

Case CaseGenerator::generate(std::uint64_t index) const {
  Case c = drawn(index);
  std::string_view separator;
  if (index < separators_.size())
    separator = separators_[index];
  else if (const auto all = instance_.reduction ? separators_of(instance_) : std::vector<std::string_view>{};
           !all.empty() && may_separate(c))
    separator = all[index % all.size()];
  if (!separator.empty()) c.input.transforms.push_back({std::string(separator)});
  return c;
}

bool CaseGenerator::stays_as_made(std::string_view distribution) const {
  constexpr std::string_view names[] = {"integers",   "threshold",  "zero-sum",   "zeros",
                                        "subnormals", "neighbours", "infinities", "nans"};
  if (std::ranges::find(names, distribution) != std::end(names)) return true;
  // With an element on the other side of zero, an extremum that starts at 0 is right, and an integer
  // accumulator that is too narrow does not overflow.
  return (distribution == "negative" || distribution == "positive") &&
         (gives_extremum(instance_) || !is_float(instance_.reduction->input));
}

bool CaseGenerator::wants(std::string_view transform) const {
  if (std::ranges::find(transforms_, transform) == transforms_.end()) return false;
  if (transform == "minus-inf") return instance_.claims.masked != Masked::unspecified;
  if (transform == "nan") return gives_extremum(instance_) && instance_.claims.nan != NanPolicy::unspecified;
  if (transform == "shift") return is_about_deviation(instance_.reduction->op);
  if (transform == "scale") return instance_.reduction->epsilon > 0;
  return info(instance_.reduction->op).takes("maximum") ||
         (transform == "far-below" && gives_extremum(instance_));
}

}  // namespace foldproof
