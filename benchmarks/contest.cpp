#include "benchmarks/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "benchmarks/bench.h"

namespace foldproof {
namespace {

constexpr double seconds_of_a_sample = 400e-6;
constexpr unsigned max_sums_of_a_sample = 100;
constexpr std::uint64_t times_the_cache = 8;

/// Seconds per sum, for this many successive sums.
double timed(cuda::Stopwatch& watch, const Contender& contender, RotatedInputs& inputs, unsigned times) {
  watch.start();
  for (unsigned k = 0; k < times; ++k) contender.sum(inputs.next());
  return watch.stop() / times;
}

/// The median, and the limits of the range from a tenth to nine tenths.
struct Ratio {
  double low = 0, middle = 0, high = 0;
};
/// The ratios of one contender's times to another's, sample by sample.
Ratio ratio_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t k = 0; k < a.size(); ++k) ratios.push_back(a[k] / b[k]);
  std::ranges::sort(ratios);
  const std::size_t tenth = ratios.size() / 10;
  return {ratios[tenth], ratios[ratios.size() / 2], ratios[ratios.size() - 1 - tenth]};
}

}  // namespace

RotatedInputs::RotatedInputs(cuda::Context& context, std::uint64_t bytes,
                             const std::function<void(Address)>& make)
    : bytes_(bytes),
      copies_(std::max<std::uint64_t>(1, times_the_cache * context.properties().l2_bytes / bytes)),
      memory_(bytes * copies_) {
  for (std::uint64_t copy = 0; copy < copies_; ++copy) make(memory_.address() + bytes * copy);
  context.wait();
}

void take_turns(cuda::Context& context, std::vector<Contender>& contenders, RotatedInputs& inputs,
                unsigned runs) {
  cuda::Stopwatch watch(context);
  std::vector<unsigned> times;
  for (const Contender& contender : contenders) {
    timed(watch, contender, inputs, 2);
    const double one = timed(watch, contender, inputs, 4);
    times.push_back(std::clamp(static_cast<unsigned>(seconds_of_a_sample / one), 1U, max_sums_of_a_sample));
  }
  std::mt19937 random(1);
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (unsigned run = 0; run < runs; ++run) {
    std::ranges::shuffle(order, random);
    for (const std::size_t k : order)
      contenders[k].seconds.push_back(timed(watch, contenders[k], inputs, times[k]));
  }
}

Json measured(const Contender& one, const Contender& cub, std::uint64_t bytes) {
  const double seconds = median(one.seconds);
  const Ratio speed = ratio_of(cub.seconds, one.seconds);
  return {{"launch", one.launch},
          {"seconds", seconds},
          {"bytes_per_second", static_cast<double>(bytes) / seconds},
          {"speed_against_cub", {speed.low, speed.middle, speed.high}}};
}

std::string speed_text(const Json& measured) {
  const Json& speed = measured.at("speed_against_cub");
  return fmt::format("{:.3f} ({:.3f} .. {:.3f})", speed[1].get<double>(), speed[0].get<double>(),
                     speed[2].get<double>());
}

std::string launch_text(const LaunchShape& shape) {
  return fmt::format("{} x {}", shape.grid.volume(), shape.block.volume());
}

}  // namespace foldproof
