// `// finding: KIND` in a source: what a kernel that is wrong on purpose must cause, and where.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "sanitizer/finding.h"

namespace foldproof {

struct Announced {
  Kind kind{};
  Position at;               ///< a line of the source, without a column
  bool is_optional = false;  ///< "KIND?": it may be made and need not
  bool operator==(const Announced&) const = default;
};

/// A marker after code announces a finding in its own line; one that stands alone, in the next line with
/// code. Spaces or commas separate several kinds. Throws InputError for an unknown kind.
std::vector<Announced> finding_markers(std::string_view source, const std::filesystem::path& file);

}  // namespace foldproof
