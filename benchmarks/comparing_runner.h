// Runs jobs on a GPU and on the emulated device, to see whether both leave the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "contracts/contract.h"
#include "devices/emulated/runner.h"
#include "devices/runner_parts.h"

namespace foldproof {

/// Numbers of runs by outcome.
struct RunTally {
  std::uint64_t runs = 0, same = 0;  ///< both devices ended; and left the same bits
  std::uint64_t other_nan = 0;       ///< the same except for NaNs of f64, which differ in sign or payload
  std::uint64_t left_out = 0;        ///< one of the devices did not end, or lacks an instruction
};

/// Returns the GPU's results, with a finding if bits must be the same and are not.
class ComparingRunner final : public WrappedRunner {
 public:
  /// `instance` must outlive this object.
  ComparingRunner(std::unique_ptr<Runner> gpu, const Instance& instance, bool must_be_same)
      : WrappedRunner(std::move(gpu)), instance_(instance), must_be_same_(must_be_same) {}

  /// Jobs have schedules, which the emulated device obeys; the GPU runs the corresponding co-running loads.
  Capabilities capabilities() const override;
  std::vector<JobResult> run(const std::vector<Job>& jobs) override;

  const RunTally& tally() const { return tally_; }

 private:
  std::optional<Finding> compare(const Job& job, const JobResult& emulated, const JobResult& real);
  bool is_f64(const std::string& buffer) const;

  std::unique_ptr<Runner> emulated_ = emulated::make_runner();
  const Instance& instance_;
  bool must_be_same_;
  RunTally tally_;
};

}  // namespace foldproof
