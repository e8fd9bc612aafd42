// An nvcc that runs what a test wants.
#pragma once

#include <filesystem>
#include <string>

#include "cli/program.h"

namespace foldproof::test {

/// A program that runs the shell command `version` when it is asked for its version, and `compile` for a
/// compilation.
inline std::string fake_nvcc(const Folder& folder, const std::string& version, const std::string& compile) {
  const std::string nvcc = folder.file(
      "nvcc", "#!/bin/sh\nif [ \"$1\" = --version ]; then " + version + "; else " + compile + "; fi\n");
  std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
  return nvcc;
}

}  // namespace foldproof::test
