// Operands of expressions of a host function: literals, names, casts, members.
#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "contracts/guessing/guesses.h"
#include "contracts/guessing/host_run.h"

namespace foldproof {
namespace {

bool is_simple_type(const HostType& type) {
  return type.kind != HostType::Kind::any && type.kind != HostType::Kind::other;
}

}  // namespace

/// Unknown unless all of the part is one expression.
HostValue HostRun::value_of(TokenRange range) {
  if (has_failed_) return {};
  const Reading reading(*this, range, at_);
  HostValue value = expression();
  if (at_ == range.end) return value;
  misunderstand(range);
  return {};
}

HostValue HostRun::expression() {
  HostValue value = assignment();
  while (token() == ",") {
    ++at_;
    value = assignment();
  }
  return value;
}

HostValue HostRun::primary() {
  const std::string_view first = token();
  if (first.empty()) return {};
  if (first == "(") return bracketed();
  if (first == "{") return list();
  if (first == "[") return lambda();
  if (is_digit(first.front()) || (first == "." && is_digit(token(1).empty() ? ' ' : token(1).front())))
    return number();
  for (; !token().empty() && token().front() == '"'; ++at_) step();
  if (first.front() == '"') return {};
  if (first.front() == '\'') return ++at_, HostValue{};
  if (first == ":" && token(1) == ":") at_ += 2;
  return is_name(token()) ? word() : HostValue{};
}

/// A cast, or an expression in parentheses.
HostValue HostRun::bracketed() {
  const TokenRange inner{at_ + 1, text_.closing(at_)};
  const auto end = end_of_type(inner.begin);
  const HostType type = end == inner.end ? type_of(inner) : HostType{};
  at_ = inner.end + 1;
  const bool has_operand = is_name(token()) || (!token().empty() && is_digit(token().front()));
  const bool is_type_only = end == inner.end && (type.kind != HostType::Kind::any || has_operand);
  if (is_type_only) return converted(unary(), type);
  return value_of(inner);
}

bool HostRun::read_items(const std::function<void()>& item) {
  const TokenRange inner{at_ + 1, text_.closing(at_)};
  const Reading reading(*this, {inner.begin, std::min(inner.end, end_)}, inner.end + 1);
  const bool keeps = keeps_addresses_;
  while (at_ < inner.end && !has_failed_) {
    item();
    if (token() != ",") break;
    ++at_;
  }
  const bool is_understood = at_ == inner.end;
  if (!is_understood) misunderstand(inner);
  keeps_addresses_ = keeps;
  return is_understood;
}

/// The items between brackets. Unknown if they are not a list.
HostValue HostRun::list() {
  auto items = std::make_shared<std::vector<HostValue>>();
  const bool is_list = read_items([&] {
    keeps_addresses_ = true;
    items->push_back(assignment());
  });
  return is_list ? HostValue{HostList(std::move(items))} : HostValue{};
}

HostValue HostRun::lambda() {
  const HostLambda lambda{at_, base_, names_.size(), names_.empty() ? 0 : names_.back().variable};
  at_ = text_.closing(at_) + 1;
  if (token() == "(") at_ = text_.closing(at_) + 1;
  while (at_ < end_ && token() != "{" && token() != ";") ++at_;
  if (token() == "{") at_ = text_.closing(at_) + 1;
  return {lambda};
}

HostValue HostRun::number() {
  const auto follows = [&](std::size_t offset) {
    const std::string_view next = token(offset), last = token(offset - 1);
    return !next.empty() && last.data() + last.size() == next.data();
  };
  std::size_t parts = 1;
  while (follows(parts)) {
    const std::string_view last = token(parts - 1), next = token(parts);
    const bool is_exponent = (next == "-" || next == "+") && (last.back() == 'e' || last.back() == 'E') &&
                             !token().starts_with("0x");
    if (next != "." && last != "." && !is_exponent && !is_any_of(last, {"-", "+"})) break;
    if (last == "." && !is_word(next.front())) break;
    ++parts;
  }
  const std::string_view last = token(parts - 1);
  const std::string_view spelled(token().data(),
                                 static_cast<std::size_t>(last.data() + last.size() - token().data()));
  at_ += parts;
  return number_literal(spelled);
}

HostValue HostRun::word() {
  const std::string_view first = token();
  if (is_any_of(first, {"true", "false"})) return ++at_, HostValue::integer(first == "true" ? 1 : 0);
  if (is_any_of(first, {"sizeof", "alignof", "new", "delete", "throw", "nullptr", "this"}) ||
      first.ends_with("_cast"))
    return keyword(first);
  const auto end = end_of_type(at_);
  const HostType type = end ? type_of({at_, *end}) : HostType{};
  const bool is_made = end && is_simple_type(type) && is_any_of(text_.token(*end), {"(", "{"}) && *end < end_;
  if (!is_made) return named();
  at_ = *end;
  const HostValue items = list();
  const auto* values = std::get_if<HostList>(&items.is);
  if (values == nullptr || (*values)->empty()) return {};
  return converted(initialized(type, **values), type);
}

HostValue HostRun::keyword(std::string_view word) {
  ++at_;
  if (word == "sizeof") {
    const std::size_t close = text_.closing(at_);
    const std::uint64_t bytes = token() == "(" && close == at_ + 2 ? bytes_of_type(token(1)) : 0;
    if (token() == "(")
      at_ = close + 1;
    else
      unary();
    return bytes == 0 ? HostValue{} : HostValue::integer(static_cast<std::int64_t>(bytes));
  }
  if (word.ends_with("_cast")) {
    const std::size_t end = text_.end_of_template_arguments(at_);
    const HostType type = type_of({at_ + 1, end - 1});
    at_ = end;
    const HostValue value = token() == "(" ? bracketed() : HostValue{};
    return converted(value, type);
  }
  if (word == "this" && are("-", ">") && is_name(token(2))) {
    at_ += 2;
    return named();
  }
  if (word == "throw" || word == "new" || word == "delete" || word == "alignof") at_ = end_of_simple(at_);
  if (word == "throw") has_exited_ |= is_live_;
  has_failed_ |= word == "throw" && is_live_ && tries_ > 0;  // A handler may go on.
  return {};
}

/// A variable, a call or a launch.
HostValue HostRun::named() {
  std::size_t name = at_;
  bool is_qualified = false, is_of_template = false;
  while (true) {
    ++at_;
    if (token() == "<" && !text_.are(at_, "<")) {
      const std::size_t end = text_.end_of_template_arguments(at_);
      const bool is_list = end > at_ && (is_any_of(text_.token(end), {"(", "{"}) || text_.are(end, "<") ||
                                         text_.token(end) == ":");
      if (find(text_.token(name))) break;  // a comparison
      is_of_template |= is_list && text_.token(end) == ":";
      if (is_list) at_ = end;
    }
    if (token() != ":" || token(1) != ":" || !is_name(token(2))) break;
    at_ += 2;
    name = at_;
    is_qualified = true;
  }
  if (text_.are(at_, "<"))
    if (const auto found = text_.launch_at(at_)) return launch(name, *found), HostValue{};
  if (token() == "(" && !is_of_template) return call(text_.token(name), name, is_qualified);
  if (is_of_template && token() == "(") at_ = text_.closing(at_) + 1;
  if (is_of_template) return {};
  const Variable& read = variables_[variable_at(name)];
  if (is_qualified && read.value.sampled) return {};
  if (read.type.kind != HostType::Kind::any && read.value.is_number()) ++numbers_read_;
  return read.value;
}

/// What follows a value: members, items, calls, "++" and "--".
HostValue HostRun::postfix(HostValue value, std::size_t begin) {
  while (!has_failed_) {
    step();
    const bool is_step = is_any_of(token(), {"+", "-"}) && token(1) == token();
    const auto variable =
        is_step && at_ == begin + 1 && is_name(text_.token(begin)) ? find(text_.token(begin)) : std::nullopt;
    if (variable) {
      const std::string_view sign = token();
      at_ += 2;
      value = stepped(*variable, sign, false);
    } else if (is_any_of(token(), {".", "["}) || are("-", ">")) {
      value = member(value, begin);
    } else if (token() == "(") {
      const auto* called = std::get_if<HostLambda>(&value.is);
      const std::vector<Argument> passed = arguments(false);
      value = called != nullptr ? call_lambda(HostLambda(*called), passed, true) : HostValue{};
    } else {
      return value;
    }
  }
  return {};
}

/// A member or an item. If no number of the function decides which, its value is a sample.
HostValue HostRun::member(const HostValue& value, std::size_t begin) {
  const std::size_t numbers = numbers_read_;
  if (token() == "[") {
    const TokenRange inner{at_ + 1, text_.closing(at_)};
    at_ = inner.end + 1;
    const auto index = value_of(inner).integer();
    if (const auto* items = std::get_if<HostList>(&value.is)) {
      const bool is_in = index && *index >= 0 && *index < static_cast<std::int64_t>((*items)->size());
      return is_in ? (**items)[static_cast<std::size_t>(*index)] : HostValue{};
    }
  } else {
    at_ += token() == "." ? 1 : 2;
    const auto axis = axis_of(token());
    if (std::holds_alternative<HostExtents>(value.is) && axis) {
      ++at_;
      const auto extent = value.extents().at(*axis);
      return extent ? HostValue::integer(*extent) : HostValue{};
    }
    const std::string_view name = token();
    ++at_;
    if (token() == "<") at_ = text_.end_of_template_arguments(at_);
    if (token() == "(") arguments(false);
    if (const auto* items = std::get_if<HostList>(&value.is)) {
      if (name == "size") return HostValue::integer(static_cast<std::int64_t>((*items)->size()));
      if (const auto list = find(text_.token(begin))) variables_[*list].value = {};  // it may have others
      return {};
    }
  }
  if (numbers_read_ != numbers || at_ > end_ || !value.is_known()) return {};
  std::string key;
  for (std::size_t i = begin; i < at_; ++i) key += text_.token(i);
  step(at_ - begin);
  return sample(key);
}

}  // namespace foldproof
