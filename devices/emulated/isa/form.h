// What an opcode and its suffixes mean: the row of ptx.def that they match, and the modifiers that they set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/emulated/isa/type.h"

namespace foldproof::isa {

struct Instruction;

using LaneMask = std::uint32_t;

/// Computes one register-only instruction for the lanes of `lanes`; other lanes' columns stay as they are.
/// `frame` is the warp's register file, laid out as instruction.h draws it.
using Compute = void (*)(std::byte* frame, const Instruction& instruction, LaneMask lanes);

/// Sets which bits of an instruction's destinations are undefined (definedness.h).
using ShadowRule = void (*)(const std::byte* values, std::byte* undefined, const Instruction& instruction,
                            LaneMask lanes);

/// A read-modify-write as a function of bits: old value, operands b and c → new value. Narrow types use the
/// low bits. Also folds redux and barrier reductions.
using Combine = std::uint64_t (*)(std::uint64_t old, std::uint64_t b, std::uint64_t c);

/// Who carries an instruction out. Everything but `compute` needs more than the registers of one warp.
enum class Action : std::uint8_t {
  compute,  ///< Form::compute does it all
  special,  ///< mov from a special register
  load,
  store,
  atomic,
  reduction,  ///< ld ldu / st / atom / red
  prefetch,   ///< prefetch, discard, applypriority: no effect that a program can see
  async_copy,
  async_commit,
  async_wait,  ///< cp.async, .commit_group, .wait_group/.wait_all
  load_matrix,
  store_matrix,
  matrix_multiply,  ///< ldmatrix, stmatrix, mma.sync
  branch,
  branch_indexed,
  call,
  ret,
  exit,
  trap,
  barrier_sync,
  barrier_arrive,
  barrier_reduce,  ///< bar / barrier{.cta}
  warp_sync,       ///< bar.warp.sync
  cluster_arrive,
  cluster_wait,
  shuffle,
  vote,
  match,
  warp_reduce,
  elect,
  activemask,
  fence,  ///< fence, membar
  nanosleep,
  pause,          ///< no effect but to end the time slice / no effect (pmevent, setmaxnreg, griddepcontrol)
  mbarrier,       ///< mbarrier.*, cp.async.mbarrier.arrive: Form::has("init"), has("arrive") … says which
  cluster_rank,   ///< getctarank
  join,           ///< no PTX: a reconvergence point that lowering inserted
  builtin,        ///< no PTX: a call of vprintf, __assertfail, … that the machine serves
  frame_address,  ///< no PTX: mov of the address of a .local variable
  unsupported,    ///< no PTX: a statement that no row covers; running it stops the job
};

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };
enum class Compare : std::uint8_t {
  none,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  lo,
  ls,
  hi,
  hs,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan
};
enum class Boolean : std::uint8_t { none, and_, or_, xor_ };
enum class StateSpace : std::uint8_t { none, global, shared_cta, shared_cluster, local, constant, param };
enum class Semantics : std::uint8_t { none, weak, volatile_, relaxed, acquire, release, acq_rel, sc };
enum class Scope : std::uint8_t { none, cta, cluster, gpu, sys };
enum class AtomicKind : std::uint8_t { none, and_, or_, xor_, add, inc, dec, min, max, exch, cas };
enum class ShuffleKind : std::uint8_t { none, up, down, bfly, idx };
enum class VoteKind : std::uint8_t { none, all, any, uni, ballot };

using RowId = std::uint16_t;

/// How instructions of a form use one of their rows.
struct Port {
  std::uint8_t bytes = 0;  ///< of a column; 0: a predicate mask
  std::uint8_t bits = 0;   ///< of a column that count: a cvt may read the low ones of a wider register
  std::uint8_t parts = 1;  ///< values in a column: 2 in packed types
  bool written = false;
};

/// An opcode with its suffixes, understood.
struct Form {
  RowId row = 0;  ///< index into rows()
  Action action = Action::compute;
  Compute compute = nullptr;         ///< set exactly for Action::compute and matrix_multiply
  Combine combine = nullptr;         ///< atomics, redux, barrier reductions
  Combine combine_shared = nullptr;  ///< the same on shared memory, where f32 add keeps subnormals
  Type type = Type::none;            ///< T of the row: the instruction's type (destination type for cvt)
  Type type2 = Type::none;           ///< U of the row: the source type of cvt, set, slct, dp4a …
  Rounding rounding = Rounding::none;
  Compare compare = Compare::none;
  Boolean boolean = Boolean::none;
  StateSpace space = StateSpace::none;   ///< none: generic
  StateSpace space2 = StateSpace::none;  ///< source space of cp.async
  Semantics semantics = Semantics::none;
  Scope scope = Scope::none;
  AtomicKind atomic = AtomicKind::none;
  ShuffleKind shuffle = ShuffleKind::none;
  VoteKind vote = VoteKind::none;
  std::uint8_t vector = 1;  ///< 1, 2, 4, 8
  /// Bytes of the registers of `relaxed` operands, where they are wider than the types; 0: as the types say.
  std::uint8_t destination_bytes = 0, source_bytes = 0;
  bool ftz = false, sat = false, satfinite = false, relu = false, nan = false, xorsign = false, abs = false;
  bool aligned = false;  ///< .aligned; bar.* without .cta implies it
  bool noinc = false;
  bool reads_carry = false, writes_carry = false;  ///< CC of add.cc, addc …
  /// Of computing forms: all rows in the order of Instruction's, destinations first.
  std::vector<Port> ports;
  /// The words of the row's syntax that set none of the fields above, in order ("hi", "wide", "f4e", "x4",
  /// "trans", "init" …).
  std::vector<std::string_view> words;
  bool has(std::string_view word) const;
};

/// How one operand of a row is typed. Written in ptx.def as "d:T a:T b:u32 p:pred? …".
/// A second destination `e` is written d|e. Where a statement has fewer operands than there are rules, the
/// optional ones are missing from the right.
struct OperandRule {
  enum class Shape : std::uint8_t { value, predicate, address, vector, label, target };
  char name = 'd';  ///< d: destination, e: second destination; a b c …: sources
  Shape shape = Shape::value;
  Type type = Type::none;  ///< resolved for the form: T, U, a fixed type, or T widened
  std::uint8_t count = 1;  ///< elements of a vector
  bool optional = false;
  bool destination = false;
  bool relaxed = false;  ///< a register wider than the type is allowed (ld, st, cvt)
  bool rank = false;     ///< not written: the rank of the executing block in its cluster
};

/// One row of ptx.def.
struct Row {
  std::string_view id;        ///< unique: "add_int"
  std::string_view syntax;    ///< "add.<rnd>?.ftz?.sat?.T"
  std::string_view types;     ///< the alternatives of T: "f32 f64"
  std::string_view types2;    ///< the alternatives of U
  std::string_view operands;  ///< "d:T a:T b:T"
  Action action;
  bool (*select)(
      Form&);         ///< sets compute or combine; false when this combination does not exist; null: all do
  ShadowRule shadow;  ///< null: more than registers decide it
  std::string_view synopsis;  ///< "d = a + b (mod 2^w)"
};

std::span<const Row> rows();

/// The form that `opcode.suffix.suffix` means, or nothing when no row matches it.
std::optional<Form> find_form(std::string_view opcode, std::span<const std::string> suffixes);

/// The form of a mov between a register and a vector: `parts` 2 or 4. Its operands lie flat: d, a0, a1 …
/// (pack) or d0, d1 …, a (unpack, where a part may be no_operand).
enum class Packing : std::uint8_t { pack, unpack };
std::optional<Form> find_packing_mov(Packing packing, unsigned parts, std::span<const std::string> suffixes);

/// Adapts a compute form with relaxed operands (cvt) to its registers' widths in bytes. False when a register
/// is narrower than its type, or the combination does not exist.
bool fit_registers(Form& form, unsigned destination_bytes, unsigned source_bytes);

/// The operand rules of a form, in the order in which PTX writes the operands.
std::vector<OperandRule> operand_rules(const Form& form);

}  // namespace foldproof::isa
