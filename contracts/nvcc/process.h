// A child process without a shell: an argument vector in, its status and its output back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace foldproof {

struct ProcessResult {
  int status = 0;      ///< its exit status; 128 + N where signal N ended it
  std::string output;  ///< standard output and standard error as they came, at most 1 MiB
};

/// Runs `arguments[0]` with standard input closed and TMPDIR set to `temporary`, and waits for it.
/// Throws InputError when it cannot be started.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& temporary);

}  // namespace foldproof
