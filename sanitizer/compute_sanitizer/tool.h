// The tools of NVIDIA's compute-sanitizer, and how Foldproof calls them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sanitizer/finding.h"

namespace foldproof::compute_sanitizer {

struct Tool {
  std::string_view name;                  ///< as `--tool` takes it
  std::string_view sees;                  ///< what it finds, in words
  std::vector<std::string_view> options;  ///< beside those that every tool is given
  std::string_view self_test;             ///< the kernel of `self_test_ptx` that it must report
  Kind proof;                             ///< as what it must report that kernel
};

/// All four, in the order in which help and reports name them.
std::span<const Tool> tools();
/// The tool of that name, or nothing.
const Tool* tool_named(std::string_view name);

/// The command up to the program that it runs: the executable and its options. The records are in `xml_file`
/// once that program has ended; one that is killed leaves none.
std::vector<std::string> command_line(const Tool& tool, const std::filesystem::path& executable,
                                      const std::filesystem::path& xml_file);

/// Where compute-sanitizer is: what FOLDPROOF_COMPUTE_SANITIZER names, else the first in PATH, else that of
/// /usr/local/cuda/bin. Throws Unsupported where it is in none of them.
std::filesystem::path find_executable();

struct Version {
  unsigned year = 0, major = 0, minor = 0;
  auto operator<=>(const Version&) const = default;
};
/// "2025.3.1"
std::string to_string(const Version& version);

/// The version in what `compute-sanitizer --version` printed. Throws Unsupported where there is none, and for
/// versions before 2022, whose records nobody has compared with what is read here.
Version version_in(std::string_view printed);

}  // namespace foldproof::compute_sanitizer
