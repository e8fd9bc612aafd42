// The checks that watch the emulated device.
#pragma once

#include "sanitizer/observer.h"

namespace foldproof {

/// One of each.
Observers all_checks();

}  // namespace foldproof
