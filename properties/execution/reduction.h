// A contract's reduction as the oracles know it: its arithmetic, and how its results are laid out.
#pragma once

#include "contracts/contract.h"
#include "oracles/checker.h"
#include "oracles/layout.h"
#include "ptx/source.h"
#include "sanitizer/finding.h"

namespace foldproof {

/// Whether subnormal numbers are lost: where the contract says so, and where the code of a kernel or of a
/// function that it calls does, whoever asked nvcc for that.
bool flushes(const Instance& instance, const ptx::Source& ptx);

/// Of the instance's reduction or a further one.
Arithmetic arithmetic_of(const Reduction& reduction, const Instance& instance, bool flushes);

/// Throws InputError where what it makes is not checked.
void require_checker(const Arithmetic& arithmetic, const Contract& contract);

/// With the height that the contract claims for a case of these variables.
Arithmetic of_case(Arithmetic arithmetic, const Instance& instance, const Variables& variables);

/// Of a check result that is not ok.
Kind kind_of(const CheckResult& check_result);

/// Of the instance's reduction or a further one; where the results are rows or columns, `columns` is among
/// the variables. `operands` hold the offsets of segments.
ResultLayout result_layout(const Reduction& reduction, const Variables& variables,
                           const Operands& operands = {});

}  // namespace foldproof
