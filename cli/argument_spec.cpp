#include "cli/argument_spec.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/files.h"
#include "command/parse.h"
#include "oracles/number.h"
#include "properties/random.h"

namespace foldproof {

namespace {

/// A larger size is a typing error, not a test for an emulated device.
constexpr std::uint64_t largest_buffer = std::uint64_t{4} << 30;
/// PTX's limit for all parameters of a kernel together.
constexpr std::uint64_t most_parameter_bytes = 32'764;

constexpr std::string_view how_to_write_bytes =
    "write two hexadecimal digits per byte, such as bytes:00ff10, or bytes:@FILE";

[[noreturn]] void refuse(const std::string& spec, const std::string& why) {
  throw InputError(fmt::format("--arg {}: {}", spec, why));
}

Element parse_type(const std::string& text, const std::string& spec) {
  if (const auto type = element_named(text)) return *type;
  refuse(spec,
         fmt::format(
             "\"{}\" is not a type; write f64, f32, f16, bf16, e4m3, e5m2, e2m1, i8 … u64, bytes or buffer",
             text));
}

std::uint64_t integer_bits(Element type, const std::string& text, const std::string& spec) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  const bool hexadecimal = digits.starts_with("0x");
  if (hexadecimal) digits.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, hexadecimal ? 16 : 10);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument)
    refuse(spec, fmt::format("\"{}\" is not an integer; write decimal or 0x hexadecimal digits", text));
  const std::uint64_t all_ones = ~std::uint64_t{0} >> (64 - 8 * size_of(type));
  const std::uint64_t most = is_signed_integer(type) ? all_ones >> 1 : all_ones;
  const std::uint64_t most_below_zero = is_signed_integer(type) ? most + 1 : 0;
  if (error != std::errc() || magnitude > (negative ? most_below_zero : most))
    refuse(spec, fmt::format("{} does not fit in {}; write a number from {}{} to {} or use a wider type",
                             text, name(type), is_signed_integer(type) ? "-" : "", most_below_zero, most));
  return negative ? 0 - magnitude : magnitude;
}

std::uint64_t float_bits(Element type, const std::string& text, const std::string& spec) {
  char* end = nullptr;
  // A decimal is rounded once if C has the type, and through f64 for narrower types.
  const double value =
      type == Element::f32 ? std::strtof(text.c_str(), &end) : std::strtod(text.c_str(), &end);
  if (text.empty() || std::isspace(static_cast<unsigned char>(text[0])) != 0 ||
      end != text.c_str() + text.size())
    refuse(spec, fmt::format("\"{}\" is not a number; write one such as {}:1.5 or {}:0x1p-3", text,
                             name(type), name(type)));
  return encode(type, number_of(value));
}

/// Uniform in [-1, 1) for floating-point types, over all bits for integers.
std::uint64_t random_bits(Element type, SplitMix& random) {
  return is_float(type) ? encode(type, number_of(random.symmetric())) : random.next();
}

template <typename Make>
std::vector<std::byte> filled(Element type, std::uint64_t count, Make make) {
  std::vector<std::byte> bytes(count * size_of(type));
  for (std::uint64_t i = 0; i < count; ++i) store(type, bytes, i, make(i));
  return bytes;
}

RegularFile opened(const std::string& file, const std::string& spec) {
  try {
    return RegularFile(file);
  } catch (const InputError& error) {
    refuse(spec, fmt::format("{}: {}", file, error.sentence()));
  }
}

std::vector<std::byte> content_of(RegularFile& file, const std::string& spec) {
  std::vector<std::byte> content(file.size());
  if (!file.read(content.data(), content.size())) refuse(spec, "could not read the whole file");
  return content;
}

std::vector<std::byte> buffer_content(const ArgumentSpec& buffer, const std::string& initial,
                                      std::uint64_t seed, const std::string& spec) {
  const Element type = buffer.type;
  if (initial == "uninitialized") return {};
  if (initial == "zeros") return filled(type, buffer.count, [](std::uint64_t) { return 0; });
  if (initial == "iota")
    return filled(type, buffer.count, [type](std::uint64_t i) {
      return is_float(type) ? encode(type, number_of(static_cast<double>(i))) : i;
    });
  if (initial == "random")
    return filled(type, buffer.count, [type, random = SplitMix(seed)](std::uint64_t) mutable {
      return random_bits(type, random);
    });
  if (initial.starts_with('@')) {
    RegularFile file = opened(initial.substr(1), spec);
    const std::uint64_t bytes = buffer.count * size_of(type);
    if (file.size() != bytes)
      refuse(spec,
             fmt::format("the file has {} bytes, but {} elements of {} are {}; change COUNT or the file",
                         file.size(), buffer.count, name(type), bytes));
    return content_of(file, spec);
  }
  refuse(spec, fmt::format("unknown buffer content \"{}\"; write zeros, iota, random, uninitialized or @FILE",
                           initial));
}

ArgumentSpec parse_buffer(const std::string& spec, std::uint64_t seed) {
  const std::size_t type_at = std::string_view("buffer:").size();
  const std::size_t count_at = spec.find(':', type_at) + 1;
  const std::size_t initial_at = count_at == 0 ? 0 : spec.find(':', count_at) + 1;
  if (initial_at == 0)
    refuse(spec, "write a buffer as buffer:TYPE:COUNT:CONTENT, such as buffer:i32:1000:random");
  ArgumentSpec buffer;
  buffer.is_buffer = true;
  buffer.type = parse_type(spec.substr(type_at, count_at - 1 - type_at), spec);
  buffer.count = parse_number(spec.substr(count_at, initial_at - 1 - count_at),
                              fmt::format("--arg {}: COUNT", spec), 0, largest_buffer / size_of(buffer.type));
  buffer.content = buffer_content(buffer, spec.substr(initial_at), seed, spec);
  return buffer;
}

std::byte hexadecimal(char high, char low, const std::string& spec) {
  unsigned value = 0;
  for (const char digit : {high, low}) {
    const std::size_t place = std::string_view("0123456789abcdefABCDEF").find(digit);
    if (place == std::string_view::npos)
      refuse(spec, fmt::format("\"{}\" is not a hexadecimal digit; {}", digit, how_to_write_bytes));
    value = value * 16 + static_cast<unsigned>(place < 16 ? place : place - 6);
  }
  return static_cast<std::byte>(value);
}

std::vector<std::byte> hexadecimal_bytes(std::string_view digits, const std::string& spec) {
  if (digits.size() % 2 != 0)
    refuse(spec, fmt::format("{} hexadecimal digits are not a whole number of bytes; {}", digits.size(),
                             how_to_write_bytes));
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(hexadecimal(digits[i], digits[i + 1], spec));
  return bytes;
}

ArgumentSpec parse_bytes(const std::string& spec) {
  const std::string value = spec.substr(std::string_view("bytes:").size());
  std::optional<RegularFile> file;
  if (value.starts_with('@')) file = opened(value.substr(1), spec);
  const std::uint64_t size = file ? file->size() : value.size() / 2;
  if (size > most_parameter_bytes)
    refuse(spec, fmt::format("{} bytes exceed the limit of {} for a kernel's parameters; pass a buffer", size,
                             most_parameter_bytes));
  ArgumentSpec structure;
  structure.content = file ? content_of(*file, spec) : hexadecimal_bytes(value, spec);
  if (structure.content.empty()) refuse(spec, fmt::format("no bytes given; {}", how_to_write_bytes));
  return structure;
}

}  // namespace

ArgumentSpec parse_argument(const std::string& spec, std::uint64_t seed) {
  if (spec.starts_with("buffer:")) return parse_buffer(spec, seed);
  if (spec.starts_with("bytes:")) return parse_bytes(spec);
  const std::size_t colon = spec.find(':');
  if (colon == std::string::npos)
    refuse(spec, "write an argument as TYPE:VALUE, bytes:HEX or buffer:TYPE:COUNT:CONTENT, such as i32:5");
  ArgumentSpec number;
  number.type = parse_type(spec.substr(0, colon), spec);
  const std::string value = spec.substr(colon + 1);
  const std::uint64_t bits =
      is_float(number.type) ? float_bits(number.type, value, spec) : integer_bits(number.type, value, spec);
  number.content = filled(number.type, 1, [bits](std::uint64_t) { return bits; });
  return number;
}

}  // namespace foldproof
