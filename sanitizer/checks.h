// The checks that run on the emulated device.
#pragma once

#include "sanitizer/observer.h"

namespace foldproof {

/// One instance of every check.
Observers all_checks();

}  // namespace foldproof
