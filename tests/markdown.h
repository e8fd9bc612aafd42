// The blocks of code of a Markdown page.
#pragma once

#include <string>
#include <vector>

#include "base/text.h"

namespace foldproof::tests {

struct CodeBlock {
  std::string info;  ///< what follows the three backticks: "cuda file=sum.cu"
  std::vector<std::string> lines;

  std::string text() const {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }
};

inline std::vector<CodeBlock> code_blocks_in(const std::string& markdown) {
  const std::string fence = "```";
  std::vector<CodeBlock> blocks;
  const std::vector<std::string> lines = lines_of(markdown);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with(fence)) continue;
    blocks.push_back({lines[i].substr(fence.size()), {}});
    while (++i < lines.size() && lines[i] != fence) blocks.back().lines.push_back(lines[i]);
  }
  return blocks;
}

}  // namespace foldproof::tests
