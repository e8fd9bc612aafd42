// What the PTX of one entry reveals about how it is meant to be launched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ptx/source.h"

namespace foldproof {

/// An operation and the PTX type on which it works: "add" on "f32".
struct TypedOperation {
  std::string name, type;
  auto operator<=>(const TypedOperation&) const = default;
};

struct EntryFacts {
  bool uses_block_index = false;  ///< reads %ctaid
  /// Reads %ctaid.x, .y, .z; only x if it numbers the blocks of a grid of any shape.
  std::array<bool, 3> block_axes{};
  /// Reads %nctaid.x, .y, .z, as a loop does that strides by the size of the grid; only x, as above.
  std::array<bool, 3> stride_axes{};
  /// Reads %tid.y but not %ntid.y, from which an index into any block is computed: its blocks have two
  /// dimensions.
  bool has_two_dimensions = false;
  bool uses_shared = false;  ///< static or dynamic shared memory
  bool uses_dynamic_shared = false;
  bool uses_shuffle = false;    ///< shfl, redux or vote
  bool uses_grid_sync = false;  ///< reads the environment register that a cooperative launch sets
  bool asserts = false;         ///< calls the function of a failed assertion
  /// Two numbers may be compared after an exponential was computed, as by a softmax that finds its maximum
  /// during the sum.
  bool compares_after_exponential = false;
  bool reads_in_loop = false;  ///< loads global memory in a loop: any number of elements per thread
  /// Some instruction flushes subnormals to zero. Two exceptions are not counted: the approximate 2^x of the
  /// hardware, which every expf contains and which the bounds of exponentials take into account, and the
  /// approximate 1/x of f64, with which divisions begin.
  bool flushes_subnormals = false;
  bool divides_approximately = false;  ///< some division, reciprocal or root of f32 is
  bool approximates = false;           ///< some instruction is approximate: the ISA only bounds its error
  std::uint64_t widest_read = 0;       ///< most bytes of global memory that a thread reads in one instruction
  std::uint64_t widest_shared_store =
      0;  ///< size in bytes of the widest element that is stored to shared memory
  std::optional<std::uint32_t> required_threads;  ///< .reqntid
  std::optional<std::uint32_t> most_threads;      ///< .maxntid
  std::array<std::uint32_t, 3> cluster{0, 0, 0};  ///< .reqnctapercluster; zeros if absent
  std::vector<std::uint64_t> shared_arrays;       ///< size in bytes of each array declared in a function
  std::set<std::uint64_t> compared_integers;      ///< positive constants with which integers are compared
  std::set<std::size_t> unused_parameters;        ///< by index: no instruction of the entry names them
  std::set<std::string> host_constants;           ///< variables in constant memory that only the host sets
  std::set<TypedOperation> atomics;               ///< not on shared memory
  std::set<TypedOperation> arithmetic;            ///< on registers

  bool operator==(const EntryFacts&) const = default;
};

/// Reads the definition of `lowered`, and those of the functions that it calls by name, such as those that
/// nvcc -G does not inline; everything is unset if there is no definition.
EntryFacts facts_of(const ptx::Module& module, const std::string& lowered);

/// The same; everything is unset if the text cannot be parsed. No device loads such text.
EntryFacts facts_of(const ptx::Source& source, const std::string& lowered);

}  // namespace foldproof
