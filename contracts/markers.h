// Comments in a source about the findings of its kernels: `// finding: KIND` announces one that a
// deliberately defective kernel must cause, and `// foldproof: allow KIND until DATE: REASON` accepts one for
// a time.
#pragma once

#include <filesystem>
#include <string>
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

/// A suppression: findings of this kind at this location are accepted until the date.
struct Allow {
  Kind kind{};
  std::string at;      ///< "file:line" or "file"
  std::string reason;  ///< required
  std::string until;   ///< ISO date, required
  Position where;
};

struct Markers {
  std::vector<Announced> announced;
  std::vector<Allow> allowed;  ///< each at "name of the file:line"
};

/// A marker after code is about findings in the same line; a marker alone in its line, in the next line with
/// code. Several announced kinds are separated by spaces or commas. Throws InputError for an unknown kind,
/// and for an incomplete marker.
Markers markers_in(std::string_view source, const std::filesystem::path& file);

}  // namespace foldproof
