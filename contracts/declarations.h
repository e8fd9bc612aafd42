// Finds the kernels that a CUDA source declares. Reading the text finds templates that are not instantiated
// and the names of parameters, and works on a source that does not compile. Text from the preprocessor also
// shows what macros stand for.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

struct DeclaredKernel {
  std::string name;                              ///< including namespaces: "ns::sum"
  std::vector<std::string> template_parameters;  ///< "typename T", "int B = 128"; "typename" for auto
  std::string constraint;                        ///< "requires(B>32)"; empty if there is none
  std::vector<std::string> parameters;           ///< "const T* __restrict__ input"
  std::string specialized_for;                   ///< "<float>" of a specialization; otherwise empty
  unsigned line = 0;                             ///< of the name
  bool is_defined = false;                       ///< and not only declared
};

/// Macros by which a source declares kernels.
struct KernelMacros {
  std::set<std::string, std::less<>> attributes;  ///< they stand for __global__, perhaps with more words
  std::set<std::string, std::less<>> definers;    ///< their text defines whole kernels
};

/// The lines of `preprocessed` that come from `file` itself and not from what it includes, whatever names its
/// #line directives give them. `file` is as in the line markers of `nvcc -E`.
std::string lines_of_file(std::string_view preprocessed, const std::string& file);

/// In source order, without repetitions and explicit instantiations. Kernels of the same name differ in
/// template parameters, constraints or parameter types. Does not expand macros.
std::vector<DeclaredKernel> kernels_declared(std::string_view source, const KernelMacros& macros = {});

/// Whether the text defines or explicitly instantiates a kernel, and does not only declare some.
bool defines_kernels(std::string_view source, const KernelMacros& macros = {});

/// The line of the first kernel, or host function, of that name without namespaces and template arguments; 0
/// if there is none.
unsigned declaration_line(std::string_view source, std::string_view name, bool is_host_function);

/// The name in a parameter's declaration, such as "input"; empty if it has none.
std::string declared_name(std::string_view parameter);

}  // namespace foldproof
