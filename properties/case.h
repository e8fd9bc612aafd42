// A case is a short description, not a blob: inputs, launch and schedule can be regenerated from it anywhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "contracts/expression.h"
#include "devices/launch.h"
#include "devices/schedule.h"
#include "oracles/formats.h"

namespace foldproof {

/// Upper limits for a case, far beyond what is ever generated.
inline constexpr std::int64_t most_calls = 16;
inline constexpr std::int64_t largest_offset = 1 << 20;

/// `value` is one of
///   a C hexadecimal floating-point number such as "0x1.8p-2" or "-0x0p+0", or "inf", "-inf" or "nan" (the
///   canonical NaN): a value that the element's type has; others are not rounded to it;
///   an unsigned number without an exponent such as "0x7fc00001" or "7": the bits of an element of any type.
struct Planted {
  std::uint64_t index = 0;
  std::string value;
  bool operator==(const Planted&) const = default;
};

/// The bits of an element in the notation of cases: the value of a floating-point element, the bits of an
/// integer and of a NaN that is not the canonical one. planted_bits() restores the bits.
std::string planted_text(Element element, std::uint64_t bits);

/// The bits of an element. Throws InputError for invalid text, and for a value that the type does not have.
std::uint64_t planted_bits(Element element, const std::string& value);

/// Throws InputError if the text has none of the above forms, whatever the type.
void check_planted(const std::string& value);

/// Where a transform plants a value: in one element, in all elements of one tile or one row, or everywhere.
/// An edge is the last element of a warp or tile or the first one after it. The seed selects the edge, tile
/// or row.
enum class PlantedAt : std::uint8_t { first, last, edge, tile, row, all };
inline constexpr std::string_view place_names[] = {"first", "last", "edge", "tile", "row", "all"};

/// Of a distribution or transform: none; an index or exponent; or a place.
using StepArgument = std::variant<std::monostate, std::int64_t, PlantedAt>;

/// A distribution or transform and its argument, such as "ill-conditioned:40", "nan:last" or "uniform".
struct InputStep {
  /// No aggregate: in {"zeros", 3}, an omitted inner brace would make the seed an argument.
  InputStep(std::string step_name = "", StepArgument its_argument = {})
      : name(std::move(step_name)), argument(its_argument) {}

  std::string name;  ///< from distributions.def or transforms.def
  StepArgument argument;
  bool operator==(const InputStep&) const = default;
};

/// The notation of cases: "nan:last".
std::string to_string(const InputStep& step);

/// Reads that notation. Throws InputError for an argument that is neither an integer nor a place. Does not
/// check the name, nor whether it takes the argument: make_input() does.
InputStep input_step(std::string_view text);

/// How the input's elements are generated.
struct InputDistribution {
  InputStep distribution;
  std::uint64_t seed = 0;                  ///< seed of the element generator
  std::vector<Planted> planted = {};       ///< set individually after generation; the result of shrinking
  std::vector<InputStep> transforms = {};  ///< applied in order, before any element is planted
  bool operator==(const InputDistribution&) const = default;
};

/// "uniform+scale:66+nan:last": the distribution and its transforms.
std::string to_string(const InputDistribution& input);

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
  std::string entry = {};  ///< the kernel, if its contract was guessed from the source; otherwise empty
  std::string as = {}, map = {};  ///< of that contract; see Contract
  Position where = {};  ///< of the key that names the contract, in the file from which the case was read
};

/// Conversion to and from TOML. load_case() throws InputError with file, line and column.
std::string to_toml(const StoredCase& stored);
StoredCase load_case(const std::filesystem::path& file);

/// The contract that a case in this store names or, if it does not exist because the case was moved with its
/// store, the file of that name next to the store.
std::filesystem::path contract_beside(const std::filesystem::path& store, const std::filesystem::path& named);

}  // namespace foldproof
