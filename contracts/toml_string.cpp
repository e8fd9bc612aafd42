#include "contracts/toml_string.h"

#include <fmt/format.h>

namespace foldproof {

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') result += '\\';
    if (code < 0x20 || code == 0x7f)
      result += fmt::format("\\u{:04x}", code);
    else
      result += c;
  }
  return result + '"';
}

}  // namespace foldproof
