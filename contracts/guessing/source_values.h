// What the text of a source says about the values of its constants and variables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contracts/guess.h"
#include "contracts/guessing/source_text.h"

namespace foldproof {

class SourceValues {
 public:
  /// The text must outlive this.
  explicit SourceValues(const SourceText& text) : text_(text) {}

  /// Extents given as a number, as dim3(x, y, z), or as a constant that is one of these.
  SourceExtents extents_in(TokenRange part, unsigned depth = 0);
  /// What the declaration of the word that is written there initializes it with; nothing if it does not, or
  /// if the variable is modified or assigned something else. Without a declaration, all that is assigned to
  /// the word must agree.
  SourceExtents constant(std::size_t at, unsigned depth = 0);
  /// A number, or the extent along that axis, as an expression of contracts (contracts/expression.h) in the
  /// variables of the source: those without a definition. Nothing if it cannot be one.
  std::optional<std::string> expression_in(TokenRange part, std::size_t axis = 0, unsigned depth = 0);

 private:
  SourceExtents extents_of(TokenRange list, unsigned depth);
  std::optional<std::string> word_in(std::size_t& at, unsigned depth);
  std::optional<std::string> bits_in(std::size_t& at, std::size_t end, std::string_view before) const;
  std::optional<std::string> expression_of(std::size_t at, std::size_t axis, unsigned depth);
  std::optional<std::string> computed_expression_of(std::size_t at, std::size_t axis, unsigned depth);
  const std::vector<std::size_t>& variable_at(std::size_t at);
  std::size_t end_of_cast(std::size_t at) const;

  const SourceText& text_;
  /// For each word and declaration, where that variable is named. A word that is too frequent is one
  /// variable.
  std::map<std::string_view, std::map<std::optional<std::size_t>, std::vector<std::size_t>>> variables_;
  // By the first place of the variable, and the axis.
  std::map<std::size_t, SourceExtents> constants_;
  std::map<std::pair<std::size_t, std::size_t>, std::optional<std::string>> expressions_;
};

/// The extent along x, if there is no other.
std::optional<std::uint32_t> number_of(const SourceExtents& extents);

}  // namespace foldproof
