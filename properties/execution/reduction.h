// A contract's reduction in terms of the oracles: its arithmetic and the layout of its results.
#pragma once

#include "contracts/contract.h"
#include "oracles/checker.h"
#include "oracles/layout.h"
#include "properties/distributions.h"
#include "ptx/source.h"
#include "sanitizer/finding.h"

namespace foldproof {

/// What the code of a kernel, or of a function that it calls, does, whichever option of nvcc caused it.
struct MathInCode {
  bool flushes = false;       ///< flushes subnormal numbers; or the contract says so
  bool approximates = false;  ///< has approximate divisions or roots
};
MathInCode math_in_code(const Instance& instance, const ptx::Source& ptx);

/// For the instance's reduction or an additional one.
Arithmetic arithmetic_of(const Reduction& reduction, const Instance& instance, MathInCode math);

/// Throws InputError if there is no checker for the arithmetic.
void require_checker(const Arithmetic& arithmetic, const Contract& contract);

/// `arithmetic` with the height that the contract claims for a case with these variables, and with its number
/// of threads.
Arithmetic of_case(Arithmetic arithmetic, const Instance& instance, const Variables& variables);

/// The kind of finding for a check result that is not ok.
Kind kind_of(const CheckResult& check_result);

/// The values of the elements that callers pass, with ends that their type has; nothing if they may pass any.
/// Throws InputError, with its line, for a range without such values.
std::optional<ValueRange> values_of(const Instance& instance, const Variables& variables);

/// For the instance's reduction or an additional one; if the results are rows or columns, `columns` must be
/// among the variables. `operands` must hold the offsets of segments.
ResultLayout result_layout(const Reduction& reduction, const Variables& variables,
                           const Operands& operands = {});

}  // namespace foldproof
