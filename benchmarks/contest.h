// Sums on a GPU that take turns, so that what the machine does meanwhile meets all of them alike.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "devices/cuda/context.h"
#include "reports/json.h"

namespace foldproof {

/// Somebody who sums elements from an address on, on the context's stream.
struct Contender {
  std::string name;
  std::function<void(Address input)> sum;
  std::string launch = {};           ///< of its first kernel, where that is known: "1056 x 256"
  std::vector<double> seconds = {};  ///< a sum, sample by sample; all contenders' samples lie side by side
};

/// The same input in so many places that the L2 cache holds an eighth of them.
class RotatedInputs {
 public:
  /// `make` writes an input of that many bytes to an address, in the context's stream.
  RotatedInputs(cuda::Context& context, std::uint64_t bytes, const std::function<void(Address)>& make);

  Address next() { return memory_.address() + bytes_ * (turn_++ % copies_); }

 private:
  std::uint64_t bytes_, copies_, turn_ = 0;
  cuda::Memory memory_;
};

/// Everybody in turn, in another order each run, by CUDA's events. A sample is as many sums as take 0.4 ms,
/// and at most 100: shorter ones tell more about events than about kernels.
void take_turns(cuda::Context& context, std::vector<Contender>& contenders, RotatedInputs& inputs,
                unsigned runs);

/// `launch`, `seconds` (the median), `bytes_per_second` of so many bytes, and `speed_against_cub`.
Json measured(const Contender& one, const Contender& cub, std::uint64_t bytes);

/// "1.028 (0.996 .. 1.059)": of what `measured` made.
std::string speed_text(const Json& measured);
/// "1056 x 256": blocks and threads of each.
std::string launch_text(const LaunchShape& shape);

}  // namespace foldproof
