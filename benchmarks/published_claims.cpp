#include "benchmarks/published_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "benchmarks/probes.h"

namespace foldproof {
namespace {

using How = Settled::How;

constexpr unsigned warp = 32;

Settled confirmed_if(bool so, const std::string& off_by, const std::string& measured) {
  return so ? Settled{How::confirmed, "", measured} : Settled{How::off, off_by, measured};
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// How far `now` is below `before`, as a fraction of `before`.
double fewer(double now, double before) { return before == 0 ? 0 : 1 - now / before; }

std::uint64_t conflicts(const Counters& c) { return c.shared.loads.conflicts + c.shared.stores.conflicts; }

/// The threads per block that fold in a round: those that store.
double working(const ClaimData& e, const std::string& id, std::size_t round) {
  return e.per_block(id, e.of(id).rounds.at(round).store_lanes);
}

/// Rounds in which fewer threads than a whole warp work.
std::uint64_t rounds_of_partial_warps(const ClaimData& e, const std::string& id) {
  std::uint64_t number = 0;
  for (std::size_t r = 1; r < e.of(id).rounds.size(); ++r)
    number += working(e, id, r) > 0 && working(e, id, r) < warp ? 1 : 0;
  return number;
}

// --- trees

Settled idle_lanes(const ClaimData& e) {
  std::string shares;
  bool halves = true;
  for (std::size_t r = 1; r < e.of("A2").rounds.size() && working(e, "A2", r) > 0; ++r) {
    const double share = working(e, "A2", r) / e.per_block("A2", e.of("A2").threads);
    halves = halves && share == std::ldexp(1.0, -static_cast<int>(r));
    shares += fmt::format("{}{}", shares.empty() ? "" : ", ", percent(share));
  }
  return confirmed_if(halves, "the shares do not halve", "working lanes per round: " + shares);
}

Settled fewer_loads(const ClaimData& e) {
  const double before = e.per_block("A2", e.of("A2").shared.loads.requests);
  const double now = e.per_block("A3", e.of("A3").shared.loads.requests);
  return confirmed_if(fewer(now, before) > 0.4, percent(0.4 - fewer(now, before)),
                      fmt::format("{} shared loads per block compared with {}: {} fewer", now, before,
                                  percent(fewer(now, before))));
}

Settled no_divergence(const ClaimData& e) {
  const double branches = e.per_block("A4", e.of("A4").divergent_branches);
  return confirmed_if(
      branches == 0,
      fmt::format("{} divergent branches per block, although 256 is a multiple of 32", branches),
      fmt::format("A2 has {} per block; of A4's {}, {} are in rounds with work for less than a warp, and one "
                  "lets thread 0 write the result",
                  e.per_block("A2", e.of("A2").divergent_branches), branches,
                  rounds_of_partial_warps(e, "A4")));
}

Settled strided_conflicts(const ClaimData& e) {
  const Counters& c = e.of("A4");
  const std::uint64_t passes = c.shared.loads.passes + c.shared.stores.passes;
  return confirmed_if(conflicts(c) > 0, "there are none",
                      fmt::format("{} of {} bank passes per block are due to conflicts; A2 has {}",
                                  e.per_block("A4", conflicts(c)), e.per_block("A4", passes),
                                  e.per_block("A2", conflicts(e.of("A2")))));
}

Settled fewer_conflicts(const ClaimData& e) {
  const double before = e.per_block("A4", conflicts(e.of("A4"))),
               now = e.per_block("A5", conflicts(e.of("A5")));
  return confirmed_if(fewer(now, before) >= 0.99, percent(0.99 - fewer(now, before)),
                      fmt::format("{} conflicts per block compared with {}: {} fewer", now, before,
                                  percent(fewer(now, before))));
}

Settled last_warp_diverges(const ClaimData& e) {
  const double branches = e.per_block("A5", e.of("A5").divergent_branches);
  const auto partial = static_cast<double>(rounds_of_partial_warps(e, "A5"));
  return confirmed_if(branches == partial + 1,
                      fmt::format("{} divergent branches are elsewhere", branches - partial - 1),
                      fmt::format("{} divergent branches per block: {} in rounds with work for less than a "
                                  "warp, and one that lets thread 0 write the result",
                                  branches, partial));
}

Settled utilisation(const ClaimData& e) {
  const auto off = [&](const char* id, double claimed) {
    return fmt::format("{} {:+.1f}", id, 100 * (e.of(id).warp_efficiency() - claimed));
  };
  const auto is = [&](const char* id) {
    return fmt::format("{} {}", id, percent(e.of(id).warp_efficiency()));
  };
  const auto near = [&](const char* id, double claimed) {
    return std::abs(e.of(id).warp_efficiency() - claimed) < 0.005;
  };
  return confirmed_if(
      near("A2", 0.5) && near("A5", 0.85) && near("B7", 1),
      fmt::format("{}, {}, {} percentage points", off("A2", 0.5), off("A5", 0.85), off("B7", 1)),
      fmt::format("active share of live lanes over all PTX instructions of the kernel: {}, {}, {}", is("A2"),
                  is("A5"), is("B7")));
}

// --- accesses and barriers

std::string costs(const ClaimData& e, const char* id) {
  return fmt::format("{}: {} and {}", id, e.of(id).shared_requests_of_busiest_warp,
                     e.per_block(id, e.of(id).block_barriers));
}

bool costs_are(const ClaimData& e, const char* id, std::uint64_t accesses, double barriers) {
  return e.of(id).shared_requests_of_busiest_warp == accesses &&
         e.per_block(id, e.of(id).block_barriers) == barriers;
}

Settled tree_costs(const ClaimData& e) {
  return confirmed_if(costs_are(e, "A3", 16, 8),
                      fmt::format("{:+} accesses and {:+} barriers for A3, the closest kernel",
                                  static_cast<int>(e.of("A3").shared_requests_of_busiest_warp) - 16,
                                  e.per_block("A3", e.of("A3").block_barriers) - 8),
                      fmt::format("shared accesses of thread 0 and barriers: {}; {}; {}. The claim omits the "
                                  "first store and the barrier after it",
                                  costs(e, "A2"), costs(e, "A3"), costs(e, "A5")));
}

Settled shuffle_costs(const ClaimData& e) {
  return confirmed_if(costs_are(e, "B7", 2, 1),
                      fmt::format("{:+} barriers", e.per_block("B7", e.of("B7").block_barriers) - 1),
                      fmt::format("shared accesses of thread 0 and barriers: {}. The second barrier lets the "
                                  "block reduce again at once",
                                  costs(e, "B7")));
}

Settled no_shared_memory(const ClaimData& e) {
  const Counters &b1 = e.of("B1"), &b7 = e.of("B7");
  const std::uint64_t of_block = b7.shared.loads.requests + b7.shared.stores.requests;
  return confirmed_if(of_block == 0, "true of one warp, not of a block",
                      fmt::format("requests to shared memory per block: B1 {}, B7 {}",
                                  e.per_block("B1", b1.shared.loads.requests + b1.shared.stores.requests),
                                  e.per_block("B7", of_block)));
}

// --- devices and compilers

Settled shuffle_past_the_end(const ClaimData&) {
  const auto [lane, value] = shuffled_past_the_end();
  return confirmed_if(value != lane, "the lane gets its own value, which a sum then counts twice",
                      fmt::format("shfl.down by 16: lane {} gets the value of lane {}", lane, value));
}

Settled too_many_bins(const ClaimData&) {
  const std::string refused = refusal_of_shared_words(4096);
  return confirmed_if(
      !refused.empty(), "they fit",
      refused.empty() ? "a kernel with 4096 words of static shared memory, 16 KiB, runs" : refused);
}

Settled warps_in_a_block(const ClaimData&) {
  const std::string half = refusal_of_threads(1024), whole = refusal_of_threads(2048);
  return confirmed_if(whole.empty(), "32 fewer: a block has at most 32 warps",
                      fmt::format("1024 threads: {}; 2048: {}", half.empty() ? "they run" : half,
                                  whole.empty() ? "they run" : whole));
}

Settled cooperative_groups(const ClaimData&) {
  const bool tile = reduce_of_group_compiles("cg::tiled_partition<32>(cg::this_thread_block())");
  const bool block = reduce_of_group_compiles("cg::this_thread_block()");
  return confirmed_if(tile && !block, "nvcc compiles it",
                      fmt::format("nvcc {} it for a tile of 32 lanes and {} it for the block",
                                  tile ? "compiles" : "refuses", block ? "compiles" : "refuses"));
}

// --- what needs time on a GPU

constexpr std::uint64_t few = std::uint64_t{1} << 20, many = std::uint64_t{1} << 28;

/// The sums that the claims below need.
constexpr std::pair<const char*, std::uint64_t> needed[] = {
    {"A1", few}, {"A10", few}, {"B9", few}, {"A12", many}, {"A13", many}};

Settled needs_gpu(const std::string& measured = "nothing yet") {
  return {How::open, "times need a GPU: `foldproof-lab bench kernels`", measured};
}

Settled slow_atomics(const ClaimData& e) {
  const std::string counted =
      fmt::format("for 65536 elements, A1 has {} atomics at one address, A10 {}",
                  e.of("A1").atomics_at_busiest_address, e.of("A10").atomics_at_busiest_address);
  if (!e.measured()) return needs_gpu(counted);
  const auto seconds = [&](const char* id) { return e.measured()->of(id, few).seconds; };
  const double times = seconds("A1") / seconds("A10");
  return confirmed_if(
      times > 50 && times < 200, fmt::format("{:.0f} times", times),
      fmt::format("of 2^20 elements A1 takes {:.0f} µs, {:.0f} times as long as A10 and {:.0f} times "
                  "as long as B9; {}",
                  1e6 * seconds("A1"), times, seconds("A1") / seconds("B9"), counted));
}

Settled bandwidth_of_coarsening(const ClaimData& e) {
  const auto each = [&](const char* id) {
    const GlobalTraffic& t = e.of(id).global.loads;
    return fmt::format("{} {}", id, ratio(t.sectors * 32, t.requests));
  };
  const std::string counted =
      fmt::format("bytes in the sectors of one load: {}, {}", each("A12"), each("A13"));
  if (!e.measured()) return needs_gpu(counted);
  const auto share = [&](const char* id) { return e.measured()->of(id, many).of_read; };
  const double difference = 100 * share("A12") - 94.23;
  return confirmed_if(
      std::fabs(difference) < 2, fmt::format("{:+.1f} percentage points", difference),
      fmt::format("of the bandwidth at which 2^28 elements are read, A12 reaches {}, A13 {}; {}",
                  percent(share("A12")), percent(share("A13")), counted));
}

Settled rooflines(const ClaimData& e) {
  if (!e.measured()) return needs_gpu();
  std::string shares;
  for (const Bandwidths::Sum& sum : e.measured()->sums)
    if (sum.count == many && sum.id != "read")
      shares += fmt::format("{}{} {}", shares.empty() ? "" : ", ", sum.id, percent(sum.of_read));
  return {How::measured, "",
          fmt::format("of the bandwidth at which 2^28 elements are read on {}: {}", e.measured()->device,
                      shares)};
}

constexpr const char* kernels[] = {"A1", "A2",  "A3",  "A4",  "A5",  "A6", "A7", "A8",
                                   "A9", "A10", "A11", "A12", "A13", "B1", "B7"};

#define HARRIS "[Harris 2007](https://developer.download.nvidia.com/assets/cuda/files/reduction.pdf)"
#define LUITJENS "[Luitjens 2014](https://developer.nvidia.com/blog/faster-parallel-reductions-kepler/)"
#define CUDA_GUIDE "[CUDA C++ Programming Guide](https://docs.nvidia.com/cuda/cuda-c-programming-guide/)"

constexpr const char* unknown = nullptr;  // the source

constexpr Claim claims[] = {
    {"A2: half the lanes are idle in the first round, then only a quarter works, and so on.",
     HARRIS ", \"Idle Threads\" (about A5)", idle_lanes},
    {"A3: over 40 % fewer shared loads than A2.", unknown, fewer_loads},
    {"A4: no divergence, unless the block size is not a multiple of 32.",
     HARRIS ", reduction 2 (\"non-divergent branch\"); origin of the condition unknown", no_divergence},
    {"A4: bank conflicts.", HARRIS ", reduction 2", strided_conflicts},
    {"A5: 99 % fewer bank conflicts than A4.",
     HARRIS ", reduction 3 (\"conflict free\"); origin of the number unknown", fewer_conflicts},
    {"A5: divergence only inside the last warp.",
     "Hwu, Kirk, El Hajj, *Programming Massively Parallel Processors*, 4th edition, section 10.4",
     last_warp_diverges},
    {"Warp utilization: A2 50 %, A5 85 %, B7 100 %.", unknown, utilisation},
    {"A tree of 256 threads takes 16 shared accesses and 8 barriers.", unknown, tree_costs},
    {"B7 takes 2 shared accesses and 1 barrier.", unknown, shuffle_costs},
    {"The shuffle version needs no shared memory.", LUITJENS, no_shared_memory},
    {"A shuffle past lane 31 is ignored.", unknown, shuffle_past_the_end,
     CUDA_GUIDE ", Warp Shuffle Functions"},
    {"4096 bins do not fit into shared memory.", unknown, too_many_bins,
     CUDA_GUIDE ", Technical Specifications per Compute Capability"},
    {"A block has 64 warps.", unknown, warps_in_a_block,
     CUDA_GUIDE ", Technical Specifications per Compute Capability"},
    {"`cg::reduce` of a whole thread block does not compile.",
     CUDA_GUIDE ", Cooperative Groups, `reduce`: tiles and coalesced groups", cooperative_groups},
    {"Atomics alone are about 100 times slower than a block reduction at 10^6 elements.", unknown,
     slow_atomics},
    {"A12: 94.23 % of the peak memory bandwidth.", unknown, bandwidth_of_coarsening},
    {"Each variant's share of the roofline.", "our own question", rooflines},
};

}  // namespace

const Bandwidths::Sum& Bandwidths::of(const std::string& id, std::uint64_t count) const {
  const auto found =
      std::ranges::find_if(sums, [&](const Sum& sum) { return sum.id == id && sum.count == count; });
  if (found == sums.end())
    throw InputError(fmt::format(
        "the measurement of {} on {} elements is missing; repeat `foldproof-lab bench kernels`", id, count));
  return *found;
}

Bandwidths Bandwidths::load(const std::filesystem::path& file) try {
  const nlohmann::json json = nlohmann::json::parse(read_text_file(file, std::size_t{1} << 24));
  Bandwidths all;
  all.device = json.at("device").get<std::string>();
  for (const auto& sum : json.at("sums"))
    all.sums.push_back({sum.at("name").get<std::string>(), sum.at("count").get<std::uint64_t>(),
                        sum.at("seconds").get<double>(), sum.at("of_read_bandwidth").get<double>()});
  for (const auto& [id, count] : needed) all.of(id, count);
  return all;
} catch (const nlohmann::json::exception& error) {
  throw InputError(
      fmt::format("not the output of `foldproof-lab bench kernels --format json`: {}", error.what()),
      {file.string()});
}

const Counters& ClaimData::of(const std::string& id) const {
  const auto found = counters_.find(id);
  if (found == counters_.end())
    throw InputError(fmt::format("the kernel {} is missing, and a claim refers to it", id));
  return found->second;
}

std::span<const char* const> tabulated_kernels() { return kernels; }

std::span<const Claim> published_claims() { return claims; }

}  // namespace foldproof
