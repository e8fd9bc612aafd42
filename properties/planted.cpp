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

/// A number as a person writes it: an integer, or a number that is rounded to the nearest of the type.
struct Decimal {
  std::string text;
};
/// An exact value, a decimal number, or the bits of a value.
using Read = std::variant<double, Decimal, std::uint64_t>;

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

/// The number nearest to a decimal one; nothing if the text is something else.
std::optional<double> nearest_to(std::string_view text) {
  if (text.find_first_not_of("+-.0123456789e") != std::string_view::npos) return std::nullopt;
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc{} && end == last ? std::optional(value) : std::nullopt;
}

Read read(const std::string& text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (const auto value = value_in(text)) return *value;
  if (nearest_to(text)) return Decimal{text};
  if (text.starts_with("0x"))
    if (const auto bits = integer_in<std::uint64_t>(std::string_view(text).substr(2), 16)) return *bits;
  throw InputError(fmt::format(
      "\"{}\" is not the value of an element; write a decimal number, a C hexadecimal number such "
      "as 0x1.8p-2, inf, -inf or nan, or its bits, such as 0x7fc00001",
      text));
}

/// Nothing if the integer type has no such value.
template <typename T>
std::optional<std::uint64_t> bits_of_integer(Element element, std::string_view text) {
  const auto value = integer_in<T>(text);
  if (!value) return std::nullopt;
  const std::uint64_t bits = static_cast<std::uint64_t>(*value) & code_mask(element);
  return extended(element, bits) == static_cast<std::uint64_t>(*value) ? std::optional(bits) : std::nullopt;
}

/// Nothing if the number is out of the range of the type, or if an integer type cannot represent it.
std::optional<std::uint64_t> bits_of(Element element, const Decimal& decimal) {
  if (!is_float(element) && decimal.text.find_first_of(".e") != std::string::npos) {
    // "1.0", "1e2": exact as a double, or not an integer.
    const double value = *nearest_to(decimal.text);
    if (value != std::floor(value) || std::fabs(value) > 0x1p53) return std::nullopt;
    return bits_of(element, Decimal{fmt::format("{:.0f}", value)});
  }
  if (!is_float(element))
    return is_signed_integer(element) ? bits_of_integer<std::int64_t>(element, decimal.text)
                                      : bits_of_integer<std::uint64_t>(element, decimal.text);
  const FloatFormat& format = float_format(element);
  const double value = *nearest_to(decimal.text);
  const double largest =
      to_double({Number::Category::finite, false, format.largest_significand, format.highest_exponent});
  return std::fabs(value) <= largest ? std::optional(encode(element, number_of(value))) : std::nullopt;
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
  const auto* exact = std::get_if<double>(&read_value);
  const auto* decimal = std::get_if<Decimal>(&read_value);
  if (exact != nullptr || decimal != nullptr) {
    if (const auto bits = exact ? bits_of(element, *exact) : bits_of(element, *decimal)) return *bits;
    throw InputError(fmt::format("{} cannot represent the planted value {}", name(element), value));
  }
  const std::uint64_t bits = std::get<std::uint64_t>(read_value);
  if ((bits & ~code_mask(element)) != 0)
    throw InputError(fmt::format("the planted bits 0x{:x} do not fit into {}", bits, name(element)));
  return bits;
}

void check_planted(const std::string& value) { read(value); }

}  // namespace foldproof
