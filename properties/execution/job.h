// Converts a case to the job that a device runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "devices/runner.h"
#include "oracles/operands.h"
#include "properties/case.h"

namespace foldproof {

/// An output of a job.
struct PreparedOutput {
  std::uint32_t buffer = 0;  ///< index into job.buffers
  std::uint64_t count = 0;   ///< elements
  std::uint64_t first = 0;   ///< index of the first one in the buffer
  /// The content before the first call, if the contract claims that the kernel leaves it untouched where
  /// there are no elements; empty if it is undefined.
  std::vector<std::byte> untouched = {};
};

/// A job, and where its input, operands and outputs are.
struct PreparedJob {
  Job job;
  std::uint32_t input = 0;              ///< index into job.buffers
  std::vector<std::byte> padding = {};  ///< after the input; empty if it is undefined
  std::uint64_t elements = 0;           ///< of the input, without padding
  /// What the result is combined with, one value for each output element; empty unless the contract says so.
  std::vector<std::byte> before = {};
  /// The result, which is in the input's buffer for an in-place kernel, and the additional outputs in the
  /// contract's order; none without a reduction.
  std::vector<PreparedOutput> outputs;
  std::uint64_t calls = 1;              ///< of the launches
  std::vector<std::uint32_t> operands;  ///< indices into job.buffers, in the contract's order
  std::vector<std::vector<std::byte>> operand_values;
};

/// The case's input elements; empty without a reduction.
std::vector<std::byte> input_of(const Instance& instance, const Case& c);
/// Whether callers may pass the elements that are planted in it.
bool permits_planted(const Instance& instance, const Case& c);

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

/// The index in the job of a buffer that an argument names, and the size of its elements.
struct BufferPlace {
  std::uint32_t index = 0;
  std::uint64_t element_bytes = 0;
};
using FindBuffer = std::function<BufferPlace(const std::string& name)>;

/// Lays an argument out for a parameter of `parameter_bytes` bytes. Throws InputError at `where` if it does
/// not fit.
JobArgument lay_out(const ArgumentContract& argument, std::uint32_t parameter_bytes,
                    const Variables& variables, const FindBuffer& find, const Position& where);

/// The operand's values, generated from the case's seed and sizes: factors and divisors like elements of
/// their type; what elements of `input` are compared with, in some cases close to them; weights and biases of
/// moderate size; targets among the columns; offsets that ascend from 0 to the count, some of them equal;
/// scales of all magnitudes, in some cases with a NaN among them. Throws InputError if such an operand cannot
/// have the contract's count.
std::vector<std::byte> make_operand(const OperandContract& operand, const Instance& instance, const Case& c,
                                    std::span<const std::byte> input);

/// What an output of that many elements holds before a call into which a kernel accumulates: moderate values,
/// and integers if the elements are.
std::vector<std::byte> values_of_caller(const Instance& instance, const Case& c, std::size_t count);

/// The operands of a prepared job, as checkers take them; the job must outlive them.
Operands operands_of(const Instance& instance, const Variables& variables, const PreparedJob& prepared);

}  // namespace foldproof
