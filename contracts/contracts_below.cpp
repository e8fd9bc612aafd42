// The contracts of a folder.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "contracts/contract.h"

namespace foldproof {

namespace fs = std::filesystem;

namespace {

/// Whether "format" stands among the keys before the first table. A file with wrong TOML further down counts,
/// so that its error is told and not passed over.
bool is_contract(const fs::path& file) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    if (line[begin] == '[') return false;
    const std::string_view rest = std::string_view(line).substr(begin);
    if (rest.starts_with("format") && rest.find_first_of(" \t=", 6) == 6) return true;
  }
  return false;
}

}  // namespace

std::vector<fs::path> contracts_below(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    if (it->path().filename() == case_store_folder) it.disable_recursion_pending();
    if (it->path().extension() != ".toml" || !it->is_regular_file(error)) continue;
    if (is_contract(it->path())) found.push_back(it->path());
  }
  if (error)
    throw InputError(fmt::format("the folder cannot be searched: {}", error.message()), {folder.string()});
  std::ranges::sort(found);
  return found;
}

}  // namespace foldproof
