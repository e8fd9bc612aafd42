// The device that kernels are judged on.
#pragma once

#include <memory>

#include "devices/device.h"

namespace foldproof {

/// The emulated device, watched by all checks and then by `others`.
std::unique_ptr<Device> checked_device(Observers others = {});

}  // namespace foldproof
