// What the parameters of a kernel are taken for.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"
#include "contracts/guessing/kernel.h"

namespace foldproof {

/// One pointer is the input, one the output (maybe the same), and the others are scratch. Parameters are
/// named by their index. What is taken for what is told in `said`.
class KernelRoles {
 public:
  /// Throws InputError where the parameters do not tell.
  KernelRoles(const Kernel& kernel, std::vector<std::string>& said);

  const Kernel& kernel() const { return kernel_; }
  std::size_t input() const { return input_; }
  std::size_t output() const { return output_; }
  const std::vector<std::size_t>& scratch() const { return scratch_; }
  bool in_place() const { return input_ == output_; }

  Element input_type() const { return *kernel_.parameters[input_].element; }
  Element output_type() const { return *kernel_.parameters[output_].element; }
  /// Elements that a thread reads as one value: 4 of a float4.
  std::uint32_t lanes() const { return kernel_.parameters[input_].lanes; }

  /// The parameter's name as a sentence says it.
  std::string described(std::size_t index) const;
  void say(const std::string& sentence) const;
  /// Throws InputError: no contract can be guessed. `with`: what that contract must say.
  [[noreturn]] void give_up(const std::string& why, const std::string& with = "") const;

 private:
  std::size_t output_among(const std::vector<std::size_t>& written) const;

  const Kernel& kernel_;
  std::vector<std::string>& said_;
  std::size_t input_ = 0, output_ = 0;
  std::vector<std::size_t> scratch_;
};

/// Whether an operation on that type of PTX works on such elements. Integers are told apart by their width
/// alone: nvcc adds unsigned ones as signed ones, and with atomics signed ones as unsigned ones.
bool works_on(std::string_view type, Element element);

/// Whether the name contains one of the words, in small letters or large ones.
bool mentions(const std::string& name, std::initializer_list<std::string_view> words);

}  // namespace foldproof
