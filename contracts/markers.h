// `// finding: KIND` in a source: what a kernel that is wrong on purpose must cause, and where.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

/// Each announced kind as "KIND@file:line". A marker behind code means its own line; one that stands alone
/// means the next line with code. Several kinds are separated by spaces or commas. "KIND?" stays as it is: a
/// finding that may be made and need not. Throws InputError for an unknown kind.
std::vector<std::string> finding_markers(std::string_view source, const std::filesystem::path& file);

}  // namespace foldproof
