// What the text of a source says about the values of its constants and variables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "contracts/guessing/source_launches.h"
#include "contracts/guessing/source_text.h"

namespace foldproof {

class SourceValues {
 public:
  /// The text must outlive this.
  explicit SourceValues(const SourceText& text) : text_(text) {}

  /// Extents given as a number, as dim3(x, y, z), or as a constant that is one of these.
  SourceExtents extents_in(TokenRange part, unsigned depth = 0);
  /// What all declarations of the name, in whatever scope, initialize it with; nothing if one of them does
  /// not, or if it is modified.
  SourceExtents constant(std::string_view name, unsigned depth = 0);
  /// A number, or the first of several extents if the others are 1, as an expression of contracts
  /// (contracts/expression.h) in the variables of the source; nothing if it cannot be one.
  std::optional<std::string> expression_in(TokenRange part, unsigned depth = 0);

 private:
  SourceExtents extents_of(TokenRange list, unsigned depth);
  std::optional<std::string> expression_of(std::string_view name, unsigned depth);
  std::optional<std::string> computed_expression_of(std::string_view name, unsigned depth);
  std::uint64_t size_in(std::size_t at) const;
  std::size_t end_of_cast(std::size_t at) const;

  const SourceText& text_;
  std::map<std::string_view, SourceExtents> constants_;
  std::map<std::string_view, std::optional<std::string>> expressions_;
};

/// The extent along x, if there is no other.
std::optional<std::uint32_t> number_of(const SourceExtents& extents);

}  // namespace foldproof
