// A report as files: one a format.
#pragma once

#include <filesystem>

#include "properties/verdict.h"

namespace foldproof {

/// Makes the folder where it is missing. Throws InputError when nothing can be written there.
void check_report_folder(const std::filesystem::path& folder);

/// Writes report.txt, report.json and every further format into the folder. Throws Unsupported where that
/// does not succeed.
void write_reports(const std::filesystem::path& folder, const AuditReport& report);

}  // namespace foldproof
