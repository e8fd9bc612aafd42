// Limits on memory, each test in a fork that reports by its exit status.
#include "base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <functional>
#include <new>
#include <string>

#include "base/child.h"
#include "catch.h"

using namespace foldproof;

#ifndef __SANITIZE_ADDRESS__
namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

int exit_code_of(const std::function<void()>& work) { return Child(work, ProcessGroup::parent).wait().code; }

/// Exits with 1 if an allocation of that size fails, otherwise with 2.
[[noreturn]] void allocate_and_exit(std::uint64_t bytes) {
  void* const memory = ::operator new(bytes, std::nothrow);
  const bool has_failed = memory == nullptr;
  ::operator delete(memory);
  _exit(has_failed ? 1 : 2);
}

}  // namespace
#endif

TEST_CASE("shares of the memory are equal, and together three quarters") {
  const std::uint64_t all = memory_share(1, 1);
  CHECK(memory_share(0, 1) == all);
  CHECK(memory_share(10, 4) == all / 4);
  CHECK(memory_share(2, 4) == all / 2);
}

#ifndef __SANITIZE_ADDRESS__

TEST_CASE("a process cannot allocate more than its own limit") {
  CHECK(exit_code_of([] {
          limit_memory(200 * mebibyte, 400 * mebibyte);
          allocate_and_exit(300 * mebibyte);
        }) == 1);
  CHECK(exit_code_of([] {
          limit_memory(200 * mebibyte, 400 * mebibyte);
          _exit(memory_limit() == 200 * mebibyte ? 3 : 4);
        }) == 3);
}

TEST_CASE("a fork may give itself up to what other programs get, and no more") {
  for (const auto& [own, expected] : {std::pair{300, 300}, {900, 400}})
    CHECK(exit_code_of([own = own, expected = expected] {
            limit_memory(200 * mebibyte, 400 * mebibyte);
            limit_memory(own * mebibyte, own * mebibyte);
            _exit(memory_limit() == expected * mebibyte ? 3 : 4);
          }) == 3);
}

TEST_CASE("a lower limit of the user is the limit") {
  CHECK(exit_code_of([] {
          const rlimit limit{300 * mebibyte, 300 * mebibyte};
          setrlimit(RLIMIT_AS, &limit);
          limit_memory(200 * mebibyte, 400 * mebibyte);
          const bool is_lower = memory_limit_of_programs() == 300 * mebibyte;
          _exit(is_lower && memory_limit() == 200 * mebibyte ? 3 : 4);
        }) == 3);
}

TEST_CASE("a program gets the limit for programs") {
  CHECK(exit_code_of([] {
          limit_memory(200 * mebibyte, 400 * mebibyte);
          const std::string limit = run_process({"sh", "-c", "sleep 0.1; ulimit -d"}, "/").output;
          _exit(limit == std::to_string(400 * 1024) + "\n" ? 3 : 4);
        }) == 3);
}

#endif
