// SHA-256 (FIPS 180-4), for the names and the checks of cached PTX.
#pragma once

#include <string>
#include <string_view>

namespace foldproof {

/// 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace foldproof
