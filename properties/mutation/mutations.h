// The changes that each mutation makes to a statement.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "properties/mutation/spelled.h"
#include "ptx/query.h"

namespace foldproof::mutation {

/// One way to change a statement.
struct Change {
  std::string change;       ///< imperative: "delete the barrier"
  std::string replacement;  ///< PTX that replaces the statement
};

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
