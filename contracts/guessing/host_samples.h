// Which values the unknown integers of a host function have in its sample runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace foldproof {

class HostSamples {
 public:
  static unsigned rounds();
  void begin_round(unsigned round) { round_ = round; }
  /// The number of the unknown integer that has this name, or other key.
  std::size_t number_of(const std::string& key);
  /// Its value in this round: small or large, a multiple of many numbers or of none.
  std::int64_t value(std::size_t number) const;
  /// Uses this value in some rounds, because a condition depends on it.
  void want(std::size_t number, std::int64_t value);

 private:
  unsigned round_ = 0;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::vector<std::int64_t>> wanted_;
};

}  // namespace foldproof
