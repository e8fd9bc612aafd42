// State spaces and types by their words (PTX ISA 9.0, sections 5.1 and 5.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/ast.h"

namespace foldproof::ptx {

/// The space of `reg`, `shared`, …; none for a word that names no space of variables.
std::optional<Space> space_of(std::string_view word);

/// Bytes of one value of a type that a variable may have; none for another word.
std::optional<std::uint32_t> bytes_of_type(std::string_view type);

/// Bytes of a variable in memory: 0 for an array without an extent, UINT64_MAX where 64 bits do not hold
/// them.
std::uint64_t bytes_of(const Variable& variable);

}  // namespace foldproof::ptx
