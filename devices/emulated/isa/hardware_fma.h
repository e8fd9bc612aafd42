// fma.rn with the processor's own instruction, if available: the same bits as f32::fma and f64::fma, but
// faster.
#pragma once

#include "devices/emulated/isa/form.h"

namespace foldproof::isa {

/// The semantics of fma.rn for the form's type and modifiers, or null if the processor (or PTX) does not have
/// it.
Compute hardware_fma(const Form& form);

}  // namespace foldproof::isa
