// The fundamental types of PTX instructions. PTX ISA 9.0, section 5.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace foldproof::isa {

enum class Type : std::uint8_t {
  none,
#define FOLDPROOF_TYPE(id, bits, value) id,
#include "devices/emulated/isa/types.def"
#undef FOLDPROOF_TYPE
};

/// Bits of one value of the type: 1 for pred, 32 for f16x2, …
unsigned bits_of(Type type);
inline unsigned bytes_of(Type type) { return (bits_of(type) + 7) / 8; }
std::string_view name(Type type);
std::optional<Type> type_named(std::string_view name);
/// s8, s16, s32, s64.
bool is_signed(Type type);

}  // namespace foldproof::isa
