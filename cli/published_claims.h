// Statements about reductions that are in print, and what Foldproof measures about each.
#pragma once

#include <map>
#include <span>
#include <string>

#include "sanitizer/counters.h"

namespace foldproof {

/// Counters of the f32 sums of the catalogue by id: 65536 elements, blocks of 256 threads.
class Evidence {
 public:
  explicit Evidence(std::map<std::string, Counters> counters) : counters_(std::move(counters)) {}
  const Counters& of(const std::string& id) const;
  /// A sum of counters, shared out among the blocks.
  double a_block(const std::string& id, std::uint64_t value) const { return ratio(value, of(id).blocks); }

 private:
  std::map<std::string, Counters> counters_;
};

struct Settled {
  enum class How : std::uint8_t { confirmed, off, open };
  How how;
  std::string by;  ///< off: by how much; open: why
  std::string measured;
};

struct Claim {
  const char* sentence;
  Settled (*settle)(const Evidence&);
};

/// The kernels that the claims are about.
std::span<const char* const> claimed_kernels();

std::span<const Claim> published_claims();

}  // namespace foldproof
