// Runs jobs on the emulated device.
#pragma once

#include <memory>

#include "devices/runner.h"
#include "sanitizer/observer.h"

namespace foldproof::emulated {

/// Its name in reports.
inline constexpr const char* device_name = "emulated";

/// A runner in this process with its own device; a module is loaded once, regardless of the number of jobs.
/// With `tracks_definedness`, a job with findings about undefined values is run again with other values in
/// their place; if nothing differs, the findings are dropped. Counters are then those of the last run, which
/// equals the first.
std::unique_ptr<Runner> make_runner(Observers observers = {}, bool tracks_definedness = false);

}  // namespace foldproof::emulated
