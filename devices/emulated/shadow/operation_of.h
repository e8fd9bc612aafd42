// Which operation of an expression an instruction is.
#pragma once

#include <optional>

#include "devices/emulated/isa/form.h"
#include "oracles/expressions.h"

namespace foldproof::emulated {

/// The format of one value of a type, or of one of its parts; nothing for types without one.
std::optional<Element> element_of(isa::Type type);

/// A node without operands and value for what a register-only instruction computes; nothing where that is no
/// operation of an expression, or not in this form (.sat, .relu, a rounding to integers, …).
std::optional<Node> operation_of(const isa::Form& form);

/// Of how many sources, the first ones, a register-only instruction may move bytes to its result; 0 where it
/// does more than that.
std::size_t moves_bytes_of(const isa::Form& form);

/// Whether a register-only instruction's destinations hold the bytes of its sources, one after the other.
bool is_wiring(const isa::Form& form);

/// What an atomic leaves in memory, as a node without operands: made of the old value and the operand.
std::optional<Node> operation_of(isa::AtomicKind kind, isa::Type type);

}  // namespace foldproof::emulated
