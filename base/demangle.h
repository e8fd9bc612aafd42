// C++ demangling, for reports.
#pragma once

#include <string>

namespace foldproof {

/// "sum(float const*)" for "_Z3sumPKf"; returns a name that is not mangled unchanged.
std::string demangled(const std::string& name);

}  // namespace foldproof
