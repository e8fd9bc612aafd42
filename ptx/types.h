// State spaces and types by keyword (PTX ISA 9.0, sections 5.1 and 5.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/ast.h"

namespace foldproof::ptx {

/// The space of `reg`, `shared`, …; std::nullopt for a word that is not a state space of variables.
std::optional<Space> space_of(std::string_view word);

/// Bytes of one value of a variable type; std::nullopt for any other word.
std::optional<std::uint32_t> bytes_of_type(std::string_view type);

/// Bytes of a variable in memory: 0 for an array without an extent, UINT64_MAX if the size does not fit 64
/// bits.
std::uint64_t bytes_of(const Variable& variable);

}  // namespace foldproof::ptx
