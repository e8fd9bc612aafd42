// Source lines, quoted under the message that refers to them.
#pragma once

#include <string>

#include "base/error.h"

namespace foldproof {

/// The line at `position` with a marker under the relevant part, as two lines that begin with `indent`; empty
/// if the file or the line does not exist. Without a column the whole line is marked.
///     17 |     total += partial[i];
///        |     ^^^^^^^^^^^^^^^^^^^^
std::string quote(const Position& position, const std::string& indent, unsigned width);

/// The path relative to the working folder if it is inside that folder, otherwise unchanged.
std::string display_path(const std::string& path);

/// "file:line:column" with display_path.
std::string display(const Position& position);

}  // namespace foldproof
