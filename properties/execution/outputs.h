// The outputs of a kernel: its result first, then the additional outputs in the contract's order.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "devices/runner.h"
#include "oracles/result_checker.h"
#include "properties/execution/job.h"

namespace foldproof {

/// An output as the contract describes it.
struct Output {
  const Reduction& reduction;
  std::string name;            ///< of its table: "[output]" or "[[buffer]] "b""
  const Expression& elements;  ///< how many it has
  std::string where;           ///< how a message begins: empty, or "in the buffer "b", "
  bool is_undefined = false;   ///< it holds no value before a call
};

/// The instance must have a reduction and outlive the outputs.
std::vector<Output> outputs_of(const Instance& instance);

/// What a run left in an output.
struct OutputContent {
  Element type;
  std::span<const std::byte> bytes;
  /// The bytes that no launch of the last call wrote; absent if the device does not know them.
  const std::vector<ByteRange>* idle = nullptr;
  std::size_t start = 0;      ///< in the buffer, in bytes, to which `idle` refers
  bool is_undefined = false;  ///< see Output

  std::size_t count() const { return bytes.size() / size_of(type); }
};

/// The content points into `result`. The run must have completed.
OutputContent content_of(const Output& output, const PreparedOutput& prepared, const JobResult& result);

/// The elements of an undefined output that no launch of the last call wrote. A device that does not know
/// them leaves a pattern in them, which may be a result of less than four bytes.
std::vector<std::size_t> unwritten_elements(const OutputContent& content);

/// Whether a content that `checker` accepts is right only because of the pattern, which is a NaN in some
/// types.
bool relies_on_fill(const ResultChecker& checker, const OutputContent& content);

}  // namespace foldproof
