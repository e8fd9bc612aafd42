// Layout of a module's variables: addresses in .shared, .const and .global, and their initial bytes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>

#include "devices/emulated/program/program.h"

namespace foldproof::emulated {

/// The address of a variable that has the same address in every activation.
struct StaticAddress {
  ptx::Space space = ptx::Space::none;
  std::uint64_t address = 0;  ///< in its space's window
  /// Another file defines its contents, or those of a variable whose address it holds.
  bool is_external = false;
};

/// Of functions with a body: the index in Program::functions.
using FunctionIndices = std::map<std::string, std::uint32_t, std::less<>>;
using AddressesByName = std::map<std::string, StaticAddress, std::less<>>;

/// Names are unique only at module scope: scopes inside functions may redeclare a name.
struct StaticAddresses {
  AddressesByName module;
  std::unordered_map<const ptx::Variable*, StaticAddress> functions;  ///< by declaration
};

/// Lays out every .shared, .const and .global variable, at module scope and inside functions, and fills the
/// program's `shared`, `constants` and `globals`. `functions` is needed for initializers that contain
/// function addresses.
StaticAddresses lay_out(const ptx::Module& module, Program& program, const FunctionIndices& functions,
                        const std::function<std::uint64_t(std::uint64_t bytes)>& allocate);

/// Bytes of a whole variable. Throws InputError if it exceeds the size limit.
std::uint64_t bytes_of(const ptx::Variable& variable, const std::string& module_name);

}  // namespace foldproof::emulated
