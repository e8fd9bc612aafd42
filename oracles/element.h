// The element types that a reduction reads, accumulates in and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace foldproof {

/// An e2m1 takes a byte of which the lower four bits are the code, as CUDA's __nv_fp4_e2m1 keeps it; the
/// upper four are ignored when it is read and zero when it is written.
enum class Element : std::uint8_t {
  f64,
  f32,
  f16,
  bf16,
  e4m3,
  e5m2,
  e2m1,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64
};

std::string_view name(Element element);       ///< "f32", "e4m3", …
std::string_view cuda_name(Element element);  ///< as C++ spells it in a kernel: "float", "__half", "int", …
std::size_t size_of(Element element);         ///< bytes in memory
unsigned width_of(Element element);           ///< bits of a code
bool is_float(Element element);
std::optional<Element> element_named(std::string_view name);

}  // namespace foldproof
