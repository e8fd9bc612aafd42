// Where the variables of a module live: addresses for .shared, .const and .global, and their first bytes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>

#include "devices/emulated/program/program.h"

namespace foldproof::emulated {

/// A variable that has an address of its own in every activation.
struct StaticAddress {
  ptx::Space space = ptx::Space::none;
  std::uint64_t address = 0;  ///< in its space's window
};

using AddressesByName = std::map<std::string, StaticAddress, std::less<>>;

/// Names are unique at module scope only: scopes inside functions may declare the same one again.
struct StaticAddresses {
  AddressesByName module;
  std::unordered_map<const ptx::Variable*, StaticAddress> functions;  ///< by declaration
};

/// Lays out every .shared, .const and .global variable, at module scope and inside functions, and fills the
/// program's `shared`, `constants` and `globals`. Function names are needed for initialisers that take
/// addresses.
StaticAddresses lay_out(const ptx::Module& module, Program& program,
                        const std::map<std::string, std::uint32_t, std::less<>>& functions,
                        const std::function<std::uint64_t(std::uint64_t bytes)>& allocate);

/// Bytes of a whole variable. Throws InputError when they pass the limit of its space.
std::uint64_t bytes_of(const ptx::Variable& variable, const std::string& module_name);

}  // namespace foldproof::emulated
