// The JSON form of a report: read by other programs, and used by an audit's processes to return results.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "properties/verdict.h"

namespace foldproof {

using Json = nlohmann::ordered_json;

/// {"tool","version","device","seed","kernels":[…]}. 64-bit integers that need all their bits are strings;
/// unknown numbers and places are null.
Json to_json(const AuditReport& report);
Json to_json(const KernelReport& kernel);

/// {"kind","severity","message","file","line",…} for one finding.
Json to_json(const Finding& finding);
/// The inverse of to_json for a finding; lossless.
Finding finding_from(const Json& json);

/// {"tool","version","device","seed"}: the beginning of every report.
Json report_envelope(const Json& device, const Json& seed);

/// The object for a run that could not start: no kernels, and {"error":{"message","file","line","column"}}.
Json error_json(std::string_view message, const Position& position);

/// One line of ASCII without a trailing newline, so that it cannot control a terminal. Invalid UTF-8 is
/// replaced by U+FFFD.
std::string dump(const Json& json);

/// dump() with a newline, without commands for CI services (base/printable.h).
std::string json_line(const Json& json);

/// The inverse of to_json for a kernel; lossless.
KernelReport kernel_report_from(const Json& json);

/// JSON as compact bytes, and back; unlike text, these preserve infinities.
std::string pack(const Json& json);
Json unpack(std::string_view bytes);

}  // namespace foldproof
