// Tests that need a GPU; without one they are skipped with the reason.
#include <cstdio>
#include <cstdlib>

#include "devices/gpus.h"
#include "gpu/program.h"

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

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
  return Catch::Session().run(argc, argv) == 0
             ? 0
             : 1;  // Catch's status is the number of failures, which may be 3
}
