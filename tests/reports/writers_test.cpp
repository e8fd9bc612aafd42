// Reports in files.
#include "reports/writers.h"

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"

namespace foldproof {
namespace {

TEST_CASE("A report that cannot be written does not prevent the others") {
  const TemporaryFolder temporary;
  const ReportFolder folder(temporary.path());
  std::filesystem::create_directory(temporary.path() / "report.txt");
  CHECK_THROWS_AS(folder.write(AuditReport{}), Unsupported);
  CHECK(std::filesystem::is_regular_file(temporary.path() / "report.json"));
}

}  // namespace
}  // namespace foldproof
