// Published or circulating statements about reductions, and what Foldproof measures about each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sanitizer/counters.h"

namespace foldproof {

/// The results of `foldproof-lab bench kernels` on a GPU.
struct Bandwidths {
  struct Sum {
    std::string id;
    std::uint64_t count = 0;
    double seconds = 0, of_read = 0;  ///< as a share of the bandwidth of only reading the same input
  };
  std::string device;
  std::vector<Sum> sums;

  /// Throws InputError if that was not measured.
  const Sum& of(const std::string& id, std::uint64_t count) const;
  /// Loads the benchmark's JSON output. Throws InputError, naming the file, if it is anything else, and if a
  /// sum that a claim needs was not measured.
  static Bandwidths load(const std::filesystem::path& file);
};

/// Counters of the f32 sums of the catalogue by id: 65536 elements, blocks of 256 threads.
class ClaimData {
 public:
  ClaimData(std::map<std::string, Counters> counters, std::optional<Bandwidths> measured)
      : counters_(std::move(counters)), measured_(std::move(measured)) {}
  const std::optional<Bandwidths>& measured() const { return measured_; }
  const Counters& of(const std::string& id) const;
  /// A sum of counters, divided by the number of blocks.
  double per_block(const std::string& id, std::uint64_t value) const { return ratio(value, of(id).blocks); }

 private:
  std::map<std::string, Counters> counters_;
  std::optional<Bandwidths> measured_;
};

struct Settled {
  enum class How : std::uint8_t { confirmed, off, measured, open };
  How how;
  std::string by;  ///< off: by how much; open: why
  std::string measured;
};

struct Claim {
  const char* sentence;
  const char* source;  ///< Markdown: where it was published; null if its origin is unknown
  Settled (*settle)(const ClaimData&);
  const char* contradiction = nullptr;  ///< Markdown: documentation that contradicts it
};

/// The kernels of the page's last table, including those that claims refer to.
std::span<const char* const> tabulated_kernels();

/// All claims, including those of unknown origin.
std::span<const Claim> published_claims();

}  // namespace foldproof
