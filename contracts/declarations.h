// Finds the kernels that a CUDA source declares. Reading the text finds templates that are not instantiated
// and the names of parameters, and works on a source that does not compile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

struct DeclaredKernel {
  std::string name;                              ///< including namespaces: "ns::sum"
  std::vector<std::string> template_parameters;  ///< "typename T", "int B = 128"
  std::vector<std::string> parameters;           ///< "const T* __restrict__ input"
};

/// In source order, each name once. Macros are not expanded.
std::vector<DeclaredKernel> kernels_declared(std::string_view source);

/// The name in a parameter's declaration, such as "input"; empty if it has none.
std::string declared_name(std::string_view parameter);

}  // namespace foldproof
