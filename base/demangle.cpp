#include "base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace foldproof {

std::string demangled(const std::string& name) {
  constexpr std::size_t longest = 4096;  // the demangler recurses
  if (!name.starts_with("_Z") || name.size() > longest) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

}  // namespace foldproof
