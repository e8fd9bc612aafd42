// What a kernel claims, read from the TOML file next to it, with every combination of its matrix expanded.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contracts/condition.h"
#include "contracts/expression.h"
#include "contracts/markers.h"
#include "contracts/placeholders.h"
#include "oracles/custom_operator.h"
#include "oracles/formats.h"
#include "oracles/formula.h"
#include "oracles/layout.h"
#include "oracles/operands.h"
#include "oracles/operator.h"
#include "sanitizer/finding.h"

namespace foldproof {

std::string_view name(Operator op);
std::optional<Operator> operator_named(std::string_view name);

enum class EmptyPolicy : std::uint8_t { identity, untouched, unspecified };

struct Reduction {
  Operator op = Operator::sum;
  Element input = Element::f32, accumulator = Element::f32, output = Element::f32;
  ResultShape result = ResultShape::value;
  ScanKind scan = ScanKind::inclusive;
  MathFunctions functions = MathFunctions::fast;
  Maximum maximum = Maximum::first;
  AffineType affine = AffineType::accumulator;             ///< of weights and biases
  MomentMethod moment_method = MomentMethod::unspecified;  ///< the key `method`, except for a sum
  SumMethod sum = SumMethod::plain;                        ///< the key `method`, for a sum
  double epsilon = 0;                   ///< for operators that take it; rounded to the accumulator type
  double delta = 1;                     ///< of a Huber loss, positive; rounded to the accumulator type
  std::uint64_t correction = 0;         ///< of the divisor n - correction of a variance: 0 or 1
  double p = 0;                         ///< for top-p; rounded to the accumulator type
  std::optional<Expression> k = {};     ///< for operators that rank elements
  std::optional<Range> values = {};     ///< of the elements that callers pass; absent: any
  std::optional<Expression> bin = {};   ///< of an element "x", for a histogram; absent: the element itself
  std::optional<Condition> where = {};  ///< of the elements that count; absent: all do
  std::shared_ptr<const CustomOperator> custom = {};  ///< for the operator `custom`
  std::shared_ptr<const Formula> formula = {};        ///< for formulas
};

/// An input of the reduction besides its elements; generated anew for each case.
struct OperandContract {
  std::string name;
  Role role = Role::second;
  Element type = Element::f32;
  Expression count;
  Expression group = Expression::constant(1);  ///< number of consecutive elements that share a value
};

/// A result besides the output, which the same launches leave in a buffer.
struct AdditionalOutput {
  std::string buffer;
  Reduction reduction;  ///< of the same elements; its output type is the type of the buffer
};

struct BufferContract {
  /// any: values of the caller, which the kernel combines with its result; only for the output.
  enum class Initial : std::uint8_t { undefined, zero, identity, any };
  enum class Reset : std::uint8_t { each_call, once };
  std::string name;
  Element type = Element::f32;
  Expression count;
  Initial initial = Initial::undefined;
  Reset reset = Reset::each_call;
};

/// One kernel argument: the address of a buffer, or a number of a given type. "input", "output" and every
/// declared buffer are pointers; any other text is an expression whose width is that of the kernel's
/// parameter. "f32:1.5" is a typed number, "i32:count" a typed expression; "{input, i32:count}" is a struct
/// of arguments passed by value, laid out by the alignment rules of C++, in which numbers must be typed.
struct ArgumentContract {
  enum class Form : std::uint8_t { pointer, integer, number, structure };
  Form form = Form::integer;
  std::string buffer;                     ///< pointer
  Expression value;                       ///< integer; pointer: element offset
  Element type = Element::i64;            ///< number; integer if `typed`
  bool typed = false;                     ///< integer: its width is that of `type`, not of the parameter
  double number = 0;                      ///< number
  std::vector<ArgumentContract> members;  ///< structure
};

struct LaunchContract {
  std::string entry;    ///< C++ spelling, with placeholders substituted: "block_sums<float, 128>"
  std::string lowered;  ///< PTX spelling; set by compilation
  std::array<Expression, 3> grid, block;
  std::array<Expression, 3> cluster;
  bool has_cluster = false;
  bool cooperative = false;
  Expression shared;  ///< dynamic shared memory per block, in bytes
  bool host = false;  ///< the entry is a host function: it has no shape, and `lowered` equals `entry`
  std::string gpus;   ///< the domain variable that gives the number of GPUs; empty: one GPU
  std::vector<ArgumentContract> arguments;
  Position where;
};

struct Claims {
  bool deterministic = false;
  bool same_for_every_launch = false;  ///< same bits for every block, grid and other choice of the domain
  NanPolicy nan = NanPolicy::unspecified;
  EmptyPolicy empty = EmptyPolicy::identity;
  Ties ties = Ties::any;
  Masked masked = Masked::unspecified;
  bool flushes_subnormals = false;  ///< as f32 atomics on global memory do (PTX ISA 9.7.13.6)
  bool keeps_input = true;          ///< if false, the input is restored before each call
  /// Every element is used exactly once. If unset, this is checked, except that a minimum or maximum may use
  /// an element twice.
  std::optional<bool> uses_every_input_once;
  std::optional<Expression> height;  ///< longest path from an element to an output, in additions
};

/// What a buffer holds into which a kernel accumulates results of the operator: its identity, or 0 if it has
/// none.
inline BufferContract::Initial initial_of(Operator op) {
  return has_identity(info(op)) ? BufferContract::Initial::identity : BufferContract::Initial::zero;
}

/// An equivalent mutant of the kernel: no check can detect it, because what it changes does not matter. It is
/// identified by its statement, so it remains valid when other lines are edited.
struct Equivalent {
  std::string mutation;          ///< such as "delete-barrier"
  std::string file;              ///< the source file, or the end of its path
  std::string code;              ///< part of the statement's line
  std::uint64_t occurrence = 0;  ///< which of the lines that contain `code`, counted from 1; 0: the only one
  std::string change;            ///< part of the description of one change of several; empty: all changes
  std::uint64_t statements = 1;  ///< largest number of PTX statements; the compiler may duplicate a line
  std::string reason;            ///< required
  Position where;
};

/// One combination of the matrix, with every placeholder substituted: the unit that is run.
struct Instance {
  std::string label;                   ///< the bindings as text: "T=f32,B=128"; empty without a matrix
  Bindings bindings;                   ///< in matrix order
  std::optional<Reduction> reduction;  ///< absent: only checks run, without an oracle
  std::string input_name = "input", output_name = "output";  ///< names of the two buffers in findings
  std::vector<std::pair<std::string, Range>> domain;  ///< in file order; ranges may use earlier variables
  std::map<std::string, Range, std::less<>> tried;    ///< narrower ranges that cases are drawn from
  std::vector<OperandContract> operands;              ///< inputs besides "input"
  std::vector<BufferContract> buffers;                ///< all other buffers except "output"
  std::vector<AdditionalOutput> additional_outputs;
  std::optional<Expression> input_capacity = {};  ///< of the input's buffer, if callers pad it
  BufferContract::Initial input_padding = BufferContract::Initial::undefined;  ///< what is in the padding
  Expression output_count;                      ///< number of elements of the output
  std::optional<Expression> output_index = {};  ///< of its first element in its buffer; absent: 0
  std::optional<Expression> output_capacity =
      {};  ///< of its buffer, if the kernel needs more than the output
  BufferContract::Initial output_initial = BufferContract::Initial::undefined;
  BufferContract::Reset output_reset = BufferContract::Reset::each_call;
  bool in_place = false;  ///< "output" names the input buffer: the kernel overwrites what it reads
  std::vector<LaunchContract> launches;
  Claims claims;
};

/// Whether its launches call host functions, which requires a GPU.
bool is_host_function(const Instance& instance);

/// The operator of the result that the buffer holds: of an additional output or, for all other buffers, of
/// the reduction, if there is one. `initial = "identity"` means its identity.
std::optional<Operator> operator_of(const Instance& instance, std::string_view buffer);

/// A device function to wrap in a kernel: `call = "…"` under [source]. The generated kernel gives every
/// thread its element `x` (the identity beyond `count`), makes the call twice with a barrier in between, and
/// stores the results of the threads that hold one: first those of the first call, then those of the second.
struct DeviceCall {
  std::string expression;  ///< C++ with {placeholders}; `x` is the thread's element
  std::string temp;        ///< C++ type of the shared variable `temp`, with {placeholders}; empty: none
  std::string lanes;       ///< which threads hold the result: a thread number, or "all"
};

/// Why no contract could be guessed for a kernel.
struct NoFit {
  std::string reason;                   ///< the assumption that failed, and what to do, as a sentence
  std::vector<std::string> parameters;  ///< their declarations, such as "const float* in", or their types
};

/// The virtual architecture if neither a contract nor an option nor a project file specifies one.
inline constexpr const char* default_arch = "compute_90";

struct Contract {
  std::filesystem::path file;    ///< the TOML file; empty for a guessed contract
  std::filesystem::path source;  ///< the .cu or .ptx file
  std::string id, summary, published;
  std::vector<std::string> flags;  ///< for nvcc, with absolute folders
  std::string arch;                ///< empty: not specified
  std::optional<DeviceCall> call;
  std::vector<Instance> instances;
  std::vector<Allow> allows;
  std::vector<Equivalent> equivalents;
  bool is_host_function() const;    ///< whether its instances call host functions: either all do or none does
  std::vector<Announced> expected;  ///< findings announced by markers in the source
  /// Present if no guess fits. Of the only instance, nothing but the kernel is then known; or, if it has a
  /// reduction, it is a guess that trial runs contradict.
  std::optional<NoFit> no_fit = {};
  /// What was guessed, as ends of a sentence that begins with "assumed"; empty if it was read from a file.
  std::vector<std::string> assumptions = {};
  /// Neither the user nor the name of the kernel says what it computes: wrong values alone show no fault.
  bool is_unconfirmed = false;
  /// Guessed: buffers to which the kernel stores what no guess explains.
  std::vector<std::string> unchecked_outputs = {};
  /// Warnings about a guess: what the kernel does if callers launch it otherwise, with the condition; with
  /// `no_fit`, what a trial run showed.
  std::vector<Finding> preconditions = {};
  /// The reference contract from which it was made, as the user named it (contracts/reference.h); empty:
  /// none.
  std::string as = {}, map = {};
};

/// limited: a contract may not name a source outside of its folder, nor host functions, which run on this
/// machine (SECURITY.md). full: it may.
enum class Trust : std::uint8_t { limited, full };

/// Sets `expected` and `allows` as the comments in the source say. Throws InputError like markers_in().
void read_markers(Contract& contract);

/// Reads and checks a contract. Throws InputError with file, line and column, for example for an unknown key,
/// a wrong type, an unknown placeholder, a missing entry, a stored case, or what `trust` does not allow.
Contract load_contract(const std::filesystem::path& file, Trust trust);

/// Whether a launch of the contract specifies a number of GPUs.
bool uses_several_gpus(const Contract& contract);
/// Limits the number of GPUs of all cases of a host contract to `present`.
void limit_gpus(Contract& contract, unsigned present);

/// The folder for failing cases, next to the contract to which they belong.
inline constexpr std::string_view case_store_folder = "foldproof-cases";

/// Whether the file is a failing case stored by an audit; it may be damaged.
bool is_kept_case(const std::filesystem::path& file);

/// The contracts in a folder and its subfolders, in path order, including broken ones. These .toml files are
/// not contracts: stored cases; TOML without `format`, `launch`, `reduction` and `source`; and text that is
/// not TOML, contains neither "launch" nor "format = 1", and is not next to a source of the same name.
std::vector<std::filesystem::path> contracts_below(const std::filesystem::path& folder);

/// The contracts of a source in its folder: the one with its name, all others whose `path` in [source] names
/// the source, broken ones that mention it, and those with names such as sum.KERNEL.toml for sum.cu that
/// are broken or name no existing source; in path order.
std::vector<std::filesystem::path> contracts_of(const std::filesystem::path& source);

}  // namespace foldproof
