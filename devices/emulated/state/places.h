// The location of a byte: a memory, and an address in it.
#pragma once

#include <compare>
#include <cstdint>

namespace foldproof::emulated {

/// Numbers of the memories with separate addresses: global memory, the shared memory of each block, the local
/// memory of each thread. `thread`: number in the block, less than 1024.
inline constexpr std::uint64_t global_memory = 0, first_shared_memory = 1,
                               first_local_memory = std::uint64_t{1} << 63, threads_of_block = 1024;
constexpr std::uint64_t shared_memory(std::uint64_t block) { return first_shared_memory + block; }
constexpr std::uint64_t local_memory(std::uint64_t block, unsigned thread) {
  return first_local_memory + block * threads_of_block + thread;
}

/// A byte of the memory with that number.
struct Place {
  std::uint64_t of = 0, at = 0;
  auto operator<=>(const Place&) const = default;
};

}  // namespace foldproof::emulated
