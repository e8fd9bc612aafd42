// A statement's text in parts that can be changed individually and reassembled.
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
  std::vector<std::string> operands;  ///< as written: "[%rd1+4]", "%r1|%p1", "-1"

  std::string text() const;

  bool has(std::string_view suffix) const;
  /// The suffix replaced by another one, or removed if `by` is empty.
  Spelled with(std::string_view suffix, std::string_view by) const;
  Spelled with_operand(std::size_t index, std::string by) const;
};

/// `source` must be the statement's.
Spelled spell(const ptx::Statement& statement, const ptx::Source& source);

}  // namespace foldproof::mutation
