// A tool that sees nothing says the same as one that finds nothing. So each run also launches a kernel that
// the tool must report (self_test.cu says how each is launched), and a run that does not report it proves
// nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sanitizer/compute_sanitizer/findings.h"
#include "sanitizer/compute_sanitizer/tool.h"

namespace foldproof::compute_sanitizer {

/// A module with the entry `Tool::self_test` of every tool.
std::string_view self_test_ptx();

/// Of a launch of a self-test: one block, whose arguments are the addresses of two buffers of their own.
constexpr unsigned self_test_threads = 64;
constexpr std::size_t self_test_first_bytes = 4;  ///< never written
constexpr std::size_t self_test_second_bytes = 256;

/// Why nothing can be concluded from this run: the tool did not report its self-test as what it is. Nothing
/// where it did.
std::optional<std::string> silent(const Tool& tool, const std::vector<ToolFinding>& findings,
                                  std::string_view self_test_function);

/// The findings about other kernels.
std::vector<ToolFinding> without_self_test(std::vector<ToolFinding> findings,
                                           std::string_view self_test_function);

}  // namespace foldproof::compute_sanitizer
