#include "oracles/element.h"

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

}  // namespace foldproof
