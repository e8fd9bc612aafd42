// Statements and declarations of a host function.
#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "contracts/guessing/host_run.h"

namespace foldproof {

bool HostRun::run(const HostFunction& function) {
  root_ = function.body;
  end_ = text_.size();
  bind(function.parameters, {}, false);
  statements(function.body);
  return !has_failed_;
}

void HostRun::step(std::size_t tokens) {
  constexpr std::size_t most = 40'000;
  steps_ += tokens;
  has_failed_ |= steps_ > most;
}

HostRun::Flow HostRun::statements(TokenRange range) {
  const std::size_t names = names_.size();
  at_ = range.begin;
  Flow flow = Flow::next;
  while (at_ < range.end && flow == Flow::next && !has_failed_) flow = statement();
  names_.resize(names);
  return flow;
}

HostRun::Flow HostRun::statement_at(std::size_t at) {
  at_ = at;
  return statement();
}

HostRun::Flow HostRun::statement() {
  step();
  has_failed_ |= depth_ >= deepest;
  if (has_failed_) return Flow::exits;
  ++depth_;
  while (token() == "[" && token(1) == "[") at_ = text_.closing(at_) + 1;  // attributes
  const std::string_view word = token();
  const std::size_t begin = at_;
  Flow flow = Flow::next;
  if (word == "{")
    flow = block();
  else if (word == "if")
    flow = branch();
  else if (is_any_of(word, {"for", "while", "do"}))
    flow = loop();
  else if (word == "switch")
    flow = choice();
  else if (word == "return")
    flow = result();
  else if (word == "try")
    ++at_, ++tries_, flow = statement(), --tries_;
  else if (is_any_of(word,
                     {"using", "typedef", "static_assert", "struct", "class", "template", "catch", "enum"}))
    skip_statement();
  else if (word == "goto")
    flow = jump();
  else if (is_any_of(word, {"break", "continue"}))
    at_ += 2, flow = word == "break" ? Flow::breaks : Flow::continues;
  else if (is_any_of(word, {"case", "default"}) || (is_name(word) && token(1) == ":" && token(2) != ":"))
    at_ = end_of_label(at_) + 1;
  else if (!is_any_of(word, {";", ":", "}", ")", "]"}))
    flow = simple();
  if (at_ == begin) ++at_;
  --depth_;
  return flow;
}

/// To the end of the function. A label before a launch is not supported.
HostRun::Flow HostRun::jump() {
  constexpr std::size_t per_step = 8;
  const auto is_label = [&](std::size_t i) { return i > at_ + 1 && text_.token(i + 1) == ":"; };
  const std::vector<std::size_t>& places = text_.places_of(token(1));
  const auto label = std::ranges::find_if(places, is_label);
  std::size_t end = label == places.end() ? at_ : *label;
  step((root_.end - std::min(end, root_.end)) / per_step);
  while (end < root_.end && !text_.are(end, "<")) ++end;
  has_failed_ |= label == places.end() || end < root_.end;
  return Flow::exits;
}

HostRun::Flow HostRun::block() {
  const std::size_t close = text_.closing(at_);
  const Flow flow = statements({at_ + 1, close});
  at_ = close + 1;
  return flow;
}

HostRun::Flow HostRun::simple() {
  const TokenRange range{at_, end_of_simple(at_)};
  const Reading reading(*this, range, range.end + (text_.token(range.end) == ";" ? 1 : 0));
  if (is_declaration(at_))
    declaration();
  else
    expression();
  if (at_ != range.end) misunderstand(range);
  return std::exchange(has_exited_, false) ? Flow::exits : Flow::next;
}

HostRun::Flow HostRun::result() {
  const TokenRange range{at_ + 1, end_of_simple(at_)};
  result_ = range.begin < range.end ? value_of(range) : HostValue{};
  at_ = range.end + 1;
  return std::exchange(has_exited_, false) ? Flow::exits : Flow::returns;
}

/// The index of the semicolon, or of the bracket that ends the scope.
std::size_t HostRun::end_of_simple(std::size_t at) const {
  while (at < end_ && text_.token(at) != ";" && depth_change(text_.token(at)) >= 0) at = text_.after(at);
  return std::min(at, end_);
}

/// The index of the colon.
std::size_t HostRun::end_of_label(std::size_t at) const {
  const auto is_colon = [&](std::size_t i) { return text_.token(i) == ":"; };
  while (at < end_ && text_.token(at) != ";" && (!is_colon(at) || is_colon(at + 1) || is_colon(at - 1))) ++at;
  return at;
}

void HostRun::skip_statement() {
  step();
  has_failed_ |= depth_ >= deepest;
  if (has_failed_) return;
  ++depth_;
  const std::string_view word = token();
  const bool has_head = is_any_of(word, {"if", "for", "while", "switch", "catch"});
  if (word == "{") {
    at_ = text_.closing(at_) + 1;
  } else if (has_head || is_any_of(word, {"do", "try", "else"})) {
    at_ += word == "if" && token(1) == "constexpr" ? 2 : 1;
    if (has_head) at_ = text_.closing(at_) + 1;
    skip_statement();
    if (word == "do") at_ = end_of_simple(at_) + 1;
    if (is_any_of(word, {"if", "try"}) && is_any_of(token(), {"else", "catch"})) skip_statement();
  } else {
    at_ = end_of_simple(at_);
    if (token() == ";") ++at_;
  }
  --depth_;
}

std::optional<bool> HostRun::condition(TokenRange range) {
  std::size_t semicolon = range.begin;
  while (semicolon < range.end && text_.token(semicolon) != ";") semicolon = text_.after(semicolon);
  if (semicolon < range.end) {
    statement_at(range.begin);
    range.begin = semicolon + 1;
  }
  if (!is_declaration(range.begin)) return truth_of(value_of(range));
  const Reading reading(*this, range, range.end);
  const std::size_t variables = variables_.size();
  declaration();
  return variables_.size() > variables ? truth_of(variables_.back().value) : std::nullopt;
}

HostRun::Flow HostRun::branch() {
  const std::size_t names = names_.size();
  at_ += token(1) == "constexpr" ? 2 : 1;
  const std::size_t close = text_.closing(at_);
  const auto holds = condition({at_ + 1, close});
  at_ = close + 1;
  skip_statement();
  const std::size_t other = token() == "else" ? at_ + 1 : 0;
  if (other != 0) skip_statement();
  const std::size_t end = at_;
  const auto first = [&] { return statement_at(close + 1); };
  const auto second = [&] { return other == 0 ? Flow::next : statement_at(other); };
  Flow flow = std::exchange(has_exited_, false) ? Flow::exits : Flow::next;
  if (flow == Flow::next) flow = holds ? (*holds ? first() : second()) : either(first, second);
  names_.resize(names);
  at_ = end;
  return flow;
}

/// Under an unknown condition, a branch that leaves the function is assumed not to be taken.
HostRun::Flow HostRun::either(const std::function<Flow()>& first, const std::function<Flow()>& second) {
  constexpr std::size_t per_step = 8;
  step(variables_.size() / per_step);
  const std::vector<Variable> before = variables_;
  const std::size_t names = names_.size();
  const Flow a = first();
  names_.resize(names);
  const HostValue result = result_;
  const std::vector<Variable> after_a = variables_;
  std::ranges::copy(before, variables_.begin());  // new ones remain
  const Flow b = second();
  names_.resize(names);
  return joined(a, b, after_a, result);
}

HostRun::Flow HostRun::joined(Flow a, Flow b, const std::vector<Variable>& after_a,
                              const HostValue& result_of_a) {
  const auto leaves = [](Flow flow) { return flow == Flow::returns || flow == Flow::exits; };
  if (leaves(a) && leaves(b)) {
    if (a == Flow::returns) result_ = b == Flow::returns ? common_value(result_, result_of_a) : result_of_a;
    return a == Flow::returns || b == Flow::returns ? Flow::returns : Flow::exits;
  }
  if (leaves(a) || leaves(b)) {
    may_have_returned_ |= a == Flow::returns || b == Flow::returns;
    if (leaves(b)) std::ranges::copy(after_a, variables_.begin());
    return leaves(a) ? b : a;
  }
  for (std::size_t i = 0; i < std::min(variables_.size(), after_a.size()); ++i)
    variables_[i].value = common_value(variables_[i].value, after_a[i].value);
  may_have_left_loop_ |= a != b;
  return a == b ? a : Flow::next;
}

HostRun::Flow HostRun::choice() {
  const std::size_t close = text_.closing(at_ + 1);
  const HostValue value = value_of({at_ + 2, close});
  const TokenRange body{close + 2, text_.closing(std::min(close + 1, text_.size() - 1))};
  if (text_.token(close + 1) != "{") {
    has_failed_ = true;
    return Flow::exits;
  }
  std::vector<std::size_t> labels;
  for (std::size_t i = body.begin; i < body.end; i = text_.after(i)) {
    step();
    if (is_any_of(text_.token(i), {"case", "default"})) labels.push_back(i);
  }
  const Flow flow = choose(value, labels, body);
  at_ = body.end + 1;
  return flow == Flow::breaks ? Flow::next : flow;
}

/// Runs what the value selects; if that is unknown, what follows each label.
HostRun::Flow HostRun::choose(const HostValue& value, const std::vector<std::size_t>& labels,
                              TokenRange body) {
  std::size_t chosen = 0;
  bool is_certain = value.is_integer();
  for (const std::size_t label : labels) {
    const std::size_t colon = end_of_label(label);
    if (text_.token(label) == "default") {
      if (chosen == 0) chosen = label;
      continue;
    }
    const auto is_equal = operated("==", value, value_of({label + 1, colon})).truth();
    is_certain &= is_equal.has_value();
    if (is_equal == true) {
      chosen = label;
      break;
    }
  }
  if (is_certain) return chosen == 0 ? Flow::next : statements({chosen, body.end});
  for (const std::size_t label : labels)
    either([&] { return statements({label, body.end}); }, [] { return Flow::next; });
  forget_assigned(body);
  return Flow::next;
}

HostRun::Flow HostRun::loop() {
  const std::size_t begin = at_, names = names_.size();
  const std::string_view word = token();
  Loop loop{begin, {}, {}, begin + 1, word != "do"};
  skip_statement();
  const std::size_t end = at_;
  Flow flow = Flow::next;
  if (word == "do") {
    at_ = loop.body;
    skip_statement();
    if (token() == "while") loop.condition = TokenRange{at_ + 2, text_.closing(at_ + 1)};
    flow = run_loop(loop);
  } else {
    const TokenRange head{begin + 2, text_.closing(begin + 1)};
    loop.body = head.end + 1;
    std::size_t colon = head.begin;
    while (colon < head.end && !is_any_of(text_.token(colon), {":", ";"})) ++colon;
    const bool is_range = word == "for" && text_.token(colon) == ":" && text_.token(colon + 1) != ":";
    if (word == "for" && !is_range) {
      loop = for_loop(head);
    } else {
      loop.condition = head;
    }
    flow = is_range ? run_range_loop(head, colon, loop.body) : run_loop(loop);
  }
  names_.resize(names);
  at_ = end;
  return flow;
}

HostRun::Loop HostRun::for_loop(TokenRange head) {
  const std::size_t first = end_of_simple(head.begin);
  statement_at(head.begin);
  const std::size_t second = end_of_simple(first + 1);
  Loop loop{head.begin, {}, TokenRange{second + 1, head.end}, head.end + 1};
  if (second > first + 1) loop.condition = TokenRange{first + 1, second};
  return loop;
}

HostRun::Flow HostRun::run_loop(const Loop& loop) {
  constexpr unsigned most_repetitions = 40;  // such as those of a power of two
  bool tests = loop.tests_first;
  for (unsigned repeated = 0; repeated < most_repetitions && !has_failed_; ++repeated) {
    if (endless_.contains(loop.body)) break;
    const auto holds = tests && loop.condition ? condition(*loop.condition) : true;
    if (!holds) return run_unknown_loop(loop);
    if (!*holds) return Flow::next;
    tests = true;
    const bool before = std::exchange(may_have_left_loop_, false);
    const Flow flow = statement_at(loop.body);
    const bool is_unknown = std::exchange(may_have_left_loop_, before);
    if (flow == Flow::returns || flow == Flow::exits) return flow;
    if (is_unknown) return run_unknown_loop(loop);
    if (flow == Flow::breaks) return Flow::next;
    if (loop.step && loop.step->begin < loop.step->end) value_of(*loop.step);
  }
  endless_.insert(loop.body);
  return run_unknown_loop(loop);
}

/// Once, with whatever values an earlier repetition may leave.
HostRun::Flow HostRun::run_unknown_loop(const Loop& loop) {
  at_ = loop.body;
  skip_statement();
  const TokenRange all{loop.begin, at_};
  forget_assigned(all);
  const bool before = may_have_left_loop_;
  either([&] { return statement_at(loop.body); }, [] { return Flow::next; });
  may_have_left_loop_ = before;
  forget_assigned(all);
  return Flow::next;
}

HostRun::Flow HostRun::run_range_loop(TokenRange head, std::size_t colon, std::size_t body) {
  const std::size_t name = colon - 1;
  const HostType type = type_of({head.begin, name});
  const HostValue range = value_of({colon + 1, head.end});
  const auto* items = std::get_if<HostList>(&range.is);
  constexpr std::size_t most_items = 64;
  if (items == nullptr || (*items)->size() > most_items) {
    declare(name, type, {});
    return run_unknown_loop({head.begin, {}, {}, body});
  }
  for (const HostValue& item : **items) {
    declare(name, type, item);
    const bool before = std::exchange(may_have_left_loop_, false);
    const Flow flow = statement_at(body);
    if (std::exchange(may_have_left_loop_, before)) return run_unknown_loop({head.begin, {}, {}, body});
    if (flow == Flow::returns || flow == Flow::exits) return flow;
    if (flow == Flow::breaks) return Flow::next;
  }
  return Flow::next;
}

/// Variables that may be assigned in that part become unknown.
void HostRun::forget_assigned(TokenRange range) {
  constexpr std::size_t per_step = 4;
  range.end = std::min(range.end, text_.size());
  if (range.begin >= range.end) return;
  step((range.end - range.begin) / per_step);
  for (std::size_t i = range.begin; i < range.end && !has_failed_; ++i) {
    if (!is_name(text_.token(i))) continue;
    const bool is_assigned = text_.token(i + 1) == "=" && text_.token(i + 2) != "=";
    const bool is_item = text_.token(i + 1) == "[";
    if (!is_assigned && !is_item && !text_.is_modified(i)) continue;
    const auto variable = find(text_.token(i));
    if (variable && (!is_item || std::holds_alternative<HostList>(variables_[*variable].value.is)))
      variables_[*variable].value = {};
  }
}

/// Code that was not understood may do anything.
void HostRun::misunderstand(TokenRange range) {
  forget_assigned(range);
  not_understood_.push_back(range);
}

}  // namespace foldproof
