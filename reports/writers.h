// Report files, one per format.
#pragma once

#include <filesystem>

#include "properties/verdict.h"

namespace foldproof {

/// Creates the folder if it is missing. Throws InputError or Unsupported if nothing can be written there.
void check_report_folder(const std::filesystem::path& folder);

/// Writes report.txt, report.json and every further format into the folder. Throws Unsupported if that fails.
void write_reports(const std::filesystem::path& folder, const AuditReport& report);

}  // namespace foldproof
