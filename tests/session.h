// The test cases of a program: running them, and what they can report.
#pragma once

#include <string>
#include <vector>

namespace foldproof::tests {

/// Runs the test cases that the command line selects. Returns the exit status of the program: 0 if all
/// passed, 1 if one failed, and 3 if none failed but some were skipped. Catch's own status is the number of
/// failures, which may also be 3.
int run_test_cases(int argc, char** argv);

/// Marks the running test case as skipped, with the reason as a sentence; the test case must then return. The
/// program prints all reasons and, if nothing failed, ends with exit status 3, which ctest reports as
/// "Skipped".
void skip(const std::string& reason);

/// Registers a check over all test cases together, independent of their order. It runs after the last test
/// case, unless only some were selected, and returns what is missing, as sentences; each of them makes the
/// program fail.
class AfterAll {
 public:
  using Check = std::vector<std::string> (*)();
  explicit AfterAll(Check check);
};

}  // namespace foldproof::tests
