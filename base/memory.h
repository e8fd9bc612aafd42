// Limits on the memory of this process and of the processes that it starts.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace foldproof {

/// The memory that each of `tasks` may allocate if `processes` of them run at a time, in bytes: together
/// three quarters of this machine's memory, or of what a container limits it to.
std::uint64_t memory_share(std::size_t tasks, unsigned processes);

/// Limits the memory that this process may allocate to `own` bytes, and that of each program that it starts
/// (base/child.h) to `others`, which is at least `own`. Forks inherit both limits. Neither exceeds the hard
/// limit that is in force. Without effect under AddressSanitizer, which reserves terabytes.
void limit_memory(std::uint64_t own, std::uint64_t others);

/// Gives a program that this process has started the limit for programs instead of this process's own.
void give_memory_of_programs(pid_t program);

/// The memory that this process may allocate, in bytes; std::bad_alloc is thrown beyond it. The user may have
/// set a lower limit (ulimit -v).
std::uint64_t memory_limit();

/// The memory that each program that it starts may allocate, in bytes.
std::uint64_t memory_limit_of_programs();

}  // namespace foldproof
