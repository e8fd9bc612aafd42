// Errors of the driver, including those that it reports asynchronously.
#pragma once

#include <stdexcept>
#include <string>

namespace foldproof::cuda {

/// A sentence and the driver's CUresult, as an int so that users do not need cuda.h.
class Failure : public std::runtime_error {
 public:
  Failure(int result, const std::string& sentence) : std::runtime_error(sentence), result_(result) {}
  int result() const { return result_; }
  /// Whether the GPU ran out of memory.
  bool is_for_want_of_memory() const;

 private:
  int result_;
};

}  // namespace foldproof::cuda
