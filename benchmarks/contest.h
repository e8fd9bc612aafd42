// Sums on a GPU that take turns, so that other activity of the machine affects all of them alike.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "devices/cuda/context.h"
#include "reports/json.h"

namespace foldproof {

/// Sums the elements at an address, in the context's stream.
struct Contender {
  std::string name;
  std::function<void(Address input)> sum;
  std::string launch = {};           ///< of its first kernel, if known: "1056 x 256"
  std::vector<double> seconds = {};  ///< per sum, by run: the same index is the same run for all contenders
};

/// Copies of the same input, together eight times as large as the L2 cache.
class RotatedInputs {
 public:
  /// `make` writes an input of that many bytes to an address, in the context's stream.
  RotatedInputs(cuda::Context& context, std::uint64_t bytes, const std::function<void(Address)>& make);

  Address next() { return memory_.address() + bytes_ * (turn_++ % copies_); }

 private:
  std::uint64_t bytes_, copies_, turn_ = 0;
  cuda::Memory memory_;
};

/// Times all contenders in turn, in another order in each run, with CUDA events. A sample is as many sums as
/// take 0.4 ms, at most 100: shorter samples would measure events rather than kernels.
void take_turns(cuda::Context& context, std::vector<Contender>& contenders, RotatedInputs& inputs,
                unsigned runs);

/// `launch`, `seconds` (the median), `bytes_per_second` for `bytes` bytes, and `speed_against_cub`.
Json measured(const Contender& one, const Contender& cub, std::uint64_t bytes);

/// "1.028 (0.996 .. 1.059)", from the result of `measured`.
std::string speed_text(const Json& measured);
/// "1056 x 256": blocks, and threads per block.
std::string launch_text(const LaunchShape& shape);

}  // namespace foldproof
