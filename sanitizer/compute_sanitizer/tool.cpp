#include "sanitizer/compute_sanitizer/tool.h"

#include <fmt/format.h>

#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <cstdlib>
#include <regex>

#include "base/files.h"

namespace foldproof::compute_sanitizer {
namespace {

namespace fs = std::filesystem;

constexpr const char* variable = "FOLDPROOF_COMPUTE_SANITIZER";
constexpr const char* program = "compute-sanitizer";
constexpr unsigned first_known_year = 2022;

// Buffers are contiguous without padding; an overrun shorter than this does not reach the next buffer.
constexpr std::string_view padding = "65536";

// Failed API calls and copies of unwritten memory concern the launching program and are not reported.
const std::array<Tool, 4> table{{
    {"racecheck",
     "races in shared memory",
     {"--racecheck-report", "all"},
     "foldproof_self_test_racecheck",
     Kind::shared_race},
    {"memcheck",
     "out-of-bounds and misaligned accesses, and hardware exceptions",
     {"--report-api-errors", "no", "--padding", padding},
     "foldproof_self_test_memcheck",
     Kind::out_of_bounds},
    {"synccheck",
     "divergent barriers and invalid member masks",
     {},
     "foldproof_self_test_synccheck",
     Kind::barrier_divergence},
    {"initcheck",
     "reads of global memory that was never written",
     {"--check-api-memory-access", "no"},
     "foldproof_self_test_initcheck",
     Kind::uninitialized_read},
}};

}  // namespace

std::span<const Tool> tools() { return table; }

const Tool* tool_named(std::string_view name) {
  for (const Tool& tool : table)
    if (tool.name == name) return &tool;
  return nullptr;
}

std::vector<std::string> command_line(const Tool& tool, const fs::path& executable,
                                      const fs::path& xml_file) {
  std::vector<std::string> words = {executable.string(), "--tool", std::string(tool.name)};
  // compute-sanitizer expands %p and %q{NAME} in file names.
  words.insert(words.end(), {"--xml", "--save", boost::replace_all_copy(xml_file.string(), "%", "%%")});
  words.insert(words.end(), {"--print-limit", "0"});       // all records
  words.insert(words.end(), {"--demangle", "no"});         // names as in the module
  words.insert(words.end(), {"--strip-paths", "no"});      // full paths
  words.insert(words.end(), {"--show-backtrace", "yes"});  // the launch's host stack
  // Launches after one with an error are also checked.
  words.insert(words.end(), {"--destroy-on-device-error", "kernel"});
  // The exit status is the program's own, and only its own process is checked.
  words.insert(words.end(), {"--check-exit-code", "no", "--target-processes", "application-only"});
  words.insert(words.end(), tool.options.begin(), tool.options.end());
  return words;
}

fs::path find_executable(const fs::path& usual_folder) {
  const char* named = std::getenv(variable);
  if (named != nullptr && *named != '\0') {
    if (is_program(named)) return named;
    throw Unsupported(fmt::format("{}={} is not an executable file; set it to compute-sanitizer, or unset it",
                                  variable, named));
  }
  if (const auto found = find_program(program)) return *found;
  if (const fs::path usual = usual_folder / program; is_program(usual)) return usual;
  throw Unsupported(
      fmt::format("{} not found in PATH or {}; install it with the CUDA Toolkit, or set {} to its path",
                  program, usual_folder.string(), variable));
}

std::string to_string(const Version& version) {
  return fmt::format("{}.{}.{}", version.year, version.major, version.minor);
}

Version version_in(std::string_view printed) {
  static const std::regex pattern(R"((?:^|\n)Version ([0-9]{4})\.([0-9]{1,4})\.([0-9]{1,4})(?:[^0-9]|$))");
  std::cmatch match;
  if (!std::regex_search(printed.data(), printed.data() + printed.size(), match, pattern))
    throw Unsupported(
        "compute-sanitizer --version prints no line such as \"Version 2025.3.1.0\"; unknown versions are not "
        "trusted; set FOLDPROOF_COMPUTE_SANITIZER to another one");
  const auto number = [&](std::size_t group) {
    return static_cast<unsigned>(std::stoul(match[group].str()));
  };
  const Version version{number(1), number(2), number(3)};
  if (version.year < first_known_year)
    throw Unsupported(
        fmt::format("compute-sanitizer {} is too old; Foldproof reads the records of {} and later",
                    to_string(version), first_known_year));
  return version;
}

}  // namespace foldproof::compute_sanitizer
