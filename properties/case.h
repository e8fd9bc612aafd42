// A case is a short description, not a blob: a few words from which inputs, launch and schedule are made
// again, anywhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "contracts/expression.h"
#include "devices/launch.h"
#include "devices/order.h"
#include "properties/planted.h"

namespace foldproof {

/// What a case may ask for at most; far beyond what is ever generated.
inline constexpr std::int64_t most_calls = 16;
inline constexpr std::int64_t largest_offset = 1 << 20;

/// How the input's elements are made.
struct InputDistribution {
  std::string
      distribution;  ///< a word from the table in distributions.def: "uniform", "ill-conditioned:40", …
  std::uint64_t seed = 0;             ///< of the element generator
  std::vector<Planted> planted = {};  ///< set by hand after generation; shrinking leaves these
  /// What was done to the elements before those were planted: words from the table in transforms.def, in
  /// order.
  std::vector<std::string> transforms = {};
};

/// "uniform+scale:66+nan:last": the distribution and its transforms.
std::string words_of(const InputDistribution& input);

struct Case {
  InputDistribution input;
  Variables variables;  ///< count, block, grid and the contract's further variables
  LaunchOrder order;
  std::uint64_t offset = 0;  ///< elements by which the input starts past an aligned address
  std::uint64_t calls = 1;   ///< how often the whole sequence of launches runs; results must agree
  std::string
      relation;  ///< a name from the table in relations/relations.def that is tried as well; empty: none
};

/// One line a person can read: "count=33 block=128 grid=1 uniform seed=7 schedule=converging".
std::string describe(const Case& c);

/// A case together with the contract and instance that it belongs to.
struct StoredCase {
  std::filesystem::path contract;
  std::string instance;  ///< label
  std::string finding;   ///< kind that it showed
  Case c;
};

/// TOML text and back. Parsing throws InputError with file, line and column.
std::string to_toml(const StoredCase& stored);
StoredCase load_case(const std::filesystem::path& file);

}  // namespace foldproof
