// Where the text of a source defines functions.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "contracts/guessing/source_text.h"

namespace foldproof {

struct HostFunction {
  TokenRange result;      ///< its type, and what precedes it
  TokenRange parameters;  ///< without the parentheses
  TokenRange body;        ///< without the braces
};

class HostFunctions {
 public:
  /// The text must outlive this.
  explicit HostFunctions(const SourceText& text) : text_(text) {}

  /// The functions with that name.
  const std::vector<HostFunction>& named(std::string_view name);
  /// The function that contains the token; the whole source if it is not in one.
  HostFunction around(std::size_t at) const;

 private:
  std::size_t begin_of_declaration(std::size_t at) const;
  bool is_container(std::size_t brace) const;

  const SourceText& text_;
  std::map<std::string_view, std::vector<HostFunction>> found_;
};

}  // namespace foldproof
