// Counters as JSON.
#pragma once

#include "reports/json.h"

namespace foldproof {

/// {"case", "launches", …, "shared": {"loads": {…}, …}, "rounds": […]}, as docs/json.md lists them.
Json to_json(const Counted& counted);

/// What to_json wrote; nothing was lost.
Counted counted_from(const Json& json);

}  // namespace foldproof
