// The special registers (ISA section 10) that the device implements, one row each in special_registers.def.
#pragma once

#include <cstdint>
#include <string_view>

namespace foldproof::emulated {

enum class SpecialRegister : std::uint8_t {
#define FOLDPROOF_SPECIAL(name, id, bytes) id,
#include "devices/emulated/program/special_registers.def"
#undef FOLDPROOF_SPECIAL
};

struct SpecialRow {
  std::string_view name;  ///< PTX name with its component: "%tid.x"
  SpecialRegister id;
  std::uint8_t bytes;  ///< its natural width; 0: a predicate
};

inline constexpr SpecialRow special_rows[] = {
#define FOLDPROOF_SPECIAL(name, id, bytes) {name, SpecialRegister::id, bytes},
#include "devices/emulated/program/special_registers.def"
#undef FOLDPROOF_SPECIAL
};

}  // namespace foldproof::emulated
