// foldproof-lab bench races: how the time of the checks grows with the number of events, for synchronization
// patterns that are fed to them without a kernel.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "benchmarks/bench.h"
#include "benchmarks/synchronization_patterns.h"
#include "sanitizer/work.h"

namespace foldproof {
namespace {

constexpr std::uint64_t fewest = 15'625, most = 1'000'000;
constexpr double longest = 4;  ///< seconds; a pattern that took longer is not measured with more events

struct Point {
  std::uint64_t events = 0;
  double seconds = 0;       ///< median
  std::uint64_t steps = 0;  ///< comparisons and visited nodes
};

Point measured(const SynchronizationPattern& pattern, std::uint64_t events, unsigned runs) {
  Point point;
  std::vector<double> seconds;
  for (unsigned run = 0; run < runs; ++run) {
    const double begin = thread_seconds();
    const std::uint64_t steps = steps_of_checks;
    point.events = run_pattern(pattern, events);
    seconds.push_back(thread_seconds() - begin);
    point.steps = steps_of_checks - steps;
    if (seconds.back() > longest) break;
  }
  point.seconds = median(std::move(seconds));
  return point;
}

/// The power of the number of events with which the time grows between two measurements.
double exponent(const Point& a, const Point& b) {
  return std::log(b.seconds / a.seconds) /
         std::log(static_cast<double>(b.events) / static_cast<double>(a.events));
}

Json row(const SynchronizationPattern& pattern, unsigned runs) {
  std::vector<Point> points;
  for (std::uint64_t events = fewest; events <= most; events *= 2) {
    points.push_back(measured(pattern, events, runs));
    if (points.back().seconds > longest) break;
  }
  Json sizes = Json::array();
  for (const Point& point : points)
    sizes.push_back({{"events", point.events}, {"seconds", point.seconds}, {"steps", point.steps}});
  const bool several = points.size() > 1;
  const Point& last = points.back();
  return {{"name", pattern.name},
          {"sizes", sizes},
          {"events", last.events},
          {"seconds", last.seconds},
          {"steps", last.steps},
          {"nanoseconds_per_event", 1e9 * last.seconds / static_cast<double>(last.events)},
          {"exponent", several ? Json(exponent(points.front(), last)) : Json()},
          {"last_exponent", several ? Json(exponent(points[points.size() - 2], last)) : Json()}};
}

std::string text_of(const Json& rows, unsigned runs) {
  std::string text = fmt::format(
      "checks fed with events, processor time of one core, median of {} runs\n"
      "exponent: time grows with events to this power, from {} events and over the last doubling\n\n"
      "{:<28}{:>9}  {:>9}  {:>9}  {:>8}  {:>8}\n",
      runs, fewest, "pattern", "events", "seconds", "ns/event", "exponent", "last");
  const auto number = [](const Json& j) {
    return j.is_null() ? "-" : fmt::format("{:.2f}", j.get<double>());
  };
  for (const Json& one : rows)
    text += fmt::format("{:<28}{:>9}  {:9.3f}  {:9.0f}  {:>8}  {:>8}\n", one["name"].get<std::string>(),
                        one["events"].get<std::uint64_t>(), one["seconds"].get<double>(),
                        one["nanoseconds_per_event"].get<double>(), number(one["exponent"]),
                        number(one["last_exponent"]));
  return text;
}

}  // namespace

int bench_races(unsigned runs, const Console& console) {
  ProgressLine line;
  Json rows = Json::array();
  for (const SynchronizationPattern& pattern : synchronization_patterns()) {
    line.show(fmt::format("measuring {}", pattern.name));
    rows.push_back(row(pattern, runs));
  }
  line.clear();
  console.print_as_asked(
      [&] {
        return Json{{"runs", runs}, {"patterns", rows}};
      },
      [&] { return text_of(rows, runs); });
  return exit_ok;
}

}  // namespace foldproof
