#include "devices/emulated/shadow/operation_of.h"

#include <string_view>
#include <vector>

namespace foldproof::emulated {
namespace {

using isa::Form;
using isa::Rounding;
using isa::Type;

/// The entry of provenance_operations.def for a row of ptx.def.
struct Meaning {
  std::string_view row;
  std::optional<Operation> operation;
  std::size_t movable = 0;  ///< sources
  bool wires = false;
};

/// A row may be in two of the tables: cvt both computes and moves bytes.
constexpr Meaning meanings[] = {
#define FOLDPROOF_ARITHMETIC(row, operation) {#row, Operation::operation},
#define FOLDPROOF_MOVER(row, sources) {#row, std::nullopt, sources},
#define FOLDPROOF_WIRING(row) {#row, std::nullopt, 0, true},
#include "devices/emulated/shadow/provenance_operations.def"
#undef FOLDPROOF_WIRING
#undef FOLDPROOF_MOVER
#undef FOLDPROOF_ARITHMETIC
};

/// By row of ptx.def; looked up for every instruction that reads values that depend on the input.
const Meaning& meaning_of(isa::RowId of) {
  static const auto all = [] {
    std::vector<Meaning> found(isa::rows().size());
    for (std::size_t row = 0; row < found.size(); ++row)
      for (const Meaning& meaning : meanings) {
        if (isa::rows()[row].id != meaning.row) continue;
        if (meaning.operation) found[row].operation = meaning.operation;
        found[row].movable += meaning.movable;
        found[row].wires |= meaning.wires;
      }
    return found;
  }();
  return all[of];
}

std::optional<Direction> direction_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::none:
    case Rounding::rn: return Direction::nearest;
    case Rounding::rz: return Direction::to_zero;
    case Rounding::rm: return Direction::down;
    case Rounding::rp: return Direction::up;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Element> element_of(Type type) {
  switch (type) {
    case Type::f64: return Element::f64;
    case Type::f32:
    case Type::f32x2: return Element::f32;
    case Type::f16:
    case Type::f16x2: return Element::f16;
    case Type::bf16:
    case Type::bf16x2: return Element::bf16;
    case Type::e4m3:
    case Type::e4m3x2: return Element::e4m3;
    case Type::e5m2:
    case Type::e5m2x2: return Element::e5m2;
    case Type::s8: return Element::i8;
    case Type::u8: return Element::u8;
    case Type::s16:
    case Type::s16x2: return Element::i16;
    case Type::u16:
    case Type::u16x2: return Element::u16;
    case Type::s32: return Element::i32;
    case Type::u32: return Element::u32;
    case Type::s64: return Element::i64;
    case Type::u64: return Element::u64;
    default: return std::nullopt;
  }
}

std::size_t moves_bytes_of(const Form& form) {
  const auto is_number = [](Type type) {
    const auto element = element_of(type);
    return element && is_float(*element);
  };
  const std::size_t movable = meaning_of(form.row).movable;
  const bool converts = movable != 0 && isa::rows()[form.row].id == "cvt";
  return converts && (form.sat || is_number(form.type) || is_number(form.type2)) ? 0 : movable;
}

bool is_wiring(const Form& form) { return meaning_of(form.row).wires; }

std::optional<Node> operation_of(const Form& form) {
  const std::optional<Operation> operation = meaning_of(form.row).operation;
  const std::optional<Direction> direction = direction_of(form.rounding);
  const std::optional<Element> element = element_of(form.type);
  if (!operation || !direction || !element) return std::nullopt;
  if (form.satfinite && *operation != Operation::convert) return std::nullopt;
  const bool wide_product = !form.has("lo") && (form.has("hi") || form.has("wide"));  // of integers
  if (form.sat || form.relu || form.xorsign || form.abs || wide_product) return std::nullopt;
  Node node{.operation = *operation,
            .element = *element,
            .direction = *direction,
            .flushes = form.ftz,
            .propagates_nan = form.nan,
            .saturates = form.satfinite};
  if (*operation == Operation::convert) {
    const std::optional<Element> source = element_of(form.type2);
    if (!source || (is_float(*source) && !is_float(*element))) return std::nullopt;
    node.source = *source;
  }
  return node;
}

std::optional<Node> operation_of(isa::AtomicKind kind, Type type) {
  const std::optional<Element> element = element_of(type);
  if (!element) return std::nullopt;
  switch (kind) {
    case isa::AtomicKind::add: return Node{.operation = Operation::add, .element = *element};
    case isa::AtomicKind::min: return Node{.operation = Operation::minimum, .element = *element};
    case isa::AtomicKind::max: return Node{.operation = Operation::maximum, .element = *element};
    default: return std::nullopt;
  }
}

}  // namespace foldproof::emulated
