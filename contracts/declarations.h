// The kernels that a CUDA source declares, found in its text: templates are there before anyone instantiates
// them, parameters have their names, and a source that does not compile can still be read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

struct DeclaredKernel {
  std::string name;                              ///< with its namespaces: "ns::sum"
  std::vector<std::string> template_parameters;  ///< "typename T", "int B = 128"
  std::vector<std::string> parameters;           ///< "const T* __restrict__ input"
};

/// In the order of the text, each name once. Macros are not expanded.
std::vector<DeclaredKernel> kernels_declared(std::string_view source);

/// The name in a parameter's declaration, or an empty string: "input".
std::string declared_name(std::string_view parameter);

}  // namespace foldproof
