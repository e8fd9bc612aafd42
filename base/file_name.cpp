#include "base/file_name.h"

#include <cctype>

namespace foldproof {

std::string file_name_part(std::string_view text, char kept, char separator) {
  std::string part;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == kept)
      part += c;
    else if (!part.empty() && part.back() != separator)
      part += separator;
  }
  return part;
}

}  // namespace foldproof
