// What a test case may tell the program that runs it (catch_main.cpp).
#pragma once

#include <string>
#include <vector>

namespace foldproof::tests {

/// Notes that the running test case is skipped, and why, as a sentence; it must return then. The program
/// prints all reasons, and where nothing failed it ends with exit status 3, which ctest reports as "Skipped".
void skip(const std::string& reason);

/// Registers a check of what all test cases together have done, in whatever order they ran. It runs after the
/// last of them, unless only some were chosen, and returns what is missing, as sentences: each makes the
/// program fail.
class AfterAll {
 public:
  using Check = std::vector<std::string> (*)();
  explicit AfterAll(Check check);
};

}  // namespace foldproof::tests
