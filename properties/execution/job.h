// Converts a case to the job that a device runs.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "contracts/contract.h"
#include "devices/runner.h"
#include "properties/case.h"

namespace foldproof {

/// A job, and the indices of its input and output.
struct PreparedJob {
  Job job;
  std::uint32_t input = 0, output = 0;  ///< indices into job.buffers; the same for an in-place kernel
  std::uint64_t output_count = 0;       ///< elements of the result
  std::vector<std::uint32_t> operands,
      additional_outputs;  ///< indices into job.buffers, in the contract's order
  std::vector<std::vector<std::byte>> operand_values;
  std::vector<std::byte> untouched;  ///< content of an output that must stay untouched; empty if undefined
};

/// The case's input elements; empty without a reduction.
std::vector<std::byte> input_of(const Instance& instance, const Case& c);

class JobBuilder {
 public:
  /// Throws InputError if a launch names an entry that the image does not have, or passes the wrong number of
  /// arguments.
  JobBuilder(const Instance& instance, std::shared_ptr<const Image> image,
             const std::vector<EntryInfo>& entries);

  /// Throws InputError if an expression fails, an argument does not fit or the case needs too much memory.
  PreparedJob build(const Case& c, const std::vector<std::byte>& input) const;

 private:
  const Instance& instance_;
  std::shared_ptr<const Image> image_;
  std::vector<std::vector<std::uint32_t>> parameter_bytes_;  ///< one row per launch
};

}  // namespace foldproof
