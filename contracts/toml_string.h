// Text on its way into a TOML file.
#pragma once

#include <string>
#include <string_view>

namespace foldproof {

/// `text` as a basic string of TOML, quotes included.
std::string toml_string(std::string_view text);

}  // namespace foldproof
