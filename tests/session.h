// What a test case can report to the program that runs it (catch_main.cpp).
#pragma once

#include <string>
#include <vector>

namespace foldproof::tests {

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
