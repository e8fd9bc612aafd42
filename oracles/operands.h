// What a reduction reads besides its elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "oracles/formats.h"
#include "oracles/number.h"
#include "oracles/operator.h"

namespace foldproof {

enum class Role : std::uint8_t {
#define FOLDPROOF_ROLE(id, ...) id,
#include "oracles/roles.def"
#undef FOLDPROOF_ROLE
};

/// A row of roles.def.
struct RoleInfo {
  enum class Use : std::uint8_t { required, accepted };
  Role role;
  std::string_view name;
  Use use;
  std::string_view synopsis;
  std::array<std::optional<Operator>, 12> operators;

  /// Whether the operator requires this operand.
  bool is_needed_by(Operator op) const { return use == Use::required && is_for(op); }
  /// Whether the operator accepts this operand; every operator accepts offsets.
  bool is_for(Operator op) const {
    return role == Role::offsets || std::ranges::find(operators, std::optional(op)) != operators.end();
  }
};

/// All of them, in the order of Role.
std::span<const RoleInfo> roles();
inline const RoleInfo& info(Role role) { return roles()[static_cast<std::size_t>(role)]; }

struct Operand {
  Element type = Element::f32;
  std::span<const std::byte> values;
  std::uint64_t group = 1;  ///< consecutive elements that share a value: of scales, weights and biases

  std::size_t size() const { return values.size() / size_of(type); }
  std::uint64_t bits(std::size_t i) const { return load(type, values, i); }
  Number number(std::size_t i) const { return decode(type, bits(i)); }
  /// Values from `first` up to, but not including, `last`.
  Operand part(std::size_t first, std::size_t last) const {
    return {type, values.subspan(first * size_of(type), (last - first) * size_of(type)), group};
  }
};

/// The scale by which an element is multiplied.
Number scale_of(const Operand& scales, std::size_t element);

/// At most one operand per role, besides those of a formula.
class Operands {
 public:
  /// What formulas read, by its name. For a part of the input: one value for each element.
  const std::map<std::string, Operand, std::less<>>& variables() const { return variables_; }
  std::map<std::string, Operand, std::less<>>& variables() { return variables_; }
  void set(Role role, const Operand& operand) { by_role_[static_cast<std::size_t>(role)] = operand; }
  const std::optional<Operand>& operator[](Role role) const {
    return by_role_[static_cast<std::size_t>(role)];
  }
  std::optional<Operand>& operator[](Role role) { return by_role_[static_cast<std::size_t>(role)]; }

 private:
#define FOLDPROOF_ROLE(id, ...) Role::id,
  static constexpr std::array all_roles{
#include "oracles/roles.def"
  };
#undef FOLDPROOF_ROLE
  std::array<std::optional<Operand>, all_roles.size()> by_role_;
  std::map<std::string, Operand, std::less<>> variables_;
};

}  // namespace foldproof
