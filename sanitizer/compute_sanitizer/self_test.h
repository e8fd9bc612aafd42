// A tool that cannot see anything produces the same output as one that finds no errors. Each run therefore
// also launches a kernel that the tool must report (self_test.cu describes the launches), and a run that does
// not report it is inconclusive.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sanitizer/compute_sanitizer/findings.h"
#include "sanitizer/compute_sanitizer/tool.h"

namespace foldproof::compute_sanitizer {

/// A PTX module with the entry `Tool::self_test` of every tool.
std::string_view self_test_ptx();

/// Launch of a self-test: one block; the arguments are the addresses of two separate buffers.
constexpr unsigned self_test_threads = 64;
constexpr std::size_t self_test_first_bytes = 4;  ///< never written
constexpr std::size_t self_test_second_bytes = 256;

/// Why this run is inconclusive: the tool did not report its self-test with the expected kind. std::nullopt
/// if it did.
std::optional<std::string> silent(const Tool& tool, const std::vector<ToolFinding>& findings,
                                  std::string_view self_test_function);

/// The findings about other kernels.
std::vector<ToolFinding> without_self_test(std::vector<ToolFinding> findings,
                                           std::string_view self_test_function);

}  // namespace foldproof::compute_sanitizer
