#include "contracts/nvcc/dependencies.h"

namespace foldproof {

std::vector<std::string> prerequisites(std::string_view rule) {
  const std::size_t colon = rule.find(": ");
  if (colon == std::string_view::npos) return {};
  std::vector<std::string> files;
  std::string file;
  const auto finish = [&] {
    if (!file.empty()) files.push_back(std::move(file));
    file.clear();
  };
  for (std::size_t i = colon + 1; i < rule.size(); ++i) {
    const char c = rule[i];
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    if (c == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      file += next;
      ++i;
    } else if (c == '$' && next == '$') {
      file += '$';
      ++i;
    } else if (c == ' ' || c == '\n' || c == '\t' || (c == '\\' && next == '\n')) {
      finish();
    } else {
      file += c;
    }
  }
  finish();
  return files;
}

}  // namespace foldproof
