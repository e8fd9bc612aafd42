// Jobs on the emulated device.
#pragma once

#include <memory>

#include "devices/runner.h"
#include "sanitizer/observer.h"

namespace foldproof::emulated {

/// What reports call it.
inline constexpr const char* device_name = "emulated";

/// A runner in this process, on a device of its own; a module is loaded once, whatever the number of jobs.
/// With `tracks_definedness`, a job with findings about undefined values is run again with other values in
/// their place; where nothing differs, the findings are withheld. Counters are then those of the last run,
/// which is like the first.
std::unique_ptr<Runner> make_runner(Observers observers = {}, bool tracks_definedness = false);

}  // namespace foldproof::emulated
