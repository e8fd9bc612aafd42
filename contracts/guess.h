// Guesses a contract for a kernel that has none from its signature and its PTX, and writes the guess as a
// file.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contracts/compile.h"
#include "contracts/contract.h"
#include "contracts/reference.h"

namespace foldproof {

/// The instance of a kernel if it computes what a reference contract says.
struct Candidate {
  Instance instance;
  bool keeps_operator = false;  ///< it only supposes something else about sizes and the launch
  bool is_narrow = false;  ///< callers are supposed to pass only counts that are multiples of some number
  bool doubles_shared = false;  ///< callers are supposed to pass two elements of shared memory per thread
  std::vector<std::string> assumptions;  ///< as those of a contract
};

struct GuessedKernel {
  /// The likeliest one, by names and instructions; with `no_fit` if they say too little.
  Contract contract;
  bool is_named = false;  ///< the kernel's name says which operator it is
  /// All others that its parameters permit, the likelier ones first; the same for every call.
  std::function<std::vector<Candidate>()> candidates;
  std::shared_ptr<const Image> image;  ///< null for a template without an instance
};

/// A guess, with one instance, for each kernel of the source: those that it instantiates, and its other
/// templates with common arguments (float, 256). With `entry` (C++ spelling), only for that kernel; with a
/// `reference`, for kernels that compute that. Throws InputError if there is no
/// kernel, or if none has the parameters that the reference names.
std::vector<GuessedKernel> guess_kernels(const std::filesystem::path& source, const std::string& entry,
                                         const CompileOptions& options,
                                         const std::optional<Reference>& reference = {});

/// Everything that was assumed about the kernel of a guessed contract, in one sentence; something must have
/// been assumed.
std::string assumed(const Contract& contract);

/// The contract's first instance as commented TOML, which load_contract can read if it is next to the source.
/// If no guess fits, it first has to be completed: unknown values are written as "?".
std::string starter_contract(const Contract& contract);

}  // namespace foldproof
