#include "sanitizer/compute_sanitizer/tool.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <regex>

#include "base/files.h"

namespace foldproof::compute_sanitizer {
namespace {

namespace fs = std::filesystem;

constexpr const char* variable = "FOLDPROOF_COMPUTE_SANITIZER";
constexpr const char* program = "compute-sanitizer";
constexpr const char* usual_place = "/usr/local/cuda/bin";
constexpr unsigned first_known_year = 2022;

// Buffers lie back to back, and what runs over the end of one by less than this does not reach the next.
constexpr std::string_view padding = "65536";

// Calls that fail, and copies of what no kernel has written, are the business of the program that launches.
const std::array<Tool, 4> table{{
    {"racecheck",
     "races in shared memory",
     {"--racecheck-report", "all"},
     "foldproof_self_test_racecheck",
     Kind::shared_race},
    {"memcheck",
     "accesses out of bounds, misaligned ones, and exceptions of the hardware",
     {"--report-api-errors", "no", "--padding", padding},
     "foldproof_self_test_memcheck",
     Kind::out_of_bounds},
    {"synccheck",
     "barriers that threads do not meet together, and wrong member masks",
     {},
     "foldproof_self_test_synccheck",
     Kind::barrier_divergence},
    {"initcheck",
     "reads of global memory that was never written",
     {"--check-api-memory-access", "no"},
     "foldproof_self_test_initcheck",
     Kind::uninitialized_read},
}};

// compute-sanitizer replaces %p and %q{NAME} in names of files.
std::string escaped(const fs::path& file) {
  std::string text;
  for (const char c : file.string()) text += c == '%' ? std::string("%%") : std::string(1, c);
  return text;
}

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
  words.insert(words.end(), {"--xml", "--save", escaped(xml_file)});
  words.insert(words.end(), {"--print-limit", "0"});       // all records
  words.insert(words.end(), {"--demangle", "no"});         // names as modules have them
  words.insert(words.end(), {"--strip-paths", "no"});      // files with their folders
  words.insert(words.end(), {"--show-backtrace", "yes"});  // the place of the launch
  // The launches behind one with an error are checked, too.
  words.insert(words.end(), {"--destroy-on-device-error", "kernel"});
  // The status is the program's, and only its own process is watched.
  words.insert(words.end(), {"--check-exit-code", "no", "--target-processes", "application-only"});
  words.insert(words.end(), tool.options.begin(), tool.options.end());
  return words;
}

fs::path find_executable() {
  const char* named = std::getenv(variable);
  if (named != nullptr && *named != '\0') {
    if (is_program(named)) return named;
    throw Unsupported(
        fmt::format("{} names {}, which is no executable file; let it name compute-sanitizer, or unset it",
                    variable, named));
  }
  if (const auto found = find_program(program)) return *found;
  if (const fs::path usual = fs::path(usual_place) / program; is_program(usual)) return usual;
  throw Unsupported(
      fmt::format("there is no {} in PATH or in {}; install it with the CUDA Toolkit, or let {} name it",
                  program, usual_place, variable));
}

std::string to_string(const Version& version) {
  return fmt::format("{}.{}.{}", version.year, version.major, version.minor);
}

Version version_in(std::string_view printed) {
  static const std::regex pattern(R"((?:^|\n)Version ([0-9]{4})\.([0-9]{1,4})\.([0-9]{1,4})(?:[^0-9]|$))");
  std::cmatch match;
  if (!std::regex_search(printed.data(), printed.data() + printed.size(), match, pattern))
    throw Unsupported(
        "compute-sanitizer --version prints no line such as \"Version 2025.3.1.0\"; what writes an unknown "
        "format "
        "is not trusted: let FOLDPROOF_COMPUTE_SANITIZER name another one");
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
