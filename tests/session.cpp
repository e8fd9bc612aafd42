// Catch2 itself, compiled once.
#include "session.h"

#include <cstdio>

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using Listener = Catch::EventListenerBase;
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
using Listener = Catch::TestEventListenerBase;
#endif

namespace {

constexpr int passed = 0, failed = 1, skipped = 3;

struct Run {
  bool any = false;  ///< at least one test case ran: the program was not only asked to list them
  std::string test_case;
  std::vector<std::string> reasons;
  std::vector<foldproof::tests::AfterAll::Check> after_all;
};

Run& this_run() {
  static Run run;
  return run;
}

struct Follow : Listener {
  using Listener::Listener;
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    this_run().any = true;
    this_run().test_case = info.name;
  }
};
CATCH_REGISTER_LISTENER(Follow)

}  // namespace

namespace foldproof::tests {

void skip(const std::string& reason) { this_run().reasons.push_back(this_run().test_case + ": " + reason); }

AfterAll::AfterAll(Check check) { this_run().after_all.push_back(check); }

int run_test_cases(int argc, char** argv) {
  Catch::Session session;
  if (session.applyCommandLine(argc, argv) != 0) return failed;
  bool fails = session.run() != 0;
  if (this_run().any && !session.config().hasTestFilters())
    for (const auto check : this_run().after_all)
      for (const std::string& sentence : check()) {
        std::fprintf(stderr, "Failed after all test cases: %s\n", sentence.c_str());
        fails = true;
      }
  for (const std::string& reason : this_run().reasons) std::fprintf(stderr, "Skipped: %s\n", reason.c_str());
  return fails ? failed : this_run().reasons.empty() ? passed : skipped;
}

}  // namespace foldproof::tests
