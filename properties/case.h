// A case is a short description, not a blob: inputs, launch and schedule can be regenerated from it anywhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "contracts/expression.h"
#include "devices/launch.h"
#include "devices/schedule.h"
#include "properties/planted.h"

namespace foldproof {

/// Upper limits for a case, far beyond what is ever generated.
inline constexpr std::int64_t most_calls = 16;
inline constexpr std::int64_t largest_offset = 1 << 20;

/// How the input's elements are generated.
struct InputDistribution {
  std::string distribution;           ///< from distributions.def: "uniform", "ill-conditioned:40", …
  std::uint64_t seed = 0;             ///< seed of the element generator
  std::vector<Planted> planted = {};  ///< set individually after generation; the result of shrinking
  /// Applied to the elements before any are planted: names from transforms.def, in order.
  std::vector<std::string> transforms = {};
};

/// "uniform+scale:66+nan:last": the distribution and its transforms.
std::string words_of(const InputDistribution& input);

struct Case {
  InputDistribution input;
  Variables variables;  ///< count, block, grid and the contract's further variables
  LaunchOrder order;
  std::uint64_t offset = 0;  ///< elements between an aligned address and the start of the input
  std::uint64_t calls = 1;   ///< how often the whole sequence of launches runs; results must agree
  std::string relation;      ///< checked as well: a name from relations/relations.def; empty: none
};

/// One readable line: "count=33 block=128 grid=1 uniform seed=7 schedule=converging".
std::string describe(const Case& c);

/// A case with the contract and instance that it belongs to.
struct StoredCase {
  std::filesystem::path contract;
  std::string instance;  ///< label
  std::string finding;   ///< kind of the finding
  Case c;
};

/// Conversion to and from TOML. load_case() throws InputError with file, line and column.
std::string to_toml(const StoredCase& stored);
StoredCase load_case(const std::filesystem::path& file);

}  // namespace foldproof
