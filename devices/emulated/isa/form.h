// The meaning of an opcode with its suffixes: the matching row of ptx.def, and the modifiers that the
// suffixes set.
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

/// Computes one register-only instruction for the lanes of `lanes`; columns of other lanes are unchanged.
/// `frame` is the warp's register file, with the layout shown in instruction.h.
using Compute = void (*)(std::byte* frame, const Instruction& instruction, LaneMask lanes);

/// Sets the undefined bits of an instruction's destinations (definedness.h).
using ShadowRule = void (*)(const std::byte* values, std::byte* undefined, const Instruction& instruction,
                            LaneMask lanes);

/// A read-modify-write as a function on bits: old value, operands b and c → new value. Narrow types use the
/// low bits. Also used for redux and barrier reductions.
using Combine = std::uint64_t (*)(std::uint64_t old, std::uint64_t b, std::uint64_t c);

/// How an instruction is executed. Every action except `compute` needs more than the registers of one warp.
enum class Action : std::uint8_t {
  compute,  ///< executed entirely by Form::compute
  special,  ///< mov from a special register
  load,
  store,
  atomic,
  reduction,  ///< ld ldu / st / atom / red
  prefetch,   ///< prefetch, applypriority: no visible effect
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
  pause,     ///< nanosleep ends the time slice; pause has no effect (pmevent, setmaxnreg, griddepcontrol)
  mbarrier,  ///< mbarrier.*, cp.async.mbarrier.arrive; Form::has("init"), has("arrive") … distinguishes them
  cluster_rank,   ///< getctarank
  join,           ///< not PTX: a reconvergence point inserted by lowering
  builtin,        ///< not PTX: a call of vprintf, __assertfail, … executed by the machine
  frame_address,  ///< not PTX: mov of the address of a .local variable
  unsupported,    ///< not PTX: a statement without a row; executing it stops the job
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

/// How instructions of a form use one of their operand rows.
struct Port {
  std::uint8_t bytes = 0;  ///< per column; 0: a predicate mask
  std::uint8_t bits = 0;   ///< significant bits per column: a cvt may read the low bits of a wider register
  std::uint8_t parts = 1;  ///< values per column: 2 in packed types
  bool written = false;
};

/// A decoded opcode with its suffixes.
struct Form {
  RowId row = 0;  ///< index into rows()
  Action action = Action::compute;
  Compute compute = nullptr;         ///< set only for Action::compute and matrix_multiply
  Combine combine = nullptr;         ///< atomics, redux, barrier reductions
  Combine combine_shared = nullptr;  ///< the same for shared memory, where f32 add keeps subnormals
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
  /// Bytes of the registers of `relaxed` operands if they are wider than the types; 0: the types' width.
  std::uint8_t destination_bytes = 0, source_bytes = 0;
  bool ftz = false, sat = false, satfinite = false, relu = false, nan = false, xorsign = false, abs = false;
  bool aligned = false;  ///< .aligned; bar.* without .cta implies it
  bool noinc = false;
  bool reads_carry = false, writes_carry = false;  ///< CC of add.cc, addc …
  /// For computing forms: all rows in the order of Instruction's, destinations first.
  std::vector<Port> ports;
  /// The words of the row's syntax that do not set any of the fields above, in order ("hi", "wide", "f4e",
  /// "x4", "trans", "init" …).
  std::vector<std::string_view> words;
  bool has(std::string_view word) const;
};

/// The type of one operand of a row, written in ptx.def as "d:T a:T b:u32 p:pred? …". A second destination
/// `e` is written d|e. If a statement has fewer operands than rules, the optional ones are missing from the
/// right.
struct OperandRule {
  enum class Shape : std::uint8_t { value, predicate, address, vector, label, target };
  char name = 'd';  ///< d: destination, e: second destination; a b c …: sources
  Shape shape = Shape::value;
  Type type = Type::none;  ///< resolved for the form: T, U, a fixed type, or T widened
  std::uint8_t count = 1;  ///< elements of a vector
  bool optional = false;
  bool destination = false;
  bool relaxed = false;  ///< the register may be wider than the type (ld, st, cvt)
  bool rank = false;     ///< implicit operand: the rank of the executing block in its cluster
};

/// One row of ptx.def.
struct Row {
  std::string_view id;        ///< unique: "add_int"
  std::string_view syntax;    ///< "add.<rnd>?.ftz?.sat?.T"
  std::string_view types;     ///< the alternatives of T: "f32 f64"
  std::string_view types2;    ///< the alternatives of U
  std::string_view operands;  ///< "d:T a:T b:T"
  Action action;
  bool (*select)(Form&);      ///< sets compute or combine; false: invalid combination; null: all are valid
  ShadowRule shadow;          ///< null: registers alone do not determine it
  std::string_view synopsis;  ///< "d = a + b (mod 2^w)"
};

std::span<const Row> rows();

/// The form of `opcode.suffix.suffix`, or std::nullopt if no row matches.
std::optional<Form> find_form(std::string_view opcode, std::span<const std::string> suffixes);

/// The form of a mov between a register and a vector of 2 or 4 `parts`. Its operands are flattened: d, a0, a1
/// … (pack) or d0, d1 …, a (unpack, where a part may be no_operand).
enum class Packing : std::uint8_t { pack, unpack };
std::optional<Form> find_packing_mov(Packing packing, unsigned parts, std::span<const std::string> suffixes);

/// Adapts a compute form with relaxed operands (cvt) to the widths of its registers in bytes. Returns false
/// if a register is narrower than its type, or the combination does not exist.
bool fit_registers(Form& form, unsigned destination_bytes, unsigned source_bytes);

/// The operand rules of a form, in PTX operand order.
std::vector<OperandRule> operand_rules(const Form& form);

}  // namespace foldproof::isa
