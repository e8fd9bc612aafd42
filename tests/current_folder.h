// Tests with relative paths.
#pragma once

#include <filesystem>

namespace foldproof::tests {

/// The current folder of this process, until the end of a test case.
class CurrentFolder {
 public:
  explicit CurrentFolder(const std::filesystem::path& folder) { std::filesystem::current_path(folder); }
  ~CurrentFolder() { std::filesystem::current_path(before_); }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

}  // namespace foldproof::tests
