// Guesses a contract for a kernel that has none from its signature and its PTX, and writes the guess as a
// file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contracts/compile.h"
#include "contracts/contract.h"
#include "contracts/reference.h"

namespace foldproof {

/// An argument whose value nothing suggests.
struct Invention {
  std::size_t argument = 0;  ///< index among the scalar arguments (contracts/scalar_arguments.h)
  std::string parameter;     ///< its name, as used in sentences
  bool is_unused = false;    ///< by the kernel
  bool is_addend = false;    ///< 0, if the kernel adds it to each result
  bool is_usual = false;     ///< such as a distance between rows of as many elements as they have
};

struct InstanceGuess {
  Instance instance;
  std::vector<std::string> assumptions;  ///< as those of a contract
  std::vector<Invention> inventions;
  std::vector<std::string> unchecked_outputs;  ///< buffers to which the kernel only stores
  bool invents_shape = false;                  ///< nothing suggests how many threads its blocks have along y
};

/// For each result that the kernel may store in the buffer, an unchecked output: the instance with it as an
/// additional output.
std::vector<Instance> with_additional_output(const Instance& instance, const std::string& buffer);

/// The instance of a kernel if it computes what a reference contract says.
struct Candidate : InstanceGuess {
  std::string as;           ///< the reference contract; empty: what the kernel's name and instructions say
  bool is_unusual = false;  ///< it supposes what few kernels do, so nothing may contradict it
  bool keeps_operator = false;  ///< it only supposes something else about sizes and the launch
  bool is_narrow = false;  ///< callers are supposed to pass only counts that are multiples of some number
  bool doubles_shared = false;  ///< callers are supposed to pass two elements of shared memory per thread
};

/// Along x, y and z; absent: not a constant of the source.
using SourceExtents = std::array<std::optional<std::uint32_t>, 3>;

/// Along x, y and z. Absent: unknown.
using HostExtents = std::array<std::optional<std::int64_t>, 3>;

/// What a launch of the source is in one run of the function around it. Absent: unknown.
struct HostCall {
  HostExtents grid = {}, block = {};
  std::optional<std::int64_t> shared = {};                  ///< bytes
  std::vector<std::optional<std::int64_t>> arguments = {};  ///< the scalar ones, if they are integers
  bool operator==(const HostCall&) const = default;
};

/// A launch `kernel<<<grid, block, shared>>>(arguments)` of the source.
struct SourceLaunch {
  SourceExtents grid = {}, block = {};
  /// Expressions of contracts (contracts/expression.h) in the variables of the source; empty if unknown.
  std::array<std::string, 3> blocks = {};   ///< along x, y and z
  std::string threads = {};                 ///< of a block along x, unless it has more along y or z
  std::string shared = {};                  ///< bytes of dynamic shared memory
  std::vector<std::string> arguments = {};  ///< the scalar ones of the kernel
  /// With sample values of what the source does not say; empty if it is not known when it is reached.
  std::vector<HostCall> calls = {};
  bool is_only_one = false;    ///< the source launches nothing else
  bool passes_struct = false;  ///< whose members are unknown
  /// As spelled, "<<<grid, block>>>", if its blocks or its threads are unknown; otherwise empty.
  std::string not_understood = {};
  bool operator==(const SourceLaunch&) const = default;
};

struct LaunchedSize {
  std::int64_t blocks = 0, argument = 0;
  bool is_constant = false;  ///< both are, whatever the variable is
};

/// The number of blocks along the axis, and the argument for the parameter with that index, if both are
/// constants or if the argument is a variable, which has the `value`, and the number of blocks depends on it
/// alone.
std::optional<LaunchedSize> launched_size(const SourceLaunch& launch, std::size_t axis, std::size_t parameter,
                                          std::int64_t value);

/// Whether it passes only multiples of the divisor for the parameter with that index, in all of its sample
/// calls.
bool passes_multiples(const SourceLaunch& launch, std::size_t parameter, std::int64_t divisor);

/// Whether the number of blocks along x is what it passes for that parameter divided by a multiple of the
/// divisor, rounded down.
bool covers_only_multiples(const SourceLaunch& launch, std::size_t parameter, std::int64_t divisor);

/// How many elements each thread has if the launch of one block passes a number of elements that is a
/// multiple of the number of threads, whatever its variables are; for what is divided by it, such as n / 2
/// threads for n elements, the same. 0 otherwise.
std::int64_t elements_per_launched_thread(const SourceLaunch& launch, std::size_t parameter);

/// The number of threads of its blocks as an expression in `variable`, which stands for what is passed for
/// the parameter with that index, if it depends on nothing else and has no upper limit.
std::optional<std::string> launched_threads(const SourceLaunch& launch, std::size_t parameter,
                                            const std::string& variable);

/// What the source says about the blocks of a launch.
struct KnownBlocks {
  std::vector<std::uint32_t> launched;            ///< by the source itself; empty if that is unknown
  std::optional<std::uint32_t> launched_threads;  ///< of each block of the source, if all have as many
  std::vector<std::uint32_t> template_integers;   ///< template arguments from 2 to 1024, such as block sizes
  std::uint32_t most = 1024;
  bool is_required = false;            ///< the kernel accepts no other block than one of `most` threads
  std::vector<SourceLaunch> launches;  ///< without repetitions
  std::optional<std::uint32_t> launched_grid;  ///< the most blocks of a launch, if all have constant numbers
  bool may_assert = false;                     ///< the kernel checks assertions, such as one about its sizes
  std::uint64_t widest_read = 0;               ///< bytes: 16 if the kernel reads float4
  bool may_be_several = false;  ///< the kernel has an index for several, or the source may launch them
  std::set<std::size_t> unused_parameters;  ///< by index of a scalar argument: the kernel ignores them
};

struct GuessedKernel {
  /// The likeliest one, by names and instructions; with `no_fit` if they say too little.
  Contract contract;
  InstanceGuess likeliest;  ///< that of the contract; without an instance if there is none
  bool is_named = false;    ///< the kernel's name says which operator it is, and nothing else
  /// The source also has the instance with `false` instead of one of its template arguments, `true`: callers
  /// may launch this one only for some sizes.
  bool is_special_case = false;
  KnownBlocks blocks;
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
