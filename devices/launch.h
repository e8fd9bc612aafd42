// One launch of a kernel: what is asked for, and what it did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "devices/image.h"
#include "devices/undefined.h"
#include "oracles/expressions.h"
#include "sanitizer/finding.h"
#include "sanitizer/observer.h"

namespace foldproof {

/// A device address: an opaque number, never a host pointer.
using Address = std::uint64_t;

/// The bytes of one kernel argument, laid out as the kernel's parameter.
using ArgumentBytes = std::vector<std::byte>;

/// Shared memory of a block at most, in bytes: that of compute capability 9.0.
inline constexpr std::uint32_t largest_shared_memory = 227 << 10;

struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  Dim3 cluster{0, 0, 0};           ///< 0 where the launch asks for no cluster
  std::uint32_t shared_bytes = 0;  ///< dynamic shared memory a block
  bool cooperative = false;
};

/// What a launch may spend before it ends as a `timeout` finding.
struct Limits {
  std::uint64_t warp_instructions = 2'000'000'000;
};

/// What one launch did.
struct LaunchReport {
  std::vector<Finding> findings;        ///< in the order in which they were made
  std::uint64_t warp_instructions = 0;  ///< instructions executed, counted once a warp and split
  std::string printed;                  ///< what the kernel printed
};

/// What a launch made of the input, and left behind.
struct LaunchTrace {
  NodeId end = 0;  ///< the nodes below it were made by then
  std::vector<NodeId>
      kept;  ///< those that it made, or elements elsewhere than they came from, in global memory
};

/// What the elements of an output are made of.
struct ProvenanceTrace {
  Expressions expressions;
  std::vector<NodeId> results;        ///< one an element; 0 where it depends on no input
  std::vector<LaunchTrace> launches;  ///< of the job, in their order
};

}  // namespace foldproof
