// The runner that kernels are checked on.
#pragma once

#include <memory>

#include "devices/emulated/runner.h"

namespace foldproof {

/// The emulated device under all checks, and under `others` after them.
std::unique_ptr<Runner> checked_runner(Observers others = {});

}  // namespace foldproof
