// Report files, one per format.
#pragma once

#include <filesystem>

#include "base/files.h"
#include "properties/verdict.h"

namespace foldproof {

/// The folder that receives report.txt, report.json and every further format.
class ReportFolder {
 public:
  /// Creates the folder if it is missing, and removes the files of an earlier run: if this run fails before
  /// it has a report, none is left. Throws InputError or Unsupported if nothing can be written there.
  explicit ReportFolder(const std::filesystem::path& folder);
  /// Throws Unsupported if a file cannot be written.
  void write(const AuditReport& report) const;

 private:
  OutputFolder folder_;
};

}  // namespace foldproof
