// The first GPU of this machine, through the driver API: memory, launches and timing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "devices/launch.h"

// Declared as in cuda.h, so that users do not need to include it.
struct CUctx_st;
struct CUevent_st;
struct CUfunc_st;
struct CUstream_st;

namespace foldproof::cuda {

struct Properties {
  std::string name;
  int compute_capability = 0;  ///< 90: 9.0
  unsigned multiprocessors = 0;
  int driver = 0;                  ///< 13000 for CUDA 13.0
  std::uint32_t shared_bytes = 0;  ///< maximum per block
  std::uint64_t l2_bytes = 0;
  double bytes_per_second = 0;  ///< memory bandwidth, from memory clock and bus width
};

/// A launch that exceeds the GPU's resources: blocks too large for the kernel's registers, a cooperative grid
/// that cannot be resident at once, clusters that do not fit.
struct RefusedLaunch {
  std::string why;
};

/// Makes the GPU's primary context current and uses one stream of it. Throws Unsupported if there is no GPU;
/// all other errors throw Failure (devices/cuda/failure.h).
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Properties& properties() const { return properties_; }
  CUstream_st* stream() const { return stream_; }

  /// Asynchronous, in the order of the calls; `wait` waits for their completion.
  void write(Address to, std::span<const std::byte> bytes);
  void read(Address from, std::span<std::byte> bytes);
  void copy(Address to, Address from, std::uint64_t bytes);
  /// Throws RefusedLaunch if the GPU cannot run such a launch.
  void launch(CUfunc_st* function, const LaunchShape& shape, std::span<const ArgumentBytes> arguments);
  /// The same, but with programmatic dependent launch, which hides the launch latency: the kernel waits for
  /// the previous one itself, with cudaGridDependencySynchronize. Requires compute capability 9.0.
  void launch_early(CUfunc_st* function, const LaunchShape& shape, std::span<const ArgumentBytes> arguments);
  /// Subsequent launches use this launch site (devices/cuda/launch_sites.h).
  void launch_from(unsigned site) { site_ = site; }
  /// Launches the kernel on a second stream, concurrently with the context's stream.
  void launch_beside(CUfunc_st* function, const LaunchShape& shape, std::span<const ArgumentBytes> arguments);
  void wait();
  /// Like `wait`, but for at most `limit`: returns false if work is still running then.
  bool ends_within(std::chrono::milliseconds limit);

  /// The number of such blocks that can be resident at once on the whole GPU.
  std::uint64_t resident_blocks(CUfunc_st* function, const LaunchShape& shape) const;

 private:
  int device_ = 0;
  CUctx_st* context_ = nullptr;
  CUstream_st *stream_ = nullptr, *beside_ = nullptr;
  Properties properties_;
  unsigned site_ = 0;
};

/// GPU memory, freed by the destructor.
class Memory {
 public:
  explicit Memory(std::uint64_t bytes);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&&) = delete;

  Address address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  Address address_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Page-locked host memory, for transfers by the GPU.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::uint64_t bytes);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

/// Measures the time between two points of a stream.
class Stopwatch {
 public:
  explicit Stopwatch(const Context& context);
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void start();
  /// Waits for the work submitted since start().
  double stop();  ///< seconds

 private:
  CUstream_st* stream_;
  CUevent_st *begin_ = nullptr, *end_ = nullptr;
};

}  // namespace foldproof::cuda
