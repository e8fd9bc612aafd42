// Counters as JSON.
#pragma once

#include "reports/json.h"

namespace foldproof {

/// {"case", "launches", …, "shared": {"loads": {…}, …}, "rounds": […]}, as docs/json.md lists them.
Json to_json(const Counted& counted);

/// The inverse of to_json; lossless.
Counted counted_from(const Json& json);

}  // namespace foldproof
