// An instance with all that it needs in a GPU's memory, for one count of elements that are there already.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "contracts/contract.h"
#include "devices/cuda/context.h"
#include "devices/cuda/module.h"
#include "properties/execution/job.h"

namespace foldproof {

/// What a launch is to be like where the contract leaves a choice.
struct LaunchWish {
  std::int64_t threads = 256;          ///< of a block
  std::optional<std::int64_t> blocks;  ///< absent: as many as are resident at once
  auto operator<=>(const LaunchWish&) const = default;
};

class KernelOnGpu {
 public:
  /// Of `count` elements, or what the contract admits that comes nearest; so it is with the wish. Throws
  /// InputError for what the contract or the GPU cannot do, Failure where the GPU's memory does not suffice.
  KernelOnGpu(cuda::Context& context, const Instance& instance, const std::shared_ptr<const Image>& image,
              std::int64_t count, const LaunchWish& wish = {});

  std::int64_t count() const { return variables_.at("count"); }
  const Variables& variables() const { return variables_; }
  const LaunchShape& first_shape() const { return launch(0).shape; }

  /// Sets back what must be there again before each call, and launches: in the context's stream, and not at
  /// once. `input`: where `count()` elements begin.
  void run(Address input);

  Address output() const { return memory_[job_.output].address(); }
  std::uint64_t output_count() const { return job_.output_count; }
  /// What the kernel left there, after what was asked for before. Of a buffer by its name in the contract.
  std::vector<std::byte> output_bytes();
  std::vector<std::byte> read(const std::string& buffer);
  void write(const std::string& buffer, std::span<const std::byte> bytes);
  void clear(const std::string& buffer);  ///< zeros

 private:
  const JobLaunch& launch(std::size_t k) const { return std::get<JobLaunch>(job_.job.steps[k]); }
  void prepare(std::int64_t count, const LaunchWish& wish, const std::shared_ptr<const Image>& image);
  void allocate();
  std::size_t place_of(const std::string& buffer) const;
  std::vector<ArgumentBytes> arguments(const JobLaunch& launch, Address input) const;

  cuda::Context& context_;
  Instance instance_;
  cuda::Module module_;
  Variables variables_;
  PreparedJob job_;
  std::vector<CUfunc_st*> functions_;                          ///< by launch: looked up once
  std::vector<cuda::Memory> memory_;                           ///< by buffer; a byte stands for the input
  std::vector<std::pair<std::uint32_t, cuda::Memory>> again_;  ///< what a buffer must hold before each call
};

}  // namespace foldproof
