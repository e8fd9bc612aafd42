// Scoped symbol table of a function.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "devices/emulated/program/frame_builder.h"
#include "devices/emulated/program/layout.h"

namespace foldproof::emulated {

struct Symbol {
  enum class Kind : std::uint8_t {
    reg,              ///< a register
    range,            ///< registers declared together: %r<20>
    local,            ///< a .local variable
    slot,             ///< a .param variable of a function or call
    entry_parameter,  ///< a parameter of an entry
    fixed,            ///< a variable with a single address: .shared, .const, .global
    label
  };
  Kind kind = Kind::reg;
  unsigned bytes = 0;  ///< reg, range: of a column (0: predicate); otherwise of the variable
  std::uint32_t offset =
      0;  ///< reg, slot: in the frame; local: in the depot; entry_parameter: in the launch parameters
  std::uint64_t address = 0;  ///< fixed
  ptx::Space space{};         ///< fixed
  bool is_external = false;   ///< fixed: see StaticAddress
  std::uint32_t count = 0;    ///< range
  std::uint32_t label = 0;    ///< label: its number in the function
};

/// The open scopes of a function, outermost first, and the module's variables around them.
class SymbolTable {
 public:
  /// Both must outlive the table.
  SymbolTable(FrameBuilder& frame, const AddressesByName& module_variables)
      : frame_(frame), module_variables_(module_variables), scopes_(1) {}

  void open_scope() { scopes_.emplace_back(); }
  void close_scope() { scopes_.pop_back(); }

  /// Returns false if the innermost scope already has that name.
  bool declare(const std::string& name, const Symbol& symbol);

  /// The innermost declaration of a name, or null. The registers of a range get their rows when first looked
  /// up: nvcc declares more than it uses.
  const Symbol* find(const std::string& name);

 private:
  using Names = std::unordered_map<std::string, Symbol>;
  const Symbol* find_in_ranges(Names& names, const std::string& name);

  FrameBuilder& frame_;
  const AddressesByName& module_variables_;
  std::vector<Names> scopes_;
};

/// The symbol of a variable with a static address.
Symbol fixed_symbol(const StaticAddress& place);

}  // namespace foldproof::emulated
