// The first GPU of this machine, through its driver: memory, launches and times.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "devices/launch.h"

// As cuda.h names them, which users of this need not have.
struct CUctx_st;
struct CUevent_st;
struct CUfunc_st;
struct CUstream_st;

namespace foldproof::cuda {

struct Properties {
  std::string name;
  int compute_capability = 0;  ///< 90: 9.0
  unsigned multiprocessors = 0;
  int driver = 0;                  ///< 13000: of CUDA 13.0
  std::uint32_t shared_bytes = 0;  ///< of a block at most
  std::uint64_t l2_bytes = 0;
  double bytes_per_second = 0;  ///< of its memory, by clock and width of the bus
};

/// A launch that asks for more than the GPU has: blocks too large for the kernel's registers, a cooperative
/// grid that is not resident at once, clusters that fit nowhere.
struct RefusedLaunch {
  std::string why;
};

/// Makes the GPU's primary context current, and works in one stream of it. Throws Unsupported where there is
/// no GPU; all else throws Failure (devices/cuda/failure.h).
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Properties& properties() const { return properties_; }
  CUstream_st* stream() const { return stream_; }

  /// In the order of the calls, and not at once: `wait` for them.
  void write(Address to, std::span<const std::byte> bytes);
  void read(Address from, std::span<std::byte> bytes);
  void copy(Address to, Address from, std::uint64_t bytes);
  /// Throws RefusedLaunch where the GPU cannot run such a launch at all.
  void launch(CUfunc_st* function, const LaunchShape& shape, std::span<const ArgumentBytes> arguments);
  /// The same, but made ready while the launch before still runs, so that its latency hides behind that one:
  /// the kernel waits for it by itself, by cudaGridDependencySynchronize. From compute capability 9.0 on.
  void launch_early(CUfunc_st* function, const LaunchShape& shape, std::span<const ArgumentBytes> arguments);
  /// Later launches come from there (devices/cuda/launch_sites.h).
  void launch_from(unsigned site) { site_ = site; }
  /// Runs it beside what the context's stream does.
  void launch_beside(CUfunc_st* function, const LaunchShape& shape, std::span<const ArgumentBytes> arguments);
  void wait();
  /// The same for at most so long: false where something still runs then.
  bool ends_within(std::chrono::milliseconds limit);

  /// How many such blocks are resident at once on the whole GPU.
  std::uint64_t resident_blocks(CUfunc_st* function, const LaunchShape& shape) const;

 private:
  int device_ = 0;
  CUctx_st* context_ = nullptr;
  CUstream_st *stream_ = nullptr, *beside_ = nullptr;
  Properties properties_;
  unsigned site_ = 0;
};

/// Memory of the GPU, freed with it.
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

/// Memory of this machine that the GPU can copy from and to by itself.
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

/// The time between two places of a stream.
class Stopwatch {
 public:
  explicit Stopwatch(const Context& context);
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void start();
  /// Waits for what was asked for since the start.
  double stop();  ///< seconds

 private:
  CUstream_st* stream_;
  CUevent_st *begin_ = nullptr, *end_ = nullptr;
};

}  // namespace foldproof::cuda
