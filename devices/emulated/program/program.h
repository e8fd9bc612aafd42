// A PTX module ready to run: registers are frame offsets, labels are indices, variables are addresses.
//
//   text ──ptx::parse──► Module ──lower──► Program ──Machine──► a run
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
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

/// Storage of a .param variable of a function or call: for each 4 bytes of it, a row of 32 columns.
struct Slot {
  std::uint32_t offset = 0;  ///< in the frame
  std::uint32_t bytes = 0;
};

/// Functions that nvcc leaves to the driver.
enum class Builtin : std::uint8_t { vprintf, assert_fail };

/// What a machine action needs besides its form. Which members count depends on the action.
struct MachineOperands {
  // Memory: an address is base + displacement.
  enum class Base : std::uint8_t {
    absolute,        ///< no register
    register32,      ///< `row` has 32-bit columns
    register64,      ///< … 64-bit columns
    frame_local,     ///< the frame's depot (.local variables)
    slot,            ///< a .param variable of a function: no address at all
    entry_parameter  ///< the launch's parameter bytes
  };
  struct Address {
    Base base = Base::absolute;
    std::uint32_t row = isa::no_operand;  ///< of a register; of the slot's first 4 bytes
    std::int64_t displacement = 0;
  };
  Address address;
  Address source;                   ///< cp.async: where it reads
  std::uint8_t element_bytes = 0;   ///< of one element in memory
  std::uint8_t register_bytes = 0;  ///< of the column that it goes to or comes from
  bool sign_extend = false;
  std::vector<std::uint32_t> data;  ///< rows loaded to or stored from; sources of atomics follow destinations
  AccessAttributes attributes;

  std::uint32_t barrier = isa::no_operand;  ///< its number, where that is an immediate
  SpecialRegister special{};
  Builtin builtin{};

  // Calls.
  std::uint32_t function = isa::no_operand;  ///< index of a direct callee
  std::vector<Slot> arguments, returns;      ///< in the caller's frame

  std::vector<std::uint32_t> targets;  ///< brx.idx

  // .sync instructions: those of the same form and member mask meet.
  std::uint32_t member_mask = isa::no_operand;  ///< row of the mask; none: all lanes
  std::uint8_t operands = 0;                    ///< rows in Instruction::operand
};

/// A variable in shared memory, by its place in the block's shared window.
struct SharedVariable {
  std::string name;
  std::string entry;             ///< the only one that has it; empty: all have
  std::uint32_t address = 0;     ///< offset in the shared window
  std::uint32_t bytes = 0;       ///< 0 for the dynamic array, whose size the launch gives
  std::uint32_t packed_end = 0;  ///< where it would end if variables stood close together, as on hardware
  bool dynamic = false;
};

/// Shared memory that the system reserves in every block; cooperative groups keep barriers of tiles that span
/// warps there. Its two halves are what %reserved_smem_offset_0 and _1 name.
inline constexpr std::uint32_t reserved_shared_address = (255u << 16) + 1024;
inline constexpr std::uint32_t reserved_shared_bytes = 1024;

struct FunctionCode {
  /// A register that may be read before it is written.
  struct Unwritten {
    std::uint32_t row = 0;
    std::uint32_t bytes = 0;   ///< of a column; 0: a predicate
    std::uint32_t reader = 0;  ///< the first instruction that may read it so
  };

  std::string name;
  bool is_entry = false;
  std::vector<Instruction> instructions;
  std::vector<Unwritten> unwritten;
  std::vector<std::byte> frame;                  ///< a new frame: registers zero, constants in place
  std::uint32_t local_bytes = 0;                 ///< of the depot, per lane
  std::vector<Slot> parameters, returns;         ///< of a function
  std::vector<std::uint32_t> parameter_offsets;  ///< of an entry, in bytes from its first parameter
  std::vector<std::uint32_t> parameter_bytes;
  std::array<std::uint32_t, 3> max_threads{0, 0, 0};       ///< .maxntid; 0: none
  std::array<std::uint32_t, 3> required_threads{0, 0, 0};  ///< .reqntid
  std::array<std::uint32_t, 3> required_cluster{0, 0, 0};  ///< .reqnctapercluster
  std::uint32_t ptx_line = 0;
};

/// A .global or .const variable's bytes before anybody wrote them.
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
  std::vector<std::string> unsupported;                  ///< what Action::unsupported stands for, by target
  std::vector<SharedVariable> shared;                    ///< of all entries; the dynamic array stands last
  std::vector<StaticVariable> globals;
  std::vector<std::byte> constants;  ///< the constant window
  std::vector<ptx::Loc> locs;
  std::map<std::uint32_t, std::string> files;
  std::vector<const Instruction*> sites;  ///< every instruction, by its number

  /// The entry of that name, or nullptr.
  const FunctionCode* entry(std::string_view entry_name) const;
  /// Bytes of an entry's static shared memory, packed as on hardware.
  std::uint32_t shared_static_bytes(const FunctionCode& entry) const;
  /// Innermost frame of the instruction in the user's own source; the PTX line where there is no `.loc`.
  Position position(const Instruction& instruction) const;
  /// Whether the instruction stands in cooperative groups' own headers.
  bool is_cooperative_groups(const Instruction& instruction) const;
};

/// Function addresses: an index into Program::functions, far from every memory window.
inline constexpr std::uint64_t function_window = std::uint64_t{8} << isa::window_bits;
inline constexpr std::uint64_t function_stride = 256;

/// Resolves a module. `allocate` gives the address of a .global variable of so many bytes. Throws InputError
/// for text that is no valid program, Unsupported for an instruction that no row of ptx.def covers.
Program lower(const ptx::Module& module, const std::string& name,
              const std::function<std::uint64_t(std::uint64_t bytes)>& allocate);

}  // namespace foldproof::emulated
