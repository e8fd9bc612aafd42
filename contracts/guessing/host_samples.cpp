#include "contracts/guessing/host_samples.h"

#include <algorithm>

#include "base/hash.h"

namespace foldproof {
namespace {

/// Sizes of blocks, and others next to a few blocks; the sizes with which launches are tried
/// (properties/grid_preconditions.cpp) are among them.
const std::vector<std::int64_t>& usual_values() {
  static const std::vector<std::int64_t> values = [] {
    std::vector<std::int64_t> made{
        1,    2,    3,    4,    5,      7,      8,       13,      16,      31,        48,        100,    1000,
        1536, 2048, 4096, 4113, 20'000, 65'536, 196'608, 1 << 20, 1 << 23, 1'000'003, 9'999'360, 1 << 24};
    for (std::int64_t block = 32; block <= 1024; block *= 2)
      for (const std::int64_t blocks : {1, 4, 8}) made.push_back(blocks * block + 1);
    for (std::int64_t block = 32; block <= 1024; block *= 2) made.push_back(block);
    return made;
  }();
  return values;
}

/// In turn: values of their own, others that are wanted, and the same value for all.
enum class Pass { usual, wanted, same };
constexpr Pass passes[] = {Pass::usual,  Pass::wanted, Pass::same,   Pass::usual,  Pass::wanted,
                           Pass::wanted, Pass::wanted, Pass::wanted, Pass::wanted, Pass::same};

}  // namespace

unsigned HostSamples::rounds() { return static_cast<unsigned>(std::size(passes) * usual_values().size()); }

std::size_t HostSamples::number_of(const std::string& key) {
  const auto [found, is_new] = numbers_.try_emplace(key, wanted_.size());
  if (is_new) wanted_.emplace_back();
  return found->second;
}

std::int64_t HostSamples::value(std::size_t number) const {
  const std::vector<std::int64_t>& values = usual_values();
  const std::size_t pass = round_ / values.size();
  const std::vector<std::int64_t>& wanted = wanted_.at(number);
  const std::uint64_t random = mixed(round_ * 0x9E3779B97F4A7C15 + number * 0xD1B54A32D192ED03);
  const bool may_want = passes[pass] != Pass::usual && !wanted.empty();
  if (may_want && random % 2 == 0) return wanted[random / 2 % wanted.size()];
  if (passes[pass] == Pass::same) return values[round_ % values.size()];
  constexpr std::size_t stride = 17;
  return values[(round_ + number * (stride + pass)) % values.size()];
}

void HostSamples::want(std::size_t number, std::int64_t value) {
  constexpr std::size_t most = 16;
  std::vector<std::int64_t>& wanted = wanted_.at(number);
  if (value >= 0 && wanted.size() < most && std::ranges::find(wanted, value) == wanted.end())
    wanted.push_back(value);
}

}  // namespace foldproof
