// What the driver refused or found out late.
#pragma once

#include <stdexcept>
#include <string>

namespace foldproof::cuda {

/// A sentence, and the driver's result: a CUresult, without cuda.h, which users of this need not have.
class Failure : public std::runtime_error {
 public:
  Failure(int result, const std::string& sentence) : std::runtime_error(sentence), result_(result) {}
  int result() const { return result_; }
  /// The GPU's memory did not suffice.
  bool is_for_want_of_memory() const;

 private:
  int result_;
};

}  // namespace foldproof::cuda
