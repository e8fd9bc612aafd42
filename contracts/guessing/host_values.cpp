#include "contracts/guessing/host_values.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <string>

#include "base/text.h"

namespace foldproof {
namespace {

HostValue truth_value(bool value) { return HostValue::integer(value ? 1 : 0); }

HostValue shifted(std::string_view operation, std::int64_t a, std::int64_t by) {
  constexpr std::int64_t most = 62;
  if (a < 0 || by < 0 || by > most || (operation == "<<" && a > INT64_MAX >> by)) return {};
  return HostValue::integer(operation == "<<" ? a << by : a >> by);
}

template <typename T>
HostValue compared(std::string_view operation, T a, T b) {
  if (operation == "<") return truth_value(a < b);
  if (operation == ">") return truth_value(a > b);
  if (operation == "<=") return truth_value(a <= b);
  if (operation == ">=") return truth_value(a >= b);
  if (operation == "==") return truth_value(a == b);
  if (operation == "!=") return truth_value(a != b);
  return {};
}

HostValue computed_integer(std::string_view operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const auto unless = [&](bool overflows) { return overflows ? HostValue{} : HostValue::integer(result); };
  if (operation == "+") return unless(__builtin_add_overflow(a, b, &result));
  if (operation == "-") return unless(__builtin_sub_overflow(a, b, &result));
  if (operation == "*") return unless(__builtin_mul_overflow(a, b, &result));
  if (operation == "/" || operation == "%") {
    if (b == 0 || b == -1) return b == 0 ? HostValue{} : computed_integer("*", operation == "/" ? a : 0, b);
    return HostValue::integer(operation == "/" ? a / b : a % b);
  }
  if (operation == "&") return HostValue::integer(a & b);
  if (operation == "|") return HostValue::integer(a | b);
  if (operation == "^") return HostValue::integer(a ^ b);
  if (operation == "<<" || operation == ">>") return shifted(operation, a, b);
  return compared(operation, a, b);
}

HostValue computed_number(std::string_view operation, double a, double b) {
  if (operation == "+") return {a + b};
  if (operation == "-") return {a - b};
  if (operation == "*") return {a * b};
  if (operation == "/") return b == 0 ? HostValue{} : HostValue{a / b};
  return compared(operation, a, b);
}

/// The low bits of an integer.
HostValue narrowed(std::int64_t value, const HostType& type) {
  constexpr unsigned widest = 64;
  if (type.bits == widest) return type.is_signed || value >= 0 ? HostValue::integer(value) : HostValue{};
  const std::int64_t values = std::int64_t{1} << type.bits;
  const std::int64_t low = value & (values - 1);
  return HostValue::integer(type.is_signed && low >= values / 2 ? low - values : low);
}

HostValue to_integer(const HostValue& value, const HostType& type) {
  constexpr double limit = 4e18;
  if (const auto integer = value.integer()) return narrowed(*integer, type);
  const auto number = value.number();
  if (!number || !(std::abs(*number) < limit)) return {};
  return narrowed(static_cast<std::int64_t>(*number), type);
}

void read_type_word(std::string_view word, HostType& type) {
  using TypeKind = HostType::Kind;
  const auto integer = [&](unsigned bits) {
    if (type.kind != TypeKind::other) type.kind = TypeKind::integer;
    type.bits = bits;
  };
  if (word == "*" || word == "void" || word == "string" || word.starts_with("cuda"))
    type.kind = TypeKind::other;
  if (word == "&") type.is_reference = true;
  if (type.kind == TypeKind::other) return;
  if (word == "unsigned" || word == "size_t" || word.starts_with("uint")) type.is_signed = false;
  if (word == "int" && type.kind != TypeKind::integer) integer(32);
  if (word == "unsigned" || word == "signed") integer(type.kind == TypeKind::integer ? type.bits : 32);
  if (word == "long" || word == "size_t" || word == "ptrdiff_t") integer(64);
  if (word == "short") integer(16);
  if (word == "char") integer(8);
  if (word == "float" || word == "double") type.kind = TypeKind::floating;
  if (word == "bool") type.kind = TypeKind::boolean;
  if (word == "dim3") type.kind = TypeKind::extents;
  constexpr std::pair<std::string_view, unsigned> sized[] = {
      {"int8_t", 8}, {"int16_t", 16}, {"int32_t", 32}, {"int64_t", 64}};
  for (const auto& [name, bits] : sized)
    if (word == name || (word.starts_with('u') && word.substr(1) == name)) integer(bits);
}

}  // namespace

HostType host_type(const SourceText& text, TokenRange spelled) {
  HostType type;
  for (std::size_t i = spelled.begin; i < spelled.end && text.token(i) != "<"; ++i)
    read_type_word(text.token(i), type);
  if (spelled.begin < spelled.end && text.token(spelled.end - 1) == "&") type.is_reference = true;
  if (spelled.begin < spelled.end && text.token(spelled.end - 1) == "*") type.kind = HostType::Kind::other;
  return type;
}

std::optional<std::size_t> axis_of(std::string_view member) {
  constexpr std::string_view letters = "xyz";
  const std::size_t axis = member.size() == 1 ? letters.find(member) : std::string_view::npos;
  return axis == std::string_view::npos ? std::nullopt : std::optional(axis);
}

std::optional<std::int64_t> HostValue::integer() const {
  const auto* value = std::get_if<std::int64_t>(&is);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<double> HostValue::number() const {
  if (const auto value = integer()) return static_cast<double>(*value);
  const auto* value = std::get_if<double>(&is);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<bool> HostValue::truth() const {
  const auto value = number();
  return value ? std::optional(*value != 0) : std::nullopt;
}

HostExtents HostValue::extents() const {
  if (const auto value = integer()) return HostExtents{value, 1, 1};
  const auto* value = std::get_if<HostExtents>(&is);
  return value ? *value : HostExtents{};
}

HostValue computed(std::string_view operation, const HostValue& a, const HostValue& b) {
  if (a.is_integer() && b.is_integer()) return computed_integer(operation, *a.integer(), *b.integer());
  const auto x = a.number(), y = b.number();
  return x && y ? computed_number(operation, *x, *y) : HostValue{};
}

HostValue standard_function(std::string_view name, const std::vector<HostValue>& arguments) {
  const auto is = [&](std::string_view function) {
    return name == function ||
           (name.size() == function.size() + 1 && name.starts_with(function) && name.back() == 'f');
  };
  if ((name == "min" || name == "max") && arguments.size() == 2) {
    const auto is_less = computed("<", arguments[0], arguments[1]).truth();
    if (!is_less) return {};
    return HostValue{arguments[*is_less == (name == "min") ? 0 : 1].is};
  }
  if (name == "__builtin_expect" && !arguments.empty()) return arguments[0];
  if (const auto bits = arguments.size() == 1 ? arguments[0].integer() : std::nullopt; bits && *bits >= 0) {
    const auto number = static_cast<std::uint64_t>(*bits);
    if (name == "__builtin_clz" && number <= UINT32_MAX)
      return HostValue::integer(std::countl_zero(static_cast<std::uint32_t>(number)));
    if (name == "bit_ceil" && number <= UINT32_MAX)
      return HostValue::integer(static_cast<std::int64_t>(std::bit_ceil(number)));
  }
  const auto x = arguments.size() == 1 ? arguments[0].number() : std::nullopt;
  if (!x) return {};
  if (is("ceil")) return {std::ceil(*x)};
  if (is("floor")) return {std::floor(*x)};
  if (is("log2") && *x > 0) return {std::log2(*x)};
  if (is("sqrt") && *x >= 0) return {std::sqrt(*x)};
  return {};
}

HostValue converted(const HostValue& value, const HostType& type) {
  using TypeKind = HostType::Kind;
  const bool is_bundle =
      std::holds_alternative<HostLambda>(value.is) || std::holds_alternative<HostList>(value.is);
  HostValue result;
  switch (type.kind) {
    case TypeKind::any: result = value; break;
    case TypeKind::integer: result = is_bundle ? value : to_integer(value, type); break;
    case TypeKind::floating:
      if (const auto number = value.number()) result = {*number};
      break;
    case TypeKind::boolean:
      if (const auto truth = value.truth()) result = truth_value(*truth);
      break;
    case TypeKind::extents: result = {value.extents()}; break;
    case TypeKind::other: break;
  }
  if (result.is == value.is) result.sampled = value.sampled;
  return result;
}

HostValue initialized(const HostType& type, const std::vector<HostValue>& values) {
  if (type.kind != HostType::Kind::extents) return values.front();
  if (values.size() == 1 && !values.front().is_integer()) return values.front();
  HostExtents extents{1, 1, 1};
  if (values.size() > extents.size()) return {};
  for (std::size_t axis = 0; axis < values.size(); ++axis) extents.at(axis) = values[axis].integer();
  return {extents};
}

HostValue common_value(const HostValue& a, const HostValue& b) { return a.is == b.is ? a : HostValue{}; }

HostValue number_literal(std::string_view spelled) {
  constexpr int hexadecimal = 16, octal = 8, binary = 2;
  std::string digits(spelled);
  std::erase(digits, '\'');
  const bool is_hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  if (!is_hexadecimal && digits.find_first_of(".eE") != std::string::npos) {
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} ? HostValue{value} : HostValue{};
  }
  digits.erase(digits.find_last_not_of("uUlLzZ") + 1);
  const bool is_binary = digits.starts_with("0b") || digits.starts_with("0B");
  const int base = is_hexadecimal                               ? hexadecimal
                   : is_binary                                  ? binary
                   : digits.size() > 1 && digits.front() == '0' ? octal
                                                                : 10;
  const auto value =
      integer_in<std::int64_t>(std::string_view(digits).substr(is_hexadecimal || is_binary ? 2 : 0), base);
  return value ? HostValue::integer(*value) : HostValue{};
}

}  // namespace foldproof
