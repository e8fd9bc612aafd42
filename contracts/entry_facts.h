// What the PTX of one entry tells about how it wants to be launched.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ptx/source.h"

namespace foldproof {

/// What an instruction does, and on which type of PTX: "add" on "f32".
struct TypedOperation {
  std::string name, type;
  auto operator<=>(const TypedOperation&) const = default;
};

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
  std::vector<std::uint64_t> shared_arrays;       ///< bytes of each that a function declares
  std::set<TypedOperation> atomics;               ///< on global memory
  std::set<TypedOperation> arithmetic;            ///< in registers

  bool operator==(const EntryFacts&) const = default;
};

/// Reads the definition of `lowered`, and those of the functions that it calls by name, as nvcc -G leaves
/// them; everything unset where there is none.
EntryFacts facts_of(const ptx::Module& module, const std::string& lowered);

/// The same; everything unset for text that cannot be parsed, which no device loads.
EntryFacts facts_of(const ptx::Source& source, const std::string& lowered);

}  // namespace foldproof
