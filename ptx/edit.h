// Edits of PTX text at extents taken from its syntax tree.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ptx/source.h"

namespace foldproof::ptx {

std::string_view text_of(const Source& source, Extent extent);

/// The text with the extent replaced by `replacement`.
std::string replaced(const Source& source, Extent extent, std::string_view replacement);

/// The text without the given extents, which must not overlap. Lines that become empty are removed.
std::string without(const Source& source, std::span<const Extent> extents);

}  // namespace foldproof::ptx
