// The result of `foldproof-lab compare`, as a page and as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/comparing_runner.h"
#include "properties/verdict.h"
#include "reports/json.h"

namespace foldproof {

/// The result for one instance.
struct Compared {
  std::string folder, kernel, instance;
  bool must_be_same = false;  ///< whether both devices must leave the same bits
  std::uint64_t cases = 0;
  RunTally tally;
  std::vector<Finding> findings;
  std::string trouble;  ///< why it was not compared; empty if it was
};

struct Comparison {
  std::string device;             ///< the GPU
  bool contracted = false;        ///< built as the contracts say; otherwise with -fmad=false
  std::uint64_t largest = 0;      ///< largest element count of a case
  std::vector<Compared> kernels;  ///< one per instance
};

Json to_json(const Compared& one);
/// Throws Json::exception.
Compared compared_from(const Json& json);

Json to_json(const Comparison& comparison);
/// Markdown. `command`: the command that the page names as its source.
std::string page_of(const Comparison& comparison, const std::string& command);

}  // namespace foldproof
