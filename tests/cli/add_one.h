// The kernel add_one and a contract for it, in a temporary folder.
#pragma once

#include <fmt/format.h>

#include <string>

#include "cli/kernels.h"
#include "cli/program.h"

namespace foldproof::test {

inline const std::string add_one_contract = R"toml(format = 1
id = "add_one"
[source]
path = "add_one.ptx"
[domain]
count = "1 .. 1000"
block = "128"
grid = "ceil_div(count, block)"
[[buffer]]
name = "data"
type = "i32"
count = "count"
initial = "zero"
[[launch]]
entry = "add_one"
grid = "grid"
block = "block"
arguments = ["data", "count"]
)toml";

/// A folder with the kernel add_one and the given contract for it.
struct AddOne : Folder {
  explicit AddOne(const std::string& contract = add_one_contract) {
    file("add_one.ptx", add_one_ptx);
    file("add_one.toml", contract);
  }
};

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

/// A contract that claims one element fewer than the kernel accesses.
inline const std::string too_short = replaced(add_one_contract, "count = \"count\"", "count = \"count - 1\"");

/// 4096 instances.
inline std::string contract_with_many_instances() {
  std::string words;
  for (int k = 0; k < 64; ++k) words += fmt::format("\"{}\", ", k);
  return replaced(add_one_contract, "[source]",
                  fmt::format("types = {{ a = [{0}], b = [{0}] }}\n[source]", words));
}

}  // namespace foldproof::test
