// How a kernel uses the memory to which its pointer parameters point, from the flow of their values through
// the PTX.
#pragma once

#include <string>
#include <vector>

#include "ptx/ast.h"

namespace foldproof {

/// What one parameter, as an address, is used for. Nothing is set for a parameter that is not an address.
struct Accesses {
  bool is_read = false;
  bool is_read_in_loop = false;
  bool is_written = false;
  bool is_accumulated = false;  ///< by atomics
  bool is_awaited = false;      ///< the kernel uses what an atomic returns, as for a counter
  bool is_unknown = false;      ///< the pointer is stored or passed to a function, so other uses may exist

  bool is_output() const { return is_written || is_accumulated; }
  bool operator==(const Accesses&) const = default;
};

/// One for each parameter of the entry; empty if the module has no such entry. The order of statements is
/// ignored: a register that may hold an address in one place may hold it everywhere.
std::vector<Accesses> accesses_of(const ptx::Module& module, const std::string& lowered);

}  // namespace foldproof
