// Calls of functions, and launches, in a host function.
#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "contracts/guessing/host_run.h"
#include "contracts/sizes.h"

namespace foldproof {
namespace {

constexpr unsigned deepest_call = 100;  ///< statements, parentheses and calls around it
constexpr std::int64_t most_blocks_along_x = INT32_MAX, most_blocks_along_others = 65535;

/// Whether no device can run it, so that it has no effect.
bool is_impossible(const HostCall& call) {
  std::int64_t threads = 1;
  for (const auto extent : call.block) {
    if (extent && (*extent < 1 || *extent > most_threads_of_a_block)) return true;
    threads *= extent.value_or(1);
  }
  for (std::size_t axis = 0; axis < call.grid.size(); ++axis) {
    const std::int64_t blocks = call.grid.at(axis).value_or(1);
    if (blocks < 1 || blocks > (axis == 0 ? most_blocks_along_x : most_blocks_along_others)) return true;
  }
  return threads > most_threads_of_a_block;
}

}  // namespace

/// The arguments in the parentheses that open here.
std::vector<HostRun::Argument> HostRun::arguments(bool keeps_addresses) {
  std::vector<Argument> found;
  read_items([&] {
    const std::size_t begin = at_;
    keeps_addresses_ = keeps_addresses && !found.empty();
    Argument argument{assignment(), {}};
    if (at_ == begin + 1) argument.variable = find(text_.token(begin));
    found.push_back(std::move(argument));
  });
  return found;
}

HostValue HostRun::call(std::string_view name, std::size_t at, bool is_qualified) {
  const auto local = is_qualified ? std::nullopt : find(name);
  const std::size_t numbers = numbers_read_;
  const std::vector<Argument> passed = arguments(name.starts_with("cudaMemcpy"));
  if (local) {
    const auto* called = std::get_if<HostLambda>(&variables_[*local].value.is);
    return called != nullptr ? call_lambda(HostLambda(*called), passed, true) : HostValue{};
  }
  const HostFunction* found = nullptr;
  bool is_ambiguous = false;
  for (const HostFunction& function : functions_.named(name)) {
    step(function.parameters.end - std::min(function.parameters.begin, function.parameters.end));
    const std::size_t most =
        function.parameters.begin == function.parameters.end ? 0 : text_.items(function.parameters).size();
    if (passed.size() > most) continue;
    is_ambiguous |= found != nullptr;
    found = &function;
  }
  if (found != nullptr && !is_ambiguous && is_live_) return call_function(*found, passed, names_.size());
  return unknown_call(name, at, passed, numbers_read_ != numbers || found != nullptr);
}

/// Of a function that the source does not define. Its result is a sample if no number of the function decides
/// it.
HostValue HostRun::unknown_call(std::string_view name, std::size_t at, const std::vector<Argument>& arguments,
                                bool reads_numbers) {
  if (is_any_of(name, {"exit", "abort", "terminate", "_exit", "quick_exit", "__assert_fail"})) {
    has_exited_ |= is_live_;
    return {};
  }
  std::vector<HostValue> values;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    values.push_back(arguments[k].value);
    if (is_live_ && arguments[k].variable && may_assign(name, k))
      variables_[*arguments[k].variable].value = sample("#" + std::to_string(at) + "," + std::to_string(k));
  }
  if (name == "assert" && !values.empty()) {
    has_exited_ |= is_live_ && truth_of(values.front()) == false;
    return {};
  }
  if (const auto* items = values.size() == 1 ? std::get_if<HostList>(&values.front().is) : nullptr)
    values = std::vector<HostValue>(**items);
  if (HostValue known = standard_function(name, values); known.is_known()) return known;
  for (const Argument& argument : arguments)
    if (const auto* lambda = std::get_if<HostLambda>(&argument.value.is))
      if (is_live_) call_lambda(HostLambda(*lambda), {}, false);
  const bool is_open = !reads_numbers && is_live_ && !name.starts_with("cuda");
  return is_open ? sample("#" + std::to_string(at)) : HostValue{};
}

/// Whether a declaration in the source says that the parameter with that index is a reference.
bool HostRun::may_assign(std::string_view name, std::size_t parameter) const {
  if (is_any_of(name, {"swap", "from_chars", "getline"})) return true;
  constexpr std::size_t most_places = 64;
  const std::vector<std::size_t>& places = text_.places_of(name);
  return places.size() <= most_places && std::ranges::any_of(places, [&](std::size_t i) {
           const std::size_t close = text_.token(i + 1) == "(" ? text_.closing(i + 1) : 0;
           if (close == 0 || !text_.is_declared(i) || text_.token(close + 1) != ";") return false;
           const std::vector<TokenRange> items = text_.items({i + 2, close});
           return parameter < items.size() && host_type(text_, items[parameter]).is_reference;
         });
}

HostValue HostRun::call_function(const HostFunction& function, const std::vector<Argument>& arguments,
                                 std::size_t base) {
  if (has_failed_ || depth_ > deepest_call) return {};
  const Reading reading(*this, {at_, text_.size()}, at_);
  const std::size_t names = names_.size();
  const bool may_have_returned = std::exchange(may_have_returned_, false);
  const HostValue result = std::exchange(result_, HostValue{});
  std::swap(base_, base);
  bind(function.parameters, arguments, true);
  const Flow flow = statements(function.body);
  has_exited_ |= flow == Flow::exits;
  HostValue returned = may_have_returned_ || flow != Flow::returns ? HostValue{} : result_;
  names_.resize(names);
  base_ = base;
  result_ = result;
  may_have_returned_ = may_have_returned;
  const HostType type = host_type(text_, function.result);
  return type.kind == HostType::Kind::other ? returned : converted(returned, type);
}

/// `is_called`: with these arguments; otherwise with any, by a function that receives the lambda.
HostValue HostRun::call_lambda(const HostLambda& lambda, const std::vector<Argument>& arguments,
                               bool is_called) {
  HostFunction function;
  std::size_t at = text_.closing(lambda.at) + 1;
  if (text_.token(at) == "(") {
    function.parameters = {at + 1, text_.closing(at)};
    at = function.parameters.end + 1;
  }
  while (at < text_.size() && text_.token(at) != "{" && text_.token(at) != ";") ++at;
  if (text_.token(at) != "{" || !is_live_) return {};
  function.body = {at + 1, text_.closing(at)};
  const bool has_names = lambda.names <= names_.size() &&
                         (lambda.names == 0 || names_[lambda.names - 1].variable == lambda.last);
  if (!has_names) {  // The function that defined it has returned.
    misunderstand(function.body);
    return {};
  }
  const std::vector<Name> hidden(names_.begin() + static_cast<std::ptrdiff_t>(lambda.names), names_.end());
  names_.resize(lambda.names);
  std::vector<Argument> passed = arguments;
  if (!is_called && function.parameters.begin < function.parameters.end)
    for (std::size_t k = 0; k < text_.items(function.parameters).size(); ++k)
      passed.push_back({sample("#" + std::to_string(lambda.at) + "," + std::to_string(k)), {}});
  const HostValue value = call_function(function, passed, lambda.base);
  names_.insert(names_.end(), hidden.begin(), hidden.end());
  return value;
}

void HostRun::launch(std::size_t name, const LaunchText& launch) {
  std::vector<HostValue> configuration;
  for (const TokenRange& part : launch.configuration) configuration.push_back(value_of(part));
  HostCall call;
  if (!configuration.empty()) call.grid = configuration[0].extents();
  if (configuration.size() > 1) call.block = configuration[1].extents();
  call.shared = configuration.size() > 2 ? configuration[2].integer() : 0;
  for (const TokenRange& argument : launch.arguments)
    call.arguments.push_back(argument.begin < argument.end ? value_of(argument).integer() : std::nullopt);
  at_ = launch.end;
  const bool is_of_root = root_.begin <= name && name < root_.end;
  if (!is_live_ || !is_of_root || is_impossible(call)) return;
  std::vector<HostCall>& calls = calls_[name];
  if (calls.empty() || calls.back() != call) calls.push_back(std::move(call));
}

}  // namespace foldproof
