// Instruction classes: the purpose of an instruction, in terms that require no knowledge of PTX.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace foldproof {

enum class InstructionClass : std::uint8_t {
#define FOLDPROOF_CLASS(id, title, what) id,
#include "sanitizer/instruction_classes.def"
#undef FOLDPROOF_CLASS
};

/// Their names in JSON, in the order of the enumerators.
inline constexpr std::array instruction_class_names = {
#define FOLDPROOF_CLASS(id, title, what) std::string_view(#id),
#include "sanitizer/instruction_classes.def"
#undef FOLDPROOF_CLASS
};

/// Their titles in tables.
inline constexpr std::array instruction_class_titles = {
#define FOLDPROOF_CLASS(id, title, what) std::string_view(title),
#include "sanitizer/instruction_classes.def"
#undef FOLDPROOF_CLASS
};

}  // namespace foldproof
