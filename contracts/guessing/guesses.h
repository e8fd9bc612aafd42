// What is known about a kernel before anything is guessed; and the guesses: the roles of its parameters, what
// it computes (from its name and its instructions), and how it is launched.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"
#include "contracts/declarations.h"
#include "contracts/entry_facts.h"
#include "contracts/guess.h"
#include "contracts/guessing/accesses.h"
#include "contracts/guessing/kernel_names.h"
#include "contracts/guessing/source_text.h"
#include "contracts/reference.h"
#include "contracts/signature.h"
#include "devices/image.h"
#include "oracles/formats.h"
#include "oracles/operator.h"

namespace foldproof {

/// A kernel parameter, such as "const float* __restrict__ in", or a member of a struct that is one.
struct Parameter {
  std::string type;  ///< as written
  std::string name;  ///< empty if unknown
  std::optional<Element> element;
  std::uint32_t lanes = 1;  ///< elements per value: 4 for float4
  bool is_pointer = false;
  bool is_const = false;
  Accesses accesses;
  std::size_t argument = 0;     ///< the index of the kernel's parameter
  std::string whole;            ///< of a member: the struct's declaration, "MatrixDim d"; otherwise empty
  bool is_placeholder = false;  ///< the only "member" of a struct that has none

  /// Whether the kernel only loads from it, or it is const.
  bool is_only_read() const;
  /// Whether the kernel writes to it and does not load from it.
  bool is_only_written() const;
};

/// The names of the axes of a grid.
constexpr std::string_view axis_names = "xyz";

struct Kernel {
  EntrySignature signature;
  std::string entry;  ///< the spelling that identifies it among the kernels of its file
  std::vector<Parameter> parameters;
  EntryFacts facts;
  std::vector<SourceLaunch> launches;  ///< of the source; empty if unknown

  /// The sizes of the blocks, in increasing order, if all launches have constant blocks of one dimension.
  std::vector<std::uint32_t> launched_blocks() const;
  /// The block of all launches, if it is constant and has several dimensions.
  std::optional<std::array<std::uint32_t, 3>> launched_shape() const;
  /// The number of threads of a block, if that is a constant and the same in all launches.
  std::optional<std::uint32_t> launched_threads() const;
  /// The most blocks along an axis, if all launches have a constant number there.
  std::optional<std::uint32_t> launched_grid(std::size_t axis) const;
  /// Whether some launch has a number of blocks that is not a constant, along the axis by which the kernel
  /// orders its blocks.
  bool has_open_grid() const;
  /// The axis along which the number of blocks follows from the input: the first of those that it reads.
  std::size_t grid_axis() const;
};

/// `declared`: the kernels declared in the text of the source; empty for PTX.
Kernel kernel_of(const Image& image, const std::string& lowered, const std::vector<DeclaredKernel>& declared);

/// Replaces parameters that are structs of numbers by their members, also in the launches and the facts.
void expand_structs(Kernel& kernel, const ptx::Module& module, const SourceText& source);

/// Whether the type of some parameter is unknown, so that it may be a struct.
bool may_take_structs(const Kernel& kernel);

/// The size of an element type, or of a vector such as float4; 0 for another type.
std::uint64_t bytes_of_type(std::string_view spelled);

/// No guess fits the kernel, or a reference contract does not; the text says why, and what to do.
struct Unfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a guess may suppose besides the facts. Trial runs show whether it is right.
struct Supposition {
  const Reference* reference = nullptr;  ///< what the kernel computes; null: as its name and instructions say
  bool is_chosen = false;                ///< the user says what it computes
  std::optional<std::uint32_t> block = {};  ///< threads; absent: as the facts suggest
  std::optional<std::uint32_t> grid = {};   ///< blocks; absent: those that cover the input
  std::uint32_t elements_per_thread = 1;    ///< if more, the kernel ignores its count, if it has one
  std::uint32_t columns_per_thread = 0;     ///< if positive, a row has that many for each thread of its block
  std::optional<std::uint64_t> count = {};  ///< a constant number of elements
  std::uint32_t shared_per_thread = 1;      ///< elements of dynamic shared memory
  bool reads_whole_groups = false;  ///< callers align the input, whose length is a multiple of a group's
  bool counts_groups = false;       ///< the number of elements is one of groups, such as float4
  bool orders_sizes = false;        ///< rows before columns, whatever the names of the parameters say
  bool is_tensor = false;           ///< three numbers are those of examples, channels and elements of each
  bool has_total = false;           ///< a number is that of all elements, besides those of a row
  bool is_square = false;           ///< one number is that of the rows and of the columns
  bool has_one_result = false;      ///< although several blocks run
  bool output_is_scratch = false;   ///< blocks also leave their partial results in the output
  bool is_in_place = false;         ///< the kernel overwrites its input, whatever else it reads
  bool has_wide_scratch = false;    ///< scratch memory holds more than one element per block
  bool holds_identity = false;      ///< the output holds the identity before each launch
  bool rounds_early = false;        ///< every operation has the type of the output, if any has
  bool has_common_factors = false;  ///< all rows are multiplied by the same vector
  std::uint32_t threads_y = 0;      ///< of a block with two dimensions; 0: it has one
};

/// Whether the kernel adds or multiplies in that type, or in vectors of it.
bool computes_in(const EntryFacts& facts, Element element);

/// Whether it adds in that type, so that it may accumulate in it.
bool adds_in(const EntryFacts& facts, Element element);

/// One pointer is the input, one is the output (possibly the same), those that the operator of a reference
/// contract needs are operands, and the others are scratch. Parameters are identified by index. Each guess is
/// added to `assumptions`, as the end of a sentence that begins with "assumed".
class KernelRoles {
 public:
  /// Throws Unfit if the roles cannot be guessed, and InputError if the kernel does not have the parameters
  /// that the reference names.
  KernelRoles(const Kernel& kernel, const Supposition& supposed, std::vector<std::string>& assumptions);

  const Kernel& kernel() const { return kernel_; }
  const Supposition& supposed() const { return supposed_; }
  /// The reference contract that the kernel is supposed to satisfy; null if there is none.
  const Reference* reference() const { return supposed_.reference; }
  /// Whether the user chose a reference contract with this result.
  bool has_result(ResultShape result) const;
  /// The value of a key of the reference contract; the fallback if it has none.
  std::string key_of_reference(std::string_view key, const std::string& fallback) const;
  /// How many bins a histogram has according to the reference contract; empty: it does not say.
  std::string bins() const { return key_of_reference("bins", ""); }
  /// How many elements of a row are ranked, as an expression.
  std::string k() const { return key_of_reference("k", "1"); }
  /// The parameter that the user named for a part of the reference contract.
  std::optional<std::size_t> named(std::string_view part) const;
  /// Whether the user named the parameter, for any part.
  bool is_named(std::size_t index) const;
  std::size_t input() const { return input_; }
  std::size_t output() const { return output_; }
  const std::vector<std::size_t>& scratch() const { return scratch_; }
  struct OperandRole {
    Role role;
    std::size_t index;
    std::string variable = {};  ///< of a formula
  };
  const std::vector<OperandRole>& operands() const { return operands_; }
  bool in_place() const { return input_ == output_; }

  Element input_type() const { return *kernel_.parameters[input_].element; }
  Element output_type() const { return *kernel_.parameters[output_].element; }
  /// Elements that a thread reads as one value: 4 for float4, or for what is read like that.
  std::uint32_t lanes() const;

  /// The parameter's name as used in sentences.
  std::string described(std::size_t index) const;
  void assume(const std::string& phrase) const;
  /// Throws Unfit. `why`: a clause about the kernel. `with`: what a contract must specify.
  [[noreturn]] void give_up(const std::string& why, const std::string& with = "") const;

 private:
  std::size_t output_among(std::vector<std::size_t> written) const;
  bool has_type_of_result(std::size_t index) const;
  void find_named_parts();
  std::size_t parameter_named(const std::string& part, const std::string& wanted) const;
  bool is_of_kind(std::size_t index, std::string_view kind) const;
  bool needs(const RoleInfo& role) const;
  /// Number of pointers that the kernel must read.
  std::size_t least_inputs() const;
  void put_elements_first(std::vector<std::size_t>& read) const;
  void find_operands(std::vector<std::size_t>& read);
  void find_variables(std::vector<std::size_t>& read);
  std::optional<std::size_t> variable_named(const std::string& operand,
                                            const std::vector<std::size_t>& read) const;

  const Kernel& kernel_;
  const Supposition& supposed_;
  std::map<std::string, std::size_t, std::less<>> named_;
  std::vector<std::string>& assumptions_;
  std::size_t input_ = 0, output_ = 0;
  std::vector<std::size_t> scratch_;
  std::vector<OperandRole> operands_;
};

/// Whether an operation on that PTX type works on such elements. Integer types are distinguished only by
/// width: nvcc uses signed additions for unsigned integers, and unsigned atomics for signed ones.
bool works_on(std::string_view type, Element element);

/// Whether the name is one of the letters, or contains one of the words, ignoring the case of the latter.
bool has_name(const std::string& name, std::string_view letters,
              std::initializer_list<std::string_view> words);

/// Whether the name is that of the number of ranked elements, or of the distance between rows.
bool is_name_of_k(const std::string& name);
bool is_name_of_stride(const std::string& name);

/// Whether a buffer can have the name: nothing else in a contract has it.
bool is_free_name(const std::string& name);

/// Whether the parameter counts groups of elements that threads read as one value.
bool counts_groups(const KernelRoles& roles, std::size_t index);

/// The parameters, by index, that are sizes of the input.
struct Sizes {
  /// Without a parameter for the rows, there are as many as blocks.
  struct Matrix {
    std::optional<std::size_t> rows, columns;  ///< without columns, the threads of a block read a row
  };
  std::optional<Matrix> matrix;
  /// How many rows each of the `rows` examples of a batch has, such as T of (B, T, C); with parameters for
  /// both.
  std::optional<std::size_t> steps;
  /// How many elements each column has in a row, if the columns are the channels of a tensor (batch, channel,
  /// spatial); only with a matrix by columns.
  std::optional<std::size_t> spatial;
  /// That of all elements; only with a matrix.
  std::optional<std::size_t> total;
  std::optional<std::size_t> count, segments, bins;
  bool by_columns = false;  ///< columns are reduced, not rows
};

/// Throws Unfit if the reference contract requires a size that the kernel seems not to have.
Sizes guess_sizes(const KernelRoles& roles, Operator op);

/// The threads of a block, from the facts or as supposed.
std::uint32_t guess_block(const KernelRoles& roles, const Reduction& reduction);

/// The variables of the domain and their ranges.
std::vector<std::pair<std::string, Range>> guess_domain(const KernelRoles& roles, const Sizes& sizes,
                                                        const Reduction& reduction);

/// The number of blocks along the axis, if all launches of the source agree, in the variables of the domain.
/// `arguments`: what the guess passes to the kernel.
std::optional<Expression> launched_grid_in(const Kernel& kernel, std::size_t axis,
                                           const std::vector<ArgumentContract>& arguments);

/// Guesses everything except the shape of the result. Throws Unfit if the kernel does not look like a
/// reduction, or if a correct kernel of its kind could fail.
Reduction guess_reduction(const KernelRoles& roles);

/// The whole instance. Throws Unfit if no guess fits, and InputError if the reference names parameters or
/// keys that the kernel does not have.
InstanceGuess guess_instance(const Kernel& kernel, const Supposition& supposed);

}  // namespace foldproof
