// What a kernel claims, read from the TOML file beside it, with every combination of its matrix spelled out.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contracts/expression.h"
#include "contracts/markers.h"
#include "contracts/placeholders.h"
#include "oracles/custom_operator.h"
#include "oracles/formats.h"
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
  VarianceMethod variance = VarianceMethod::unspecified;  ///< the key `method` of what has means
  SumMethod sum = SumMethod::plain;                       ///< and of a sum
  double epsilon = 0;                ///< of layer-norm and rms-norm, a value of the accumulator
  double p = 0;                      ///< of top-p, likewise
  std::optional<Expression> k = {};  ///< of what ranks
  std::shared_ptr<const CustomOperator> custom = {};  ///< of the operator `custom`
};

/// What the reduction reads besides its elements; each case makes it anew.
struct OperandContract {
  std::string name;
  Role role = Role::second;
  Element type = Element::f32;
  Expression count;
  std::uint64_t group = 1;  ///< elements that share one of its values
};

/// A result besides the output: the same launches leave it in a buffer.
struct AdditionalOutput {
  std::string buffer;
  Reduction reduction;  ///< of the same elements; its output is the buffer's type
};

struct BufferContract {
  enum class Initial : std::uint8_t { undefined, zero, identity };
  enum class Reset : std::uint8_t { each_call, once };
  std::string name;
  Element type = Element::f32;
  Expression count;
  Initial initial = Initial::undefined;
  Reset reset = Reset::each_call;
};

/// One kernel argument: a buffer's address, or a number of a given type.
/// "input", "output" and every declared buffer are pointers; any other text is an expression whose width
/// is that of the kernel's parameter. "f32:1.5" spells a typed number, "i32:count" a typed expression;
/// "{input, i32:count}" a by-value struct of arguments, laid out with C++'s alignment rules, whose numbers
/// must be typed.
struct ArgumentContract {
  enum class Form : std::uint8_t { pointer, integer, number, structure };
  Form form = Form::integer;
  std::string buffer;                     ///< pointer
  Expression value;                       ///< integer; pointer: element offset
  Element type = Element::i64;            ///< number; integer, where `typed`
  bool typed = false;                     ///< integer: its width is that of `type`, not of the parameter
  double number = 0;                      ///< number
  std::vector<ArgumentContract> members;  ///< structure
};

struct LaunchContract {
  std::string entry;    ///< as C++ spells it, substituted: "block_sums<float, 128>"
  std::string lowered;  ///< as PTX spells it; filled by compilation
  std::array<Expression, 3> grid, block;
  std::array<Expression, 3> cluster;
  bool has_cluster = false;
  bool cooperative = false;
  Expression shared;  ///< dynamic bytes a block
  bool host = false;  ///< the entry is a host function: it has no shape, and `lowered` is `entry`
  std::string gpus;   ///< the variable that says how many GPUs it uses; empty: one
  std::vector<ArgumentContract> arguments;
  Position where;
};

struct Claims {
  bool deterministic = false;
  bool same_for_every_launch = false;  ///< the same bits for every block, grid and other choice of the domain
  NanPolicy nan = NanPolicy::unspecified;
  EmptyPolicy empty = EmptyPolicy::identity;
  Ties ties = Ties::any;
  Masked masked = Masked::unspecified;
  bool flushes_subnormals = false;  ///< f32 atomics on global memory do (ISA 9.7.13.6)
  /// Every element is used, and none twice; unless told, a minimum or maximum may look at one twice.
  std::optional<bool> uses_every_input_once;
  std::optional<Expression> height;  ///< most additions on one element's way into an output
};

/// A suppression: a finding of this kind at this place is accepted until the date.
struct Allow {
  Kind kind{};
  std::string at;      ///< "file:line" or "file"
  std::string reason;  ///< required
  std::string until;   ///< ISO date, required
  Position where;
};

/// A mutant of the kernel that nothing can notice, because what it changes does not matter. It is identified
/// by its statement, so that edits of other lines leave it valid.
struct Equivalent {
  std::string mutation;          ///< such as "delete-barrier"
  std::string file;              ///< the source file, or the end of its path
  std::string code;              ///< part of the statement's line
  std::uint64_t occurrence = 0;  ///< which of the file's lines that hold `code`, from 1; 0: the only one
  std::string change;            ///< which of several changes: part of the words that reports use; empty: all
  std::uint64_t statements = 1;  ///< of PTX for which it holds at most: a line may stand there several times
  std::string reason;            ///< required
  Position where;
};

/// One combination of the matrix, with every placeholder substituted: what is run.
struct Instance {
  std::string label;  ///< the bindings as text: "T=f32,B=128"; empty where there is no matrix
  Bindings bindings;  ///< in the order of the matrix
  std::optional<Reduction> reduction;                        ///< absent: checks without an oracle
  std::string input_name = "input", output_name = "output";  ///< what findings call the two buffers
  std::vector<std::pair<std::string, Range>> domain;  ///< in file order: count first, others may refer to it
  std::map<std::string, Range, std::less<>> tried;    ///< narrower ranges from which cases are drawn
  std::vector<OperandContract> operands;              ///< inputs besides "input"
  std::vector<BufferContract> buffers;                ///< besides these and "output"
  std::vector<AdditionalOutput> additional_outputs;
  Expression output_count;  ///< elements of the output buffer
  BufferContract::Initial output_initial = BufferContract::Initial::undefined;
  BufferContract::Reset output_reset = BufferContract::Reset::each_call;
  bool in_place = false;  ///< "output" names the input buffer: the kernel overwrites what it reads
  std::vector<LaunchContract> launches;
  Claims claims;
};

/// Whether its launches call host functions, which takes a GPU.
bool is_host_function(const Instance& instance);

/// A device function to be wrapped in a kernel: `call = "…"` under [source]. The generated kernel gives
/// every thread its element `x` (the identity past `count`), makes the call twice with a barrier between, and
/// stores both results of the threads that hold one: those of the first call, then those of the second.
struct DeviceCall {
  std::string expression;  ///< C++ with {placeholders}; `x` is the lane's element
  std::string temp;        ///< C++ type of the shared variable `temp`, with {placeholders}; empty: none
  std::string lanes;       ///< which threads hold the result: a thread's number, or "all"
};

struct Contract {
  std::filesystem::path file;    ///< the TOML; empty for a guessed contract
  std::filesystem::path source;  ///< the .cu or .ptx
  std::string id, summary, published;
  std::vector<std::string> flags;  ///< for nvcc; relative -I are relative to the contract's folder
  std::string arch = "compute_90";
  std::optional<DeviceCall> call;
  std::vector<Instance> instances;
  std::vector<Allow> allows;
  std::vector<Equivalent> equivalents;
  bool is_host_function() const;    ///< as its instances are; either all are or none
  std::vector<Announced> expected;  ///< findings that the source announces
};

/// Reads and checks a contract. Throws InputError with file, line and column: unknown key, wrong type,
/// unknown placeholder, missing entry, a kept case.
Contract load_contract(const std::filesystem::path& file);

/// Whether a host function says how many GPUs it uses.
bool uses_several_gpus(const Contract& contract);
/// Lets no case of a host contract ask for more GPUs than there are.
void limit_gpus(Contract& contract, unsigned present);

/// Where failing cases are kept, beside the contract that they belong to.
inline constexpr std::string_view case_store_folder = "foldproof-cases";

/// Whether the file is a failing case that an audit kept, by the keys at its top; it may be damaged below.
bool is_kept_case(const std::filesystem::path& file);

/// Contracts for a folder: every .toml with `format` at its top, in path order; kept cases are left out.
std::vector<std::filesystem::path> contracts_below(const std::filesystem::path& folder);

}  // namespace foldproof
