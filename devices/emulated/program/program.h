// An executable PTX module: registers are frame offsets, labels are indices, variables are addresses.
//
//   text ──ptx::parse──► Module ──lower──► Program ──Machine──► a run
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "devices/emulated/isa/instruction.h"
#include "devices/emulated/isa/windows.h"
#include "devices/emulated/program/special_registers.h"
#include "ptx/ast.h"
#include "sanitizer/observer.h"

namespace foldproof::emulated {

using isa::Action;
using isa::Instruction;
using isa::LaneMask;

/// Storage of a .param variable of a function or call: one row of 32 columns per 4 bytes.
struct Slot {
  std::uint32_t offset = 0;  ///< in the frame
  std::uint32_t bytes = 0;
};

/// Functions that nvcc leaves to the driver.
enum class Builtin : std::uint8_t { vprintf, assert_fail };

/// Operands of a machine action in addition to its form. The action determines which members are used.
struct MachineOperands {
  // Memory: an address is base + displacement.
  enum class Base : std::uint8_t {
    absolute,        ///< no register
    register32,      ///< `row` has 32-bit columns
    register64,      ///< … 64-bit columns
    frame_local,     ///< the frame's depot (.local variables)
    slot,            ///< a .param variable of a function: it has no address
    entry_parameter  ///< the launch's parameter bytes
  };
  struct Address {
    Base base = Base::absolute;
    std::uint32_t row = isa::no_operand;  ///< register's row; for a slot, the row of its first 4 bytes
    std::int64_t displacement = 0;
  };
  Address address;
  Address source;                   ///< cp.async: the source
  std::uint8_t element_bytes = 0;   ///< of one element in memory
  std::uint8_t register_bytes = 0;  ///< size of the register column
  bool sign_extend = false;
  std::vector<std::uint32_t> data;  ///< rows to load to or store from; an atomic's sources come last
  AccessAttributes attributes;

  std::uint32_t barrier = isa::no_operand;  ///< barrier number, if an immediate
  SpecialRegister special{};
  Builtin builtin{};

  // Calls.
  std::uint32_t function = isa::no_operand;  ///< index of a direct callee
  std::vector<Slot> arguments, returns;      ///< in the caller's frame

  std::vector<std::uint32_t> targets;  ///< brx.idx

  // .sync instructions: those with the same form and member mask synchronize with each other.
  std::uint32_t member_mask = isa::no_operand;  ///< row of the mask; none: all lanes
  std::uint8_t operands = 0;                    ///< rows in Instruction::operand
};

/// A variable in shared memory, by its offset in the block's shared window.
struct SharedVariable {
  std::string name;
  std::string entry;             ///< the only entry that has it; empty: all entries
  std::uint32_t address = 0;     ///< offset in the shared window
  std::uint32_t bytes = 0;       ///< 0 for the dynamic array, whose size is set at launch
  std::uint32_t packed_end = 0;  ///< end of the variable in a packed layout, as on hardware
  bool dynamic = false;
};

/// Shared memory that the system reserves in every block; cooperative groups use it for the barriers of tiles
/// that span several warps. %reserved_smem_offset_0 and _1 are the addresses of its two halves.
inline constexpr std::uint32_t reserved_shared_address = (255u << 16) + 1024;
inline constexpr std::uint32_t reserved_shared_bytes = 1024;

struct FunctionCode {
  /// A register that may be read before it is written.
  struct Unwritten {
    std::uint32_t row = 0;
    std::uint32_t bytes = 0;   ///< of a column; 0: a predicate
    std::uint32_t reader = 0;  ///< the first instruction that may read it before a write
  };

  std::string name;
  bool is_entry = false;
  std::vector<Instruction> instructions;
  std::vector<Unwritten> unwritten;
  std::vector<std::byte> frame;           ///< initial contents of a frame: registers zero, constants set
  std::uint32_t local_bytes = 0;          ///< depot size per lane
  std::vector<Slot> parameters, returns;  ///< of a function
  std::vector<std::uint32_t> parameter_offsets;  ///< of an entry, in bytes from its first parameter
  std::vector<std::uint32_t> parameter_bytes;
  std::array<std::uint32_t, 3> max_threads{0, 0, 0};       ///< .maxntid; 0: none
  std::array<std::uint32_t, 3> required_threads{0, 0, 0};  ///< .reqntid
  std::array<std::uint32_t, 3> required_cluster{0, 0, 0};  ///< .reqnctapercluster
  std::uint32_t ptx_line = 0;
};

/// The initial bytes of a .global or .const variable.
struct StaticVariable {
  std::string name;
  std::uint64_t address = 0;
  std::vector<std::byte> initial;
};

struct Program {
  std::string name;
  std::vector<FunctionCode> functions;
  std::deque<isa::Form> forms;
  std::vector<MachineOperands> details;
  std::deque<std::vector<std::uint32_t>> wide_operands;  ///< of matrix instructions
  std::vector<std::string> unsupported;  ///< descriptions of unsupported statements, by Instruction::target
  std::vector<SharedVariable> shared;    ///< of all entries; the dynamic array is last
  std::vector<StaticVariable> globals;
  std::vector<std::byte> constants;  ///< the constant window
  struct ConstantVariable {
    std::string name;
    std::uint64_t address, bytes;
  };
  std::vector<ConstantVariable> constant_variables;  ///< in the order of their addresses
  std::vector<ptx::Loc> locs;
  std::map<std::uint32_t, std::string> files;
  std::set<std::uint32_t> cooperative_groups_files = {};  ///< those that are cooperative groups' own headers
  std::set<std::uint32_t> group_barrier_files = {};  ///< the header that has cooperative groups' barriers
  std::vector<const Instruction*> sites;             ///< every instruction, by its site number
  /// Some load or store, other than a poll, is relaxed or volatile.
  bool has_plain_strong_accesses = false;

  /// The entry of that name, or null.
  const FunctionCode* entry(std::string_view entry_name) const;
  /// Bytes of an entry's static shared memory, packed as on hardware.
  std::uint32_t shared_static_bytes(const FunctionCode& entry) const;
  /// Innermost frame of the instruction in the user's own source; the PTX line if there is no `.loc`.
  Position position(const Instruction& instruction) const;
  /// Whether the instruction, or a call from which it was inlined, is in one of the files with
  /// these numbers.
  bool is_in(const std::set<std::uint32_t>& numbers, const Instruction& instruction) const;
};

/// Function addresses encode an index into Program::functions, outside every memory window.
inline constexpr std::uint64_t function_window = std::uint64_t{8} << isa::window_bits;
inline constexpr std::uint64_t function_stride = 256;

/// Resolves a module. `allocate` returns the address for a .global variable of that many bytes. Throws
/// InputError for text that is not a valid program, Unsupported for an instruction that no row of ptx.def
/// covers.
Program lower(const ptx::Module& module, const std::string& name,
              const std::function<std::uint64_t(std::uint64_t bytes)>& allocate);

}  // namespace foldproof::emulated
