// Source lines, quoted under the sentence that speaks of them.
#pragma once

#include <string>

#include "base/error.h"

namespace foldproof {

/// The line at `position` with a marker under what is meant, as two lines that begin with `indent`; nothing
/// when the file or the line is not there. Without a column the whole line is marked.
///     17 |     total += partial[i];
///        |     ^^^^^^^^^^^^^^^^^^^^
std::string quote(const Position& position, const std::string& indent, unsigned width);

/// The path relative to the working folder where it lies below it, else as it is.
std::string display_path(const std::string& path);

/// "file:line:column" with display_path.
std::string display(const Position& position);

}  // namespace foldproof
