// The element types that a reduction reads, accumulates in and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace foldproof {

enum class Element : std::uint8_t { f64, f32, f16, bf16, e4m3, e5m2, i8, u8, i16, u16, i32, u32, i64, u64 };

std::string_view name(Element element);       ///< "f32", "e4m3", …
std::string_view cuda_name(Element element);  ///< as C++ spells it in a kernel: "float", "__half", "int", …
std::size_t size_of(Element element);         ///< bytes
bool is_float(Element element);
std::optional<Element> element_named(std::string_view name);

}  // namespace foldproof
