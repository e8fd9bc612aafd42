#include "properties/execution/uses.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "oracles/rounding_path.h"
#include "oracles/uses.h"
#include "properties/execution/losing_launch.h"

namespace foldproof {
namespace {

/// More results that are all the whole reduction need not be looked at.
constexpr std::size_t most_results = 32;

/// Elements of which the same is wrong.
class Elements {
 public:
  void add(std::size_t index) {
    if (count_++ == 0) first_ = index;
    last_ = index;
  }
  bool any() const { return count_ != 0; }
  std::size_t first() const { return first_; }
  /// "element 3 is", "the elements 3 and 7 are", "9 elements, from 3 to 40, are".
  std::string are() const {
    if (count_ == 1) return fmt::format("element {} is", first_);
    if (count_ == 2) return fmt::format("the elements {} and {} are", first_, last_);
    return fmt::format("{} elements, from {} to {}, are", count_, first_, last_);
  }

 private:
  std::size_t count_ = 0, first_ = 0, last_ = 0;
};

}  // namespace

void follow(const Instance& instance, PreparedJob& prepared) {
  const Reduction& reduction = *instance.reduction;
  JobFollow follow{prepared.input,       prepared.output, reduction.input, reduction.output, 0,
                   prepared.output_count};
  follow.input_count = prepared.job.buffers[prepared.input].initial.size() / size_of(reduction.input);
  prepared.job.follow = follow;
}

std::vector<WrongUse> wrong_uses(const Instance& instance, const Followed& followed) {
  const Operator op = instance.reduction->op;
  const std::span<const NodeId> all = followed.results;
  const bool counts_twice = !is_extremum(op) || instance.claims.uses_every_input_once.value_or(false);
  const bool together = instance.reduction->result == ResultShape::partials;
  const std::size_t inputs = followed.expressions.inputs();
  std::vector<WrongUse> wrong;
  const bool certain = followed.expressions.decisions().empty();
  const std::size_t rounds = together ? 1 : std::min(all.size(), most_results);
  for (std::size_t i = 0; i < rounds && wrong.empty(); ++i) {
    const std::vector<Use> uses = uses_of(followed.expressions, together ? all : all.subspan(i, 1), op);
    Elements unused, repeated;
    for (std::size_t k = 0; k < uses.size(); ++k) {
      if (!uses[k].counts) unused.add(k);
      if (counts_twice && !uses[k].decides && uses[k].times && std::fabs(*uses[k].times) > 1.5)
        repeated.add(k);
    }
    const std::string result = all.size() > 1 && !together ? fmt::format("result {}", i) : "the result";
    if (unused.any())
      wrong.push_back({Kind::input_not_used,
                       fmt::format("of {} elements, {} not part of {}", inputs, unused.are(), result),
                       certain, losing_launch(instance, followed, unused.first())});
    if (repeated.any())
      wrong.push_back({Kind::input_used_twice, fmt::format("of {} elements, {} part of {} more than once",
                                                           inputs, repeated.are(), result)});
  }
  return wrong;
}

std::optional<std::string> wrong_height(const Instance& instance, const Variables& variables,
                                        const Followed& followed) {
  if (!instance.claims.height) return std::nullopt;
  const std::int64_t claimed = instance.claims.height->evaluate(variables);
  const Operator op = instance.reduction->op;
  const std::vector<std::uint64_t> heights = combinations(followed.expressions, followed.results, op);
  for (std::size_t k = 0; k < heights.size(); ++k)
    if (static_cast<std::int64_t>(heights[k]) > claimed)
      return fmt::format(
          "the contract claims that an element goes through {} {} at most (\"{}\"), and element "
          "{} goes through {}",
          claimed, combinations_of(op), instance.claims.height->text(), k, heights[k]);
  return std::nullopt;
}

}  // namespace foldproof
