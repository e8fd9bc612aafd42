// What the PTX of one entry tells about how it wants to be launched.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

struct EntryFacts {
  bool uses_grid_size = false;    ///< reads %nctaid, as a grid-stride loop does
  bool uses_block_index = false;  ///< reads %ctaid
  bool uses_shared = false;       ///< static or dynamic shared memory
  bool uses_dynamic_shared = false;
  bool uses_shuffle = false;    ///< shfl, redux or vote
  bool uses_grid_sync = false;  ///< reads the environment register that a cooperative launch sets
  bool reads_in_loop = false;   ///< of global memory: any number of elements a thread
  /// Some instruction makes zero of subnormal numbers. Not counted are the hardware's 2^x, which is in every
  /// expf and about which the bounds of exponentials know, and its 1/x of f64, with which divisions begin.
  bool flushes_subnormals = false;
  bool approximates = false;      ///< some instruction's result is left to the hardware, within an error
  std::uint64_t widest_read = 0;  ///< bytes of global memory that a thread reads at once at most
  std::optional<std::uint32_t> required_threads;  ///< .reqntid
  std::optional<std::uint32_t> most_threads;      ///< .maxntid
  std::array<std::uint32_t, 3> cluster{0, 0, 0};  ///< .reqnctapercluster; zeros without one
  std::vector<std::uint64_t> shared_arrays;       ///< bytes of each static array
  std::set<std::string> atomics;                  ///< "add.f32": operation and type of each global atomic
  std::set<std::string> arithmetic;               ///< "max.f32": the same of what is computed in registers
};

/// Reads the definition of `lowered` in PTX text, and those of the functions that it calls by name, as nvcc
/// -G leaves them; everything unset where there is none.
EntryFacts facts_of(std::string_view ptx, std::string_view lowered);

}  // namespace foldproof
