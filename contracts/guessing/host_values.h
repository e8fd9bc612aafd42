// Values and types of C++ host code: those on which launches depend.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "contracts/guess.h"
#include "contracts/guessing/source_text.h"

namespace foldproof {

/// A type that may change a value that it holds.
struct HostType {
  enum class Kind { any, integer, floating, boolean, extents, other };
  Kind kind = Kind::any;  ///< `other`: its values are unknown
  unsigned bits = 64;     ///< of an integer
  bool is_signed = true;
  bool is_reference = false;
};

/// The type that these tokens spell.
HostType host_type(const SourceText& text, TokenRange spelled);

/// 0 for "x", 1 for "y", 2 for "z".
std::optional<std::size_t> axis_of(std::string_view member);

struct HostLambda {
  std::size_t at = 0;  ///< index of its "["
  /// The names that it sees: of those in scope, the ones from `base` up to `names`, whose last variable is
  /// `last`.
  std::size_t base = 0, names = 0, last = 0;
  bool operator==(const HostLambda&) const = default;
};

struct HostValue;
using HostList = std::shared_ptr<const std::vector<HostValue>>;

/// Unknown, unless it is something else.
struct HostValue {
  std::variant<std::monostate, std::int64_t, double, HostExtents, HostLambda, HostList> is;
  std::optional<std::size_t> sampled = {};  ///< the number of the variable that has this sample

  static HostValue integer(std::int64_t value) { return {value}; }
  bool is_known() const { return !std::holds_alternative<std::monostate>(is); }
  bool is_number() const { return is_integer() || std::holds_alternative<double>(is); }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(is); }
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  std::optional<bool> truth() const;
  /// The extents that it means as a grid or a block.
  HostExtents extents() const;
};

/// Of "+", "<<", "==" and the like; unknown if the result is not defined, or does not fit.
HostValue computed(std::string_view operation, const HostValue& a, const HostValue& b);
/// Of a function of the standard library, such as "ceil"; unknown for others.
HostValue standard_function(std::string_view name, const std::vector<HostValue>& arguments);
HostValue converted(const HostValue& value, const HostType& type);
/// A variable that is initialized with these values, at least one; a dim3 has up to three extents.
HostValue initialized(const HostType& type, const std::vector<HostValue>& values);
/// The value if both are the same; otherwise unknown.
HostValue common_value(const HostValue& a, const HostValue& b);
/// Of a literal.
HostValue number_literal(std::string_view spelled);

}  // namespace foldproof
