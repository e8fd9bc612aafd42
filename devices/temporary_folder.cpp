#include "devices/temporary_folder.h"

#include <cstdlib>
#include <string>

#include "sanitizer/error.h"

namespace foldproof {

namespace fs = std::filesystem;

namespace {

fs::path& chosen() {
  static fs::path folder;
  return folder;
}

fs::path base() {
  if (!chosen().empty()) return chosen();
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  return error ? fs::path("/tmp") : folder;
}

}  // namespace

void make_temporary_folders_in(const fs::path& folder) { chosen() = folder; }

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (base() / "foldproof-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw InputError("no temporary folder can be made here; set TMPDIR to a folder that can be written",
                     {pattern});
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace foldproof
