// What `foldproof-lab compare` found out, as a page and as JSON.
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

/// Of an instance.
struct Compared {
  std::string folder, kernel, instance;
  bool must_be_same = false;  ///< the bits, on both devices
  std::uint64_t cases = 0;
  RunTally tally;
  std::vector<Finding> findings;
  std::string trouble;  ///< why it was not compared; empty where it was
};

struct Comparison {
  std::string device;             ///< the GPU
  bool contracted = false;        ///< built as the contracts say; else with -fmad=false
  std::uint64_t largest = 0;      ///< elements of a case
  std::vector<Compared> kernels;  ///< one an instance
};

Json to_json(const Compared& one);
/// Throws Json::exception.
Compared compared_from(const Json& json);

Json to_json(const Comparison& comparison);
/// Markdown. `command`: what the page says it was made by.
std::string page_of(const Comparison& comparison, const std::string& command);

}  // namespace foldproof
