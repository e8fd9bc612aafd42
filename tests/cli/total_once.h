// A kernel that writes its output only in the first call.
#pragma once

#include "catch.h"
#include "cli/kernels.h"
#include "cli/program.h"

namespace foldproof::test {

/// A folder with total_once_ptx and a contract that claims determinism.
struct TotalOnce : Folder {
  TotalOnce() {
    file("total.ptx", total_once_ptx);
    file("total.toml", total_contract + "[claims]\ndeterministic = true\n");
  }
};

/// An audit of TotalOnce must report that the second call does not write the output.
inline void check_finds_second_call(const RanJson& ran) {
  CHECK(ran.status == 1);
  const std::string findings = ran.json.at("kernels").at(0).at("findings").dump();
  INFO(findings);
  CHECK(findings.find("after 2 calls, the result is nan") != std::string::npos);
  CHECK(findings.find("the last call did not write element 0 of the output") != std::string::npos);
}

}  // namespace foldproof::test
