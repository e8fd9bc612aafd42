// The emulated device as both programs use it: with checks, or with counters.
#pragma once

#include <memory>
#include <variant>

#include "command/subjects.h"
#include "devices/emulated/runner.h"
#include "properties/case.h"
#include "properties/verdict.h"

namespace foldproof {

/// The emulated device with all checks, followed by `others`.
std::unique_ptr<Runner> checked_runner(Observers others = {});

/// The counters of that case, called once; or one sentence why there are none. Throws like audit_instance.
std::variant<Counted, std::string> counted(const Subject& subject, const Instance& instance, const Case& c);

}  // namespace foldproof
