#include "command/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "base/hash.h"
#include "base/text.h"

namespace foldproof {

namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  return integer_in<std::uint64_t>(text, hexadecimal ? 16 : 10);
}

}  // namespace

std::uint64_t parse_number(const std::string& text, const std::string& option, std::uint64_t low,
                           std::uint64_t high) {
  const auto value = whole_number(text);
  if (!value) throw InputError(fmt::format("{} takes an integer, not \"{}\"", option, text));
  if (*value < low || *value > high)
    throw InputError(fmt::format("{} takes a number from {} to {}, not {}", option, low, high, text));
  return *value;
}

Dim3 parse_extent(const std::string& text, const std::string& option) {
  std::uint32_t extents[3] = {1, 1, 1};
  std::size_t from = 0;
  for (std::uint32_t& extent : extents) {
    const std::size_t comma = text.find(',', from);
    extent = static_cast<std::uint32_t>(
        parse_number(text.substr(from, comma - from), option, 1, std::numeric_limits<std::uint32_t>::max()));
    if (comma == std::string::npos) return {extents[0], extents[1], extents[2]};
    from = comma + 1;
  }
  throw InputError(fmt::format("{} takes X, X,Y or X,Y,Z, not \"{}\"", option, text));
}

std::chrono::milliseconds parse_duration(const std::string& text, const std::string& option) {
  constexpr double longest_milliseconds = 1e12;  // about 30 years; a clock's nanoseconds have 64 bits
  constexpr struct {
    std::string_view suffix;
    double milliseconds;
  } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"", 1000}};
  for (const auto& unit : units) {
    if (!text.ends_with(unit.suffix)) continue;
    const char* const end = text.data() + text.size() - unit.suffix.size();
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    const double milliseconds = value * unit.milliseconds;
    if (error == std::errc() && rest == end && milliseconds > 0 && milliseconds <= longest_milliseconds)
      return std::chrono::milliseconds(std::max(1LL, std::llround(milliseconds)));
  }
  throw InputError(fmt::format("{} takes a time such as 60s, 500ms or 5m, not \"{}\"", option, text));
}

std::uint64_t parse_seed(const std::string& text) {
  if (text == "random") return unpredictable_number();
  return parse_number(text, "--seed", 0, std::numeric_limits<std::uint64_t>::max());
}

Shard parse_shard(const std::string& text) {
  constexpr std::uint64_t most = 1'000'000;
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos)
    throw InputError(fmt::format("--shard takes i/n, such as 1/4, not \"{}\"", text));
  const std::uint64_t count = parse_number(text.substr(slash + 1), "--shard", 1, most);
  return {parse_number(text.substr(0, slash), "--shard", 1, count), count};
}

}  // namespace foldproof
