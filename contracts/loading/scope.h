// The meaning of a contract's strings for one combination of its matrix: placeholders are replaced by their
// values, and expressions may use the names that earlier tables introduced.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "contracts/contract.h"
#include "contracts/document.h"
#include "contracts/names.h"

namespace foldproof {

class Scope {
 public:
  explicit Scope(const Bindings& bindings) : bindings_(bindings) {}

  void add_variable(const std::string& name) { variables_.push_back(name); }
  bool knows(std::string_view variable) const;
  /// "; did you mean "grid"?": suggests a variable for an unknown name.
  std::string suggest(std::string_view wrong) const { return suggestion(wrong, variables_); }
  /// Adds a name for something that arguments may point to. Throws InputError if the name is already in use.
  std::string add_buffer(const Text& raw);
  /// Later expressions may use launch1_grid and launch1_block: the number of blocks, and of threads per
  /// block, of launch 1, the first one added.
  void add_launch(const LaunchContract& launch);

  // The meaning of a string. All throw InputError with its position.
  Text text(const Text& raw) const;
  std::string cpp(const Text& raw) const;
  Element element(const Text& raw) const;
  Expression expression(const Text& raw) const;
  Range range(const Text& raw) const;
  ArgumentContract argument(const Text& raw) const;

  // The value of a key.
  std::optional<Text> text(const Table& table, std::string_view key) const;
  /// One to three extents; 1 for each that is missing.
  std::array<Expression, 3> extents(const Table& table, std::string_view key) const;

  // Reads the value of a key into a field, which is unchanged if the key is missing.
  void read(const Table& table, std::string_view key, Element& field) const;
  void read(const Table& table, std::string_view key, Expression& field) const;
  void read(const Table& table, std::string_view key, std::optional<Expression>& field) const;
  template <typename Enum, std::size_t n>
  void read(const Table& table, std::string_view key, const Named<Enum> (&names)[n], Enum& field) const;

 private:
  std::string resolved(std::string_view text) const;
  void check_names(const Expression& expression, const Text& text) const;
  void check_names(const ArgumentContract& argument, const Text& text) const;

  const Bindings& bindings_;
  std::vector<std::string> variables_;
  std::vector<std::string> buffers_{"input", "output"};
  Bindings earlier_launches_;
};

template <typename Enum, std::size_t n>
void Scope::read(const Table& table, std::string_view key, const Named<Enum> (&names)[n], Enum& field) const {
  const std::optional<Text> chosen = text(table, key);
  if (!chosen) return;
  const auto value = value_named(names, chosen->value);
  if (!value)
    throw InputError(fmt::format("\"{}\" cannot be \"{}\"{}", key, chosen->value,
                                 suggestion(chosen->value, all_names(names))),
                     chosen->where);
  field = *value;
}

}  // namespace foldproof
