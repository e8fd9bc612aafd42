#include "oracles/formats.h"

#include <iterator>

namespace foldproof {
namespace {

struct Row {
  std::string_view name, cuda_name;
  unsigned bits;
  bool is_float;
};

constexpr Row rows[] = {
    {"f64", "double", 64, true},
    {"f32", "float", 32, true},
    {"f16", "__half", 16, true},
    {"bf16", "__nv_bfloat16", 16, true},
    {"e4m3", "__nv_fp8_e4m3", 8, true},
    {"e5m2", "__nv_fp8_e5m2", 8, true},
    {"e2m1", "__nv_fp4_e2m1", 4, true},
    {"i8", "signed char", 8, false},
    {"u8", "unsigned char", 8, false},
    {"i16", "short", 16, false},
    {"u16", "unsigned short", 16, false},
    {"i32", "int", 32, false},
    {"u32", "unsigned int", 32, false},
    {"i64", "long long", 64, false},
    {"u64", "unsigned long long", 64, false},
};

const Row& row(Element element) { return rows[static_cast<std::size_t>(element)]; }

}  // namespace

std::string_view name(Element element) { return row(element).name; }
std::string_view cuda_name(Element element) { return row(element).cuda_name; }
std::size_t size_of(Element element) { return (row(element).bits + 7) / 8; }
unsigned width_of(Element element) { return row(element).bits; }
bool is_float(Element element) { return row(element).is_float; }

std::optional<Element> element_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(rows); ++i)
    if (rows[i].name == name) return static_cast<Element>(i);
  return std::nullopt;
}

namespace {

constexpr FloatFormat formats[] = {
    // p, lowest, highest, largest significand, infinity, NaN
    {53, -1074, 971, (std::uint64_t{1} << 53) - 1, true, true},  // f64
    {24, -149, 104, (1u << 24) - 1, true, true},                 // f32
    {11, -24, 5, (1u << 11) - 1, true, true},                    // f16
    {8, -133, 120, (1u << 8) - 1, true, true},                   // bf16
    {4, -9, 5, 14, false, true},                                 // e4m3
    {3, -16, 13, 7, true, true},                                 // e5m2
    {2, -1, 1, 3, false, false},                                 // e2m1
};

}  // namespace

const FloatFormat& float_format(Element element) { return formats[static_cast<std::size_t>(element)]; }

bool includes(Element outer, Element inner) {
  if (!is_float(outer) || !is_float(inner)) return false;
  const FloatFormat& o = float_format(outer);
  const FloatFormat& i = float_format(inner);
  return o.precision >= i.precision && o.lowest_exponent <= i.lowest_exponent &&
         o.highest_exponent + o.precision >= i.highest_exponent + i.precision &&
         (o.has_infinity || !i.has_infinity) && (o.has_nan || !i.has_nan);
}

}  // namespace foldproof
