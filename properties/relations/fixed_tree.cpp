#include "properties/relations/fixed_tree.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "ptx/query.h"

namespace foldproof::relations {
namespace {

using ptx::Name;
using ptx::Operand;
using ptx::Statement;
using Operands = std::vector<Operand>;

/// Whether every suffix is one of `allowed`.
template <std::size_t n>
bool has_only(const Statement& s, const std::string_view (&allowed)[n]) {
  return std::ranges::all_of(s.suffixes, [&](const std::string& suffix) {
    return std::ranges::find(allowed, suffix) != std::end(allowed);
  });
}

bool is_nearest_addition(const Statement& s) {
  constexpr std::string_view allowed[] = {"rn",     "ftz", "f16",   "f16x2", "bf16",
                                          "bf16x2", "f32", "f32x2", "f64"};
  return s.opcode == "add" && has_only(s, allowed);
}

bool is_nearest_conversion(const Statement& s) {
  constexpr std::string_view allowed[] = {"rn",     "ftz", "satfinite", "f16",    "f16x2", "bf16",
                                          "bf16x2", "f32", "f64",       "e4m3x2", "e5m2x2"};
  return s.opcode == "cvt" && has_only(s, allowed);
}

/// A literal zero of any width. Minus zero adds nothing either.
bool is_zero(const ptx::Literal& literal) {
  switch (literal.form) {
    case ptx::Literal::Form::integer: return literal.bits == 0;
    case ptx::Literal::Form::f32: return literal.bits << 33 == 0;
    case ptx::Literal::Form::f64: return literal.bits << 1 == 0;
  }
  return false;
}

/// The values of a function that derive from elements: everything that it loads, except parameters and
/// constants.
class DerivedValues {
 public:
  explicit DerivedValues(const ptx::Function& function) {
    ptx::for_each_item(function, [&](const Statement& s) { statements_.push_back(&s); });
    ptx::for_each_item(function, [&](const ptx::CallStatement&) { calls_ = true; });
    bool grown = true;
    while (grown) {
      grown = false;
      for (const Statement* s : statements_) grown |= follow(*s);
    }
    find_zeros();
  }

  bool are_only_added() const {
    return !calls_ && std::ranges::all_of(statements_, [&](const Statement* s) { return is_harmless(*s); });
  }

 private:
  static bool is_store(const Statement& s) { return s.opcode == "st"; }

  static bool loads(const Statement& s) {
    if (s.opcode == "atom" || s.opcode == "ldmatrix" || s.opcode == "ldu") return true;
    return s.opcode == "ld" && !ptx::Opcode(s).has("param") && !ptx::Opcode(s).has("const");
  }

  bool comes_from_elements(const Operand& operand) const {
    if (const auto* name = std::get_if<Name>(&operand.value)) return names_.contains(name->text);
    if (const auto* address = std::get_if<ptx::AddressOf>(&operand.value))
      return address->base && names_.contains(address->base->text);
    if (const auto* several = std::get_if<Operands>(&operand.value))
      return std::ranges::any_of(*several, [&](const Operand& o) { return comes_from_elements(o); });
    return false;
  }

  /// Names whose definitions all move a zero, or another such name.
  void find_zeros() {
    for (const Statement* s : statements_)
      if (s->opcode == "mov" && !s->operands.empty())
        if (const auto* name = std::get_if<Name>(&s->operands.front().value))
          if (!names_.contains(name->text)) zeros_.insert(name->text);
    for (bool fewer = true; fewer;) {
      fewer = false;
      for (const Statement* s : statements_) {
        if (s->operands.empty() || is_store(*s)) continue;
        const auto* name = std::get_if<Name>(&s->operands.front().value);
        if (!name || (s->opcode == "mov" && s->operands.size() == 2 && grows_with_elements(s->operands[1])))
          continue;
        fewer |= zeros_.erase(name->text) != 0;
      }
    }
  }

  /// Whether doubling the elements doubles the operand: it derives from them, or is zero.
  bool grows_with_elements(const Operand& operand) const {
    if (const auto* literal = std::get_if<ptx::Literal>(&operand.value)) return is_zero(*literal);
    if (const auto* name = std::get_if<Name>(&operand.value))
      return names_.contains(name->text) || zeros_.contains(name->text);
    if (const auto* several = std::get_if<Operands>(&operand.value))
      return std::ranges::all_of(*several, [&](const Operand& o) { return grows_with_elements(o); });
    return false;
  }

  /// Marks the operand's names; returns whether any of them is new.
  bool mark(const Operand& operand) {
    bool grown = false;
    if (const auto* name = std::get_if<Name>(&operand.value)) grown |= names_.insert(name->text).second;
    if (const auto* several = std::get_if<Operands>(&operand.value))
      for (const Operand& one : *several) grown |= mark(one);
    return grown;
  }

  bool follow(const Statement& s) {
    if (is_store(s) || s.operands.empty()) return false;
    const bool holds_elements =
        loads(s) || std::any_of(s.operands.begin() + 1, s.operands.end(),
                                [&](const Operand& o) { return comes_from_elements(o); });
    return holds_elements && mark(s.operands.front());
  }

  /// Whether only the operands at the indices in `data` may derive from elements.
  bool only(const Statement& s, std::initializer_list<std::size_t> data) const {
    for (std::size_t i = 0; i < s.operands.size(); ++i)
      if (std::ranges::find(data, i) == data.end() && comes_from_elements(s.operands[i])) return false;
    return true;
  }

  /// Whether these operands grow with the elements, if the destination derives from elements.
  bool grow(const Statement& s, std::size_t first, std::size_t last) const {
    if (!comes_from_elements(s.operands.front())) return true;
    return std::all_of(
        s.operands.begin() + static_cast<std::ptrdiff_t>(first),
        s.operands.begin() + static_cast<std::ptrdiff_t>(std::min(last + 1, s.operands.size())),
        [&](const Operand& o) { return grows_with_elements(o); });
  }

  bool is_harmless(const Statement& s) const {
    if (s.guard && names_.contains(s.guard->text)) return false;
    if (s.opcode == "atom") return false;
    if (s.operands.size() < 2) return only(s, {});
    if (s.opcode == "mov" || is_nearest_addition(s) || is_nearest_conversion(s))
      return grow(s, 1, s.operands.size());
    if (is_store(s)) return only(s, {1}) && grows_with_elements(s.operands[1]);
    if (loads(s)) return only(s, {0});
    if (s.opcode == "shfl") return only(s, {0, 1}) && grow(s, 1, 1);
    if (s.opcode == "selp") return only(s, {0, 1, 2}) && grow(s, 1, 2);
    return only(s, {});
  }

  std::vector<const Statement*> statements_;
  std::set<std::string, std::less<>> names_;  ///< that derive from elements
  std::set<std::string, std::less<>> zeros_;  ///< that are always zero
  bool calls_ = false;
};

}  // namespace

bool has_fixed_tree(const Instance& instance, const Image& image) {
  try {
    const ptx::Module& module = image.ptx.module();
    return std::ranges::all_of(instance.launches, [&](const LaunchContract& launch) {
      const ptx::Function* entry = ptx::find(module, launch.lowered);
      return entry != nullptr && DerivedValues(*entry).are_only_added();
    });
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace foldproof::relations
