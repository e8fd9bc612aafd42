#include "reports/wrap.h"

#include <sstream>

namespace foldproof {

std::string wrap(const std::string& text, std::size_t used, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
  std::string out, word;
  std::size_t column = used;
  bool first = true;
  while (words >> word) {
    if (!first && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += " ";
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
  }
  return out;
}

}  // namespace foldproof
