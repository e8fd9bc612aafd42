// What is known about a kernel before anything is guessed; and the guesses: the roles of its parameters, what
// it computes (from its name and its instructions), and how it is launched.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"
#include "contracts/declarations.h"
#include "contracts/entry_facts.h"
#include "contracts/signature.h"
#include "devices/image.h"
#include "oracles/formats.h"
#include "oracles/operator.h"

namespace foldproof {

/// A kernel parameter, described by its type alone: "const float* __restrict__ in".
struct Parameter {
  std::string type;  ///< as written
  std::string name;  ///< empty if unknown
  std::optional<Element> element;
  std::uint32_t lanes = 1;  ///< elements per value: 4 for float4
  bool is_pointer = false;
  bool is_const = false;
};

struct Kernel {
  EntrySignature signature;
  std::string entry;  ///< the spelling that identifies it among the kernels of its file
  std::vector<Parameter> parameters;
  EntryFacts facts;
};

/// `declared`: the kernels declared in the text of the source; empty for PTX.
Kernel kernel_of(const Image& image, const std::string& lowered, const std::vector<DeclaredKernel>& declared);

/// "ns::sum" for "ns::sum<float, 128>", without anonymous namespaces.
std::string plain_name(std::string_view spelled);

/// One pointer is the input, one is the output (possibly the same), and the others are scratch. Parameters
/// are identified by index. Each guess is added to `assumptions`, as the end of a sentence that begins with
/// "assumed".
class KernelRoles {
 public:
  /// Throws InputError if the roles cannot be guessed.
  KernelRoles(const Kernel& kernel, std::vector<std::string>& assumptions);

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
  void assume(const std::string& phrase) const;
  /// Throws InputError: no contract can be guessed. `with`: what a contract must specify.
  [[noreturn]] void give_up(const std::string& why, const std::string& with = "") const;

 private:
  std::size_t output_among(const std::vector<std::size_t>& written) const;

  const Kernel& kernel_;
  std::vector<std::string>& assumptions_;
  std::size_t input_ = 0, output_ = 0;
  std::vector<std::size_t> scratch_;
};

/// Whether an operation on that PTX type works on such elements. Integer types are distinguished only by
/// width: nvcc uses signed additions for unsigned integers, and unsigned atomics for signed ones.
bool works_on(std::string_view type, Element element);

/// Whether the name contains one of the words, ignoring case.
bool mentions(const std::string& name, std::initializer_list<std::string_view> words);

/// Guesses everything except the shape of the result. Throws InputError if the kernel does not look like a
/// reduction, or if a correct kernel of its kind could fail.
Reduction guess_reduction(const KernelRoles& roles);

/// The whole instance. Throws InputError with the reason if no guess is possible.
Instance guess_instance(const Kernel& kernel, std::vector<std::string>& assumptions);

/// A row of names.def.
struct NameRow {
  enum class Place : bool { part, word };
  std::string_view word;
  Place place;
  Operator op;
  std::string_view unknown;
};

/// The first row that matches the name; null if none does.
const NameRow* row_of_name(std::string_view name);

}  // namespace foldproof
