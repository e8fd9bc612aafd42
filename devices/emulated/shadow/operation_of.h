// The operation of an expression that an instruction performs.
#pragma once

#include <optional>

#include "devices/emulated/isa/form.h"
#include "oracles/expressions.h"

namespace foldproof::emulated {

/// The format of one value of a type, or of one of its parts; std::nullopt for types without one.
std::optional<Element> element_of(isa::Type type);

/// The operation of a register-only instruction, as a node without operands and value; std::nullopt if it is
/// not an operation of an expression, or not in this form (.sat, .relu, a rounding to integers, …).
std::optional<Node> operation_of(const isa::Form& form);

/// The number of leading sources from which a register-only instruction may move bytes to its result; 0 if it
/// does more than move bytes.
std::size_t moves_bytes_of(const isa::Form& form);

/// Whether a register-only instruction's destinations are the concatenated bytes of its sources.
bool is_wiring(const isa::Form& form);

/// The value that an atomic leaves in memory, as a node without operands: an operation on the old value and
/// the operand.
std::optional<Node> operation_of(isa::AtomicKind kind, isa::Type type);

}  // namespace foldproof::emulated
