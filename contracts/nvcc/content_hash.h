// The names and the checks of cached PTX.
#pragma once

#include <string>
#include <string_view>

namespace foldproof {

/// XXH3 of 128 bits as 32 lower-case hexadecimal digits, by xxHash. It tells contents apart that differ by
/// accident; it is no seal against someone who wants two to look alike.
std::string content_hash(std::string_view bytes);

}  // namespace foldproof
