// The special registers of section 10 of the ISA that the device has: one row each in special_registers.def.
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
  std::string_view name;  ///< as PTX writes it, with its component: "%tid.x"
  SpecialRegister id;
  std::uint8_t bytes;  ///< of its own width; 0: a predicate
};

/// The row of that name, or nullptr.
const SpecialRow* special_named(std::string_view name);

/// Whether the name is a special register of the ISA that the device does not have.
bool is_foreign_special(std::string_view name);

}  // namespace foldproof::emulated
