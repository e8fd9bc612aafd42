// Report files, one per format.
#pragma once

#include <filesystem>

#include "base/files.h"
#include "properties/verdict.h"

namespace foldproof {

/// The folder that receives report.txt, report.json and every further format.
class ReportFolder {
 public:
  /// Creates the folder if it is missing. Throws InputError or Unsupported if nothing can be written there.
  explicit ReportFolder(const std::filesystem::path& folder);
  /// Throws Unsupported if a file cannot be written.
  void write(const AuditReport& report) const;

 private:
  OutputFolder folder_;
};

}  // namespace foldproof
