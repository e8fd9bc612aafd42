// Tests that need a GPU; without one they are skipped with the reason.
#include <cstdio>
#include <cstdlib>

#include "devices/gpus.h"
#include "gpu/program.h"
#include "session.h"

std::string gpu_tests_program() {
  const char* const named = std::getenv("FOLDPROOF_PROGRAM");
  return named != nullptr ? named : FOLDPROOF_PROGRAM;
}

int main(int argc, char** argv) {
  constexpr int skipped = 3;
  if (const std::string& lack = foldproof::gpus().lack; !lack.empty()) {
    std::fprintf(stderr, "skipped: %s\n", lack.c_str());
    return skipped;
  }
  return foldproof::tests::run_test_cases(argc, argv);
}
