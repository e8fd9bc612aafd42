// Guesses the roles of a kernel's parameters.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"
#include "contracts/guessing/kernel.h"

namespace foldproof {

/// One pointer is the input, one is the output (possibly the same), and the others are scratch. Parameters
/// are identified by index. Each guess is added to `said`.
class KernelRoles {
 public:
  /// Throws InputError if the roles cannot be guessed.
  KernelRoles(const Kernel& kernel, std::vector<std::string>& said);

  const Kernel& kernel() const { return kernel_; }
  std::size_t input() const { return input_; }
  std::size_t output() const { return output_; }
  const std::vector<std::size_t>& scratch() const { return scratch_; }
  bool in_place() const { return input_ == output_; }

  Element input_type() const { return *kernel_.parameters[input_].element; }
  Element output_type() const { return *kernel_.parameters[output_].element; }
  /// Elements that a thread reads as one value: 4 for float4.
  std::uint32_t lanes() const { return kernel_.parameters[input_].lanes; }

  /// The parameter's name as used in sentences.
  std::string described(std::size_t index) const;
  void say(const std::string& sentence) const;
  /// Throws InputError: no contract can be guessed. `with`: what a contract must specify.
  [[noreturn]] void give_up(const std::string& why, const std::string& with = "") const;

 private:
  std::size_t output_among(const std::vector<std::size_t>& written) const;

  const Kernel& kernel_;
  std::vector<std::string>& said_;
  std::size_t input_ = 0, output_ = 0;
  std::vector<std::size_t> scratch_;
};

/// Whether an operation on that PTX type works on such elements. Integer types are distinguished only by
/// width: nvcc uses signed additions for unsigned integers, and unsigned atomics for signed ones.
bool works_on(std::string_view type, Element element);

/// Whether the name contains one of the words, ignoring case.
bool mentions(const std::string& name, std::initializer_list<std::string_view> words);

}  // namespace foldproof
