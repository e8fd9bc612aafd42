// `// finding: KIND` in a source: a finding that a deliberately defective kernel must cause, and its line.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "sanitizer/finding.h"

namespace foldproof {

struct Announced {
  Kind kind{};
  Position at;               ///< a line of the source, without a column
  bool is_optional = false;  ///< "KIND?": the finding is allowed but not required
  bool operator==(const Announced&) const = default;
};

/// A marker after code announces a finding in the same line; a marker alone in its line, in the next line
/// with code. Several kinds are separated by spaces or commas. Throws InputError for an unknown kind.
std::vector<Announced> finding_markers(std::string_view source, const std::filesystem::path& file);

}  // namespace foldproof
