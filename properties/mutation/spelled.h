// A statement's text in pieces that can be changed one at a time and put together again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/source.h"

namespace foldproof::mutation {

struct Spelled {
  std::string guard;  ///< "@%p1 ", "@!%p1 " or nothing
  std::string opcode;
  std::vector<std::string> suffixes;  ///< without their dots
  std::vector<std::string> operands;  ///< as they are written: "[%rd1+4]", "%r1|%p1", "-1"

  std::string text() const;

  bool has(std::string_view suffix) const;
  /// The suffix replaced by another one, or left out for an empty `by`.
  Spelled with(std::string_view suffix, std::string_view by) const;
  Spelled with_operand(std::size_t index, std::string by) const;
};

/// `source` is the statement's.
Spelled spell(const ptx::Statement& statement, const ptx::Source& source);

}  // namespace foldproof::mutation
