#include "properties/case.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "base/error.h"
#include "base/text.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

/// A value, or the bits of one.
using Read = std::variant<double, std::uint64_t>;

/// The number that all of the hexadecimal digits spell; nothing if it is out of range.
std::optional<double> hexadecimal_in(std::string_view digits) {
  double value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value, std::chars_format::hex);
  return error == std::errc{} && end == last ? std::optional(value) : std::nullopt;
}

std::optional<Read> value_in(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::optional<double> magnitude;
  if (text == "inf")
    magnitude = std::numeric_limits<double>::infinity();
  else if (text.starts_with("0x") && text.find('p') != std::string_view::npos && !text.starts_with("0x-"))
    magnitude = hexadecimal_in(text.substr(2));
  if (!magnitude) return std::nullopt;
  return negative ? -*magnitude : *magnitude;
}

Read read(const std::string& text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (const auto value = value_in(text)) return *value;
  const bool hexadecimal = text.starts_with("0x");
  const auto digits = std::string_view(text).substr(hexadecimal ? 2 : 0);
  if (const auto bits = integer_in<std::uint64_t>(digits, hexadecimal ? 16 : 10)) return *bits;
  throw InputError(
      fmt::format("\"{}\" is not the value of an element; write a C hexadecimal number such as 0x1.8p-2, "
                  "inf, -inf or nan, or its bits, such as 0x7fc00001",
                  text));
}

/// Nothing if the type has no such value.
std::optional<std::uint64_t> bits_of(Element element, double value) {
  if (!is_float(element)) return std::nullopt;
  const std::uint64_t bits = encode(element, number_of(value));
  const Number number = decode(element, bits);
  if (std::isnan(value)) return number.is_nan() ? std::optional(bits) : std::nullopt;
  const double back = to_double(number);
  return back == value && std::signbit(back) == std::signbit(value) ? std::optional(bits) : std::nullopt;
}

}  // namespace

std::string planted_text(Element element, std::uint64_t bits) {
  if (is_float(element)) {
    const Number number = decode(element, bits);
    const double value = number.is_nan() ? std::numeric_limits<double>::quiet_NaN() : to_double(number);
    if (bits_of(element, value) == bits) return std::isnan(value) ? "nan" : fmt::format("{:a}", value);
  }
  return fmt::format("0x{:x}", bits);
}

std::uint64_t planted_bits(Element element, const std::string& value) {
  const Read read_value = read(value);
  if (const auto* number = std::get_if<double>(&read_value)) {
    if (const auto bits = bits_of(element, *number)) return *bits;
    throw InputError(fmt::format("{} cannot represent the planted value {}", name(element), value));
  }
  const std::uint64_t bits = std::get<std::uint64_t>(read_value);
  if ((bits & ~code_mask(element)) != 0)
    throw InputError(fmt::format("the planted bits 0x{:x} do not fit into {}", bits, name(element)));
  return bits;
}

void check_planted(const std::string& value) { read(value); }

}  // namespace foldproof
