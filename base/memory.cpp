#include "base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace foldproof {
namespace {

/// This machine's memory in bytes, or less if a container limits it.
std::uint64_t memory_of_machine() {
  const auto physical =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t limit = 0;  // remains 0 if there is no file, or for "max"
  std::ifstream("/sys/fs/cgroup/memory.max") >> limit;
  return limit == 0 ? physical : std::min(limit, physical);
}

rlimit limits() {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(RLIMIT_DATA, &limit);
  return limit;
}

/// What the user allows this process and those that it starts (ulimit -v).
rlim_t limit_of_user() {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(RLIMIT_AS, &limit);
  return limit.rlim_cur;
}

}  // namespace

std::uint64_t memory_share(std::size_t tasks, unsigned processes) {
  const std::uint64_t together = std::max<std::uint64_t>(1, std::min<std::uint64_t>(processes, tasks));
  return memory_of_machine() / 4 * 3 / together;
}

void limit_memory(std::uint64_t own, std::uint64_t others) {
#ifndef __SANITIZE_ADDRESS__
  rlimit limit = limits();
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, others);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, own);
  setrlimit(RLIMIT_DATA, &limit);
#else
  static_cast<void>(own);
  static_cast<void>(others);
#endif
}

void give_memory_of_programs(pid_t program) {
  rlimit limit = limits();
  limit.rlim_cur = limit.rlim_max;
  prlimit(program, RLIMIT_DATA, &limit, nullptr);
}

std::uint64_t memory_limit() { return std::min(limits().rlim_cur, limit_of_user()); }

std::uint64_t memory_limit_of_programs() { return std::min(limits().rlim_max, limit_of_user()); }

}  // namespace foldproof
