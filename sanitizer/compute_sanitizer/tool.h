// The tools of NVIDIA's compute-sanitizer, and their command lines.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sanitizer/finding.h"

namespace foldproof::compute_sanitizer {

struct Tool {
  std::string_view name;                  ///< argument of `--tool`
  std::string_view sees;                  ///< what it finds, in words
  std::vector<std::string_view> options;  ///< in addition to the options common to all tools
  std::string_view self_test;             ///< the kernel of `self_test_ptx` that it must report
  Kind proof;                             ///< the kind with which it must report that kernel
};

/// All four, in the order used by help and reports.
std::span<const Tool> tools();
/// The tool of that name, or null.
const Tool* tool_named(std::string_view name);

/// The command line up to the program to run: the executable and its options. The records are in `xml_file`
/// after that program has exited; a killed program leaves none.
std::vector<std::string> command_line(const Tool& tool, const std::filesystem::path& executable,
                                      const std::filesystem::path& xml_file);

/// The path of compute-sanitizer: $FOLDPROOF_COMPUTE_SANITIZER, else the first in PATH, else the one in
/// `usual_folder`. Throws Unsupported if none of them exists.
std::filesystem::path find_executable(const std::filesystem::path& usual_folder = "/usr/local/cuda/bin");

struct Version {
  unsigned year = 0, major = 0, minor = 0;
  auto operator<=>(const Version&) const = default;
};
/// "2025.3.1"
std::string to_string(const Version& version);

/// Parses the output of `compute-sanitizer --version`. Throws Unsupported if it contains no version, and for
/// versions before 2022, whose records were never compared with what this parser expects.
Version version_in(std::string_view printed);

}  // namespace foldproof::compute_sanitizer
