// Changes to PTX text at places that its syntax tree names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ptx/source.h"

namespace foldproof::ptx {

std::string_view text_of(const Source& source, Extent extent);

/// The text with `replacement` in place of the extent.
std::string replaced(const Source& source, Extent extent, std::string_view replacement);

/// The text without the extents, which do not overlap, and without the lines that nothing else is on.
std::string without(const Source& source, std::span<const Extent> extents);

}  // namespace foldproof::ptx
