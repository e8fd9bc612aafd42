// Names as C++ spells them, for reports.
#pragma once

#include <string>

namespace foldproof {

/// "sum(float const*)" for "_Z3sumPKf"; a name that is not mangled stays as it is.
std::string demangled(const std::string& name);

}  // namespace foldproof
