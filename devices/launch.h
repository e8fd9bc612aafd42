// One launch of a kernel: its parameters and its report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "devices/image.h"
#include "devices/undefined_fill.h"
#include "oracles/expressions.h"
#include "sanitizer/finding.h"
#include "sanitizer/observer.h"

namespace foldproof {

/// A device address: an opaque number, never a host pointer.
using Address = std::uint64_t;

/// The bytes of one kernel argument, laid out as the kernel's parameter.
using ArgumentBytes = std::vector<std::byte>;

/// Maximum shared memory per block in bytes, for compute capability 9.0.
inline constexpr std::uint32_t largest_shared_memory = 227 << 10;

struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  Dim3 cluster{0, 0, 0};           ///< 0: the launch does not request a cluster
  std::uint32_t shared_bytes = 0;  ///< dynamic shared memory per block, in bytes
  bool cooperative = false;
};

/// The budget of a launch; exceeding it is a `timeout` finding.
struct Limits {
  std::uint64_t warp_instructions = 2'000'000'000;
};

/// Whether the user of the kernel has accepted a finding (kind and positions are known): what the kernel does
/// afterwards is then checked. Empty: none is accepted.
using AcceptsFinding = std::function<bool(const Finding&)>;

/// The report of one launch.
struct LaunchReport {
  std::vector<Finding> findings;        ///< in the order in which they were reported
  bool completed = true;                ///< all threads exited, and the contents of memory are a result
  std::uint64_t warp_instructions = 0;  ///< executed instructions, counted once per warp and divergent group
  std::string printed;                  ///< output of the kernel's printf
};

/// The provenance of what a launch left in memory.
struct LaunchTrace {
  NodeId end = 0;            ///< number of nodes at its end: smaller nodes existed by then
  std::vector<NodeId> kept;  ///< nodes that it created, or input elements that it moved, in global memory
};

/// The provenance of the elements of an output.
struct ProvenanceTrace {
  Expressions expressions;
  /// By traced output, one per element; 0 if independent of the input.
  std::vector<std::vector<NodeId>> results;
  std::vector<LaunchTrace> launches;  ///< of the job, in order
};

}  // namespace foldproof
