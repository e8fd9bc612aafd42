// Sentences broken into lines.
#pragma once

#include <cstddef>
#include <string>

namespace foldproof {

/// `text` broken at blanks into lines of at most `width` columns; the first begins at column `used`, the
/// others are indented by `indent`. A word longer than a line stands alone, whole.
std::string wrap(const std::string& text, std::size_t used, std::size_t indent, std::size_t width);

}  // namespace foldproof
