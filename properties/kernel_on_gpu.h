// An instance with everything that it needs in GPU memory, for a fixed count of elements that are already
// there.
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

/// The preferred launch where the contract leaves a choice.
struct LaunchWish {
  std::int64_t threads = 256;          ///< per block
  std::optional<std::int64_t> blocks;  ///< absent: as many as can be resident at once
  auto operator<=>(const LaunchWish&) const = default;
};

class KernelOnGpu {
 public:
  /// For `count` elements or the nearest count that the contract admits; the same holds for the wish. Throws
  /// InputError for what the contract or the GPU cannot do, Failure if GPU memory does not suffice.
  KernelOnGpu(cuda::Context& context, const Instance& instance, const std::shared_ptr<const Image>& image,
              std::int64_t count, const LaunchWish& wish = {});

  std::int64_t count() const { return variables_.at("count"); }
  const Variables& variables() const { return variables_; }
  const LaunchShape& first_shape() const { return launch(0).shape; }

  /// Restores what each call requires and launches, asynchronously in the context's stream. `input`: the
  /// address of `count()` elements.
  void run(Address input);

  Address output() const { return memory_[job_.outputs.front().buffer].address(); }
  std::uint64_t output_count() const { return job_.outputs.front().count; }
  /// The contents after all work enqueued so far: of the output, or of a buffer by its name in the contract.
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
  std::vector<CUfunc_st*> functions_;  ///< by launch; looked up once
  std::vector<cuda::Memory> memory_;   ///< by buffer; one placeholder byte for the input
  std::vector<std::pair<std::uint32_t, cuda::Memory>> again_;  ///< what a buffer must hold before each call
};

}  // namespace foldproof
