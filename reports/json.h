// The JSON form of a report: what other programs read, and how an audit's processes hand results to each
// other.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "properties/verdict.h"

namespace foldproof {

using Json = nlohmann::ordered_json;

/// {"tool","version","device","seed","kernels":[…]}. 64-bit integers that need all their bits are strings,
/// unknown numbers and places are null.
Json to_json(const AuditReport& report);
Json to_json(const KernelReport& kernel);

/// {"kind","severity","message","file","line",…} of one finding.
Json to_json(const Finding& finding);
/// What to_json wrote of a finding; nothing was lost.
Finding finding_from(const Json& json);

/// {"tool","version","device","seed"}: what every report begins with.
Json report_envelope(const Json& device, const Json& seed);

/// The object that stands for a run that could not begin: no kernels, and {"error":{"message","file","line",
/// "column"}}.
Json error_json(std::string_view message, const Position& position);

/// One line of text without a trailing newline. Bytes that are no UTF-8 are replaced.
std::string dump(const Json& json);

/// What to_json wrote of a kernel; nothing was lost.
KernelReport kernel_report_from(const Json& json);

/// JSON as compact bytes, and back; unlike text these keep infinities.
std::string pack(const Json& json);
Json unpack(std::string_view bytes);

}  // namespace foldproof
