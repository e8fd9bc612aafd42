// How a source launches its kernels, by running its host functions with sample values of what the source does
// not say.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "contracts/guess.h"
#include "contracts/guessing/host_functions.h"
#include "contracts/guessing/source_text.h"
#include "contracts/guessing/source_values.h"

namespace foldproof {

class HostEvaluation {
 public:
  /// Both must outlive this.
  HostEvaluation(const SourceText& text, SourceValues& constants)
      : text_(text), constants_(constants), functions_(text) {}

  /// Of the launch whose kernel is named there; none if it is never reached, or if the function cannot be run
  /// to its end.
  std::vector<HostCall> calls_of(std::size_t name);

 private:
  using Calls = std::map<std::size_t, std::vector<HostCall>>;
  Calls calls_in(const HostFunction& function);

  const SourceText& text_;
  SourceValues& constants_;
  HostFunctions functions_;
  std::map<std::size_t, Calls> known_;  ///< by the beginning of the function's body
  std::size_t steps_ = 0;
};

}  // namespace foldproof
