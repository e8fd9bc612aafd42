// The page of `foldproof-lab all-reduce`.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foldproof::all_reduce {

/// Values of NCCL_ALGO and NCCL_PROTO; empty: NCCL chooses. NVLS, which adds on the switch, needs multicast;
/// the catalogue's program turns it off. CollNet needs a network.
struct Setting {
  std::string_view algorithm;
  std::string_view protocol;
};
inline constexpr std::array<Setting, 7> settings{{{"", ""},
                                                  {"Ring", "LL"},
                                                  {"Ring", "LL128"},
                                                  {"Ring", "Simple"},
                                                  {"Tree", "LL"},
                                                  {"Tree", "LL128"},
                                                  {"Tree", "Simple"}}};

/// Rows of 2^k bytes: NCCL changes its protocol between two of them.
inline constexpr std::array exponents{10U, 14U, 18U, 21U};

/// What happened under one setting, in numbers of cases.
struct Row {
  std::uint64_t cases = 0, wrong = 0, differ_between_ranks = 0, differ_between_runs = 0;
  std::uint64_t other_bits = 0;     ///< cases whose first output is not that of the first setting
  std::vector<std::string> others;  ///< a sentence about them for each instance
  /// What NCCL reports that it used, such as "RING LL", with the smallest and largest row in bytes.
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> used;
  std::string version;
  /// Findings and reasons why something did not run, each with the first case.
  std::map<std::string, std::string> problems;
};

/// Adds the versions and choices in the debug files that NCCL wrote into the folder.
void read_debug_files(const std::filesystem::path& folder, Row& row);

/// The conditions of the run.
struct Frame {
  std::string command;
  std::size_t completed = 0, instances = 0;
  unsigned runs = 0;  ///< of each case in each of two processes
};

/// The page in Markdown; one row per setting.
std::string page(const Frame& frame, std::span<const Row, settings.size()> rows);

}  // namespace foldproof::all_reduce
