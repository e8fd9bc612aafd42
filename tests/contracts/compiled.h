// Sources and contracts that tests compile with nvcc.
#pragma once

#include <string>

#include "contracts/compile.h"
#include "workshop.h"

namespace foldproof {

inline CompileOptions options_in(const Workshop& workshop) {
  CompileOptions options;
  options.cache = workshop.path() / "ptx";
  return options;
}

inline const std::string source_text = R"cuda(
#include "value.cuh"
namespace ns {
template <typename T, int B = 64>
__global__ void sum(const T* in, T* out, unsigned n) { out[0] = in[n] + T(B); }
}
namespace { __global__ void hidden(int* p) { *p = VALUE; } }
extern "C" __global__ void plain(int* p) { *p = 1; }
)cuda";

inline const std::string contract_text = R"toml(format = 1
types = { T = ["f32", "i32"] }
[domain]
count = 4
[[launch]]
entry = "ns::sum<{T}>"
grid = 1
block = 1
arguments = ["input", "output", "count"]
[[launch]]
entry = "hidden"
grid = 1
block = 1
arguments = ["output"]
[[launch]]
entry = "plain"
grid = 1
block = 1
arguments = ["output"]
)toml";

inline const char* const entry_wrong =
    "format = 1\n[domain]\ncount = 1\n[[buffer]]\nname = \"x\"\ntype = \"f32\"\ncount = 1\n"
    "[[launch]]\nentry = \"wrong\"\ngrid = 1\nblock = 1\narguments = [\"x\"]\n";

inline std::string lowered(const Contract& contract, std::size_t instance, std::size_t launch) {
  return contract.instances.at(instance).launches.at(launch).lowered;
}

}  // namespace foldproof
