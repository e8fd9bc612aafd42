// Operators of expressions of a host function, and assignments.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "contracts/guessing/host_run.h"

namespace foldproof {

HostValue HostRun::assignment() {
  if (const auto target = target_here()) {
    at_ = target->end;
    HostValue value = assignment();
    if (!target->operation.empty()) {
      const HostValue& old = variables_[target->variable].value;
      const auto extent = target->axis ? old.extents().at(*target->axis) : std::nullopt;
      const HostValue component = extent ? HostValue::integer(*extent) : HostValue{};
      value = operated(target->operation, target->axis ? component : old, value);
    }
    assign(*target, value);
    return value;
  }
  const std::size_t begin = at_;
  HostValue value = conditional();
  const bool is_assigned =
      token() == "=" || (token(1) == "=" && !token().empty() &&
                         std::string_view("+-*/%&|^").find(token()) != std::string_view::npos);
  if (!is_assigned) return value;
  at_ += token() == "=" ? 1 : 2;
  const std::size_t end = at_;
  value = assignment();
  forget_assigned({begin, end});  // an item or a member
  return {};
}

/// The variable, or the extent of a dim3, that the assignment that begins here changes.
std::optional<HostRun::Target> HostRun::target_here() {
  if (!is_name(token())) return std::nullopt;
  Target target;
  std::size_t at = 1;
  if (token(1) == "." && is_name(token(2))) {
    target.axis = axis_of(token(2));
    if (!target.axis) return std::nullopt;
    at = 3;
  }
  if (is_any_of(token(at), {"+", "-", "*", "/", "%", "&", "|", "^"}) && token(at + 1) == "=")
    target.operation = token(at++);
  else if (is_any_of(token(at), {"<", ">"}) && token(at + 1) == token(at) && token(at + 2) == "=")
    target.operation = token(at) == "<" ? "<<" : ">>", at += 2;
  if (token(at) != "=" || (target.operation.empty() && token(at + 1) == "=")) return std::nullopt;
  target.variable = variable_at(at_);
  target.end = at_ + at + 1;
  return target;
}

void HostRun::assign(const Target& target, const HostValue& value) {
  if (!is_live_) return;
  Variable& variable = variables_[target.variable];
  if (!target.axis) {
    variable.value = converted(value, variable.type);
    return;
  }
  HostExtents extents = variable.value.extents();
  extents.at(*target.axis) = value.integer();
  variable.value = {extents};
}

HostValue HostRun::conditional() {
  const HostValue condition = binary(1);
  if (token() != "?") return condition;
  const auto holds = truth_of(condition);
  const bool was_live = is_live_, had_exited = has_exited_;
  const auto branch = [&](bool is_chosen) {
    ++at_;
    is_live_ = was_live && is_chosen;
    has_exited_ = false;
    return is_chosen ? assignment() : (assignment(), HostValue{});
  };
  const HostValue first = branch(holds.value_or(true));
  const bool first_exits = has_exited_;
  HostValue second;
  if (token() == ":") second = branch(!holds.value_or(false));
  const bool second_exits = has_exited_;
  is_live_ = was_live;
  has_exited_ = had_exited || (holds ? first_exits || second_exits : first_exits && second_exits);
  if (holds) return *holds ? first : second;
  return common_value(first, second);
}

std::optional<HostRun::Operator> HostRun::operator_here() const {
  static constexpr Operator operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
                                           {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
                                           {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
  const auto is_here = [&](const Operator& o) {
    for (std::size_t i = 0; i < o.spelled.size(); ++i)
      if (token(i) != o.spelled.substr(i, 1)) return false;
    return true;
  };
  const auto* const found = std::ranges::find_if(operators, is_here);
  if (found == std::end(operators)) return std::nullopt;
  const bool compares = is_any_of(found->spelled, {"==", "!=", "<=", ">="});
  if (!compares && token(found->spelled.size()) == "=") return std::nullopt;  // a compound assignment
  return *found;
}

HostValue HostRun::binary(int least) {
  HostValue left = unary();
  for (auto here = operator_here(); here && here->precedence >= least && !has_failed_;
       here = operator_here()) {
    at_ += here->spelled.size();
    if (is_any_of(here->spelled, {"&&", "||"})) {
      left = logical(left, here->spelled == "||");
      continue;
    }
    const std::size_t begin = at_;
    const HostValue right = binary(here->precedence + 1);
    // "std::cin >> n"
    const bool is_read = here->spelled == ">>" && !left.is_number() && at_ == begin + 1;
    if (const auto read = is_read && is_live_ ? find(text_.token(begin)) : std::nullopt)
      variables_[*read].value = converted(sample("#" + std::to_string(begin)), variables_[*read].type);
    left = operated(here->spelled, left, right);
  }
  return left;
}

/// Three-valued: "unknown || true" is true.
HostValue HostRun::logical(const HostValue& left, bool is_or) {
  const auto known = truth_of(left);
  const bool is_decided = known == is_or, was_live = is_live_, had_exited = has_exited_;
  is_live_ = was_live && !is_decided;
  const auto other = truth_of(binary(is_or ? 2 : 3));
  is_live_ = was_live;
  if (!known) has_exited_ = had_exited;
  if (is_decided || other == is_or) return HostValue::integer(is_or ? 1 : 0);
  return known && other ? HostValue::integer(is_or ? 0 : 1) : HostValue{};
}

/// What a sample is compared with, or divided by, shall be its value in some rounds.
HostValue HostRun::operated(std::string_view operation, const HostValue& left, const HostValue& right) {
  const auto other = left.sampled ? right.integer() : left.integer();
  const auto sampled = left.sampled ? left.sampled : right.sampled;
  constexpr std::int64_t largest = 1 << 24;
  if (sampled && other && *other >= 0 && *other <= largest) {
    if (is_any_of(operation, {"==", "!="})) samples_.want(*sampled, *other);
    if (is_any_of(operation, {"<", ">", "<=", ">="}))
      for (const std::int64_t near : {*other, *other + 1, *other - 1}) samples_.want(*sampled, near);
    if (operation == "%")
      for (const std::int64_t times : {1, 3, 10, 1001}) samples_.want(*sampled, *other * times);
  }
  return computed(operation, left, right);
}

HostValue HostRun::unary() {
  step();
  has_failed_ |= depth_ >= deepest;
  if (has_failed_) return {};
  ++depth_;
  const std::string_view sign = token();
  HostValue value;
  if (is_any_of(sign, {"+", "-"}) && token(1) == sign && is_name(token(2))) {
    at_ += 2;
    const std::size_t variable = variable_at(at_++);
    value = stepped(variable, sign, true);
  } else if (is_any_of(sign, {"+", "-", "!", "~", "*"})) {
    ++at_;
    const HostValue operand = unary();
    if (sign == "+") value = operand;
    if (sign == "-") value = computed("-", HostValue::integer(0), operand);
    if (sign == "~") value = computed("^", HostValue::integer(-1), operand);
    if (const auto truth = sign == "!" ? truth_of(operand) : std::nullopt)
      value = HostValue::integer(*truth ? 0 : 1);
  } else if (sign == "&") {
    value = address();
  } else {
    const std::size_t begin = at_;
    value = primary();
    value = postfix(std::move(value), begin);
  }
  --depth_;
  return value;
}

/// A function that receives the address of a variable may change it.
HostValue HostRun::address() {
  ++at_;
  const std::size_t begin = at_;
  unary();
  const auto variable = at_ == begin + 1 ? find(text_.token(begin)) : std::nullopt;
  if (!variable || !is_live_ || keeps_addresses_) return {};
  Variable& changed = variables_[*variable];
  const bool is_integer = changed.type.kind == HostType::Kind::integer;
  changed.value = is_integer ? sample("#" + std::to_string(begin)) : HostValue{};
  return {};
}

HostValue HostRun::stepped(std::size_t variable, std::string_view operation, bool is_prefix) {
  Variable& changed = variables_[variable];
  const HostValue before{changed.value.is};
  const HostValue after = converted(computed(operation, before, HostValue::integer(1)), changed.type);
  if (is_live_) changed.value = after;
  return is_prefix ? after : before;
}

}  // namespace foldproof
