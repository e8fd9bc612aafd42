// fma.rn by the processor's own instruction, where it has one: the same bits as f32::fma and f64::fma,
// sooner.
#pragma once

#include "devices/emulated/isa/form.h"

namespace foldproof::isa {

/// The semantics of fma.rn of the form's type and modifiers, or null where the processor (or PTX) has none.
Compute hardware_fma(const Form& form);

}  // namespace foldproof::isa
