// The changes that each mutation makes to a statement.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/query.h"
#include "ptx/source.h"

namespace foldproof::mutation {

/// One way to change a statement.
struct Change {
  std::string change;       ///< imperative: "delete the barrier"
  std::string replacement;  ///< PTX that replaces the statement
};

/// A statement's text in parts that can be changed individually and reassembled.
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

/// A statement as the mutations see it.
struct Candidate {
  const ptx::Statement& statement;
  Spelled spelled;
  const ptx::Definitions& definitions;  ///< of its function

  bool is(std::string_view opcode) const { return statement.opcode == opcode; }
  bool has(std::string_view suffix) const { return spelled.has(suffix); }
  /// The last suffix: the type, for most instructions.
  std::string type() const { return spelled.suffixes.empty() ? "" : spelled.suffixes.back(); }
  /// The constant integer that an operand always equals, if there is one.
  std::optional<std::uint64_t> integer(std::size_t operand) const;
};

using Find = std::vector<Change> (*)(const Candidate& candidate);

#define FOLDPROOF_MUTATION(id, name, does) std::vector<Change> id(const Candidate& candidate);
#include "properties/mutation/mutations.def"
#undef FOLDPROOF_MUTATION

struct Row {
  std::string_view name, does;
  Find find;
};

/// The rows of mutations.def.
std::span<const Row> rows();

}  // namespace foldproof::mutation
