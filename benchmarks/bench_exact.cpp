// foldproof-lab bench exact: the exact sum of the catalogue (E5) compared with CUB's, on data whose cost
// would vary for a sum with a data-dependent exact path.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "benchmarks/bench.h"
#include "benchmarks/contest.h"
#include "benchmarks/gpu_libraries.h"
#include "command/large_tools.h"
#include "devices/cuda/context.h"
#include "properties/exact_on_gpu.h"
#include "properties/kernel_on_gpu.h"
#include "properties/large_inputs.h"

namespace foldproof {

namespace {

constexpr std::array data{
    LargeInput{.name = "in [1, 2)"},
    LargeInput{.name = "of both signs and most exponents",
               .signs = Signs::random,
               .below = all_exponents,
               .above = all_exponents},
    LargeInput{.name = "of both signs and all exponents",
               .signs = Signs::random,
               .below = all_exponents,
               .above = all_exponents,
               .overflows = true},
    LargeInput{.name = "x and -x in turn, 80 exponents", .signs = Signs::in_pairs, .below = 40, .above = 40},
};

struct Size {
  Element element;
  unsigned power;                    ///< 2^power elements
  std::vector<std::int64_t> blocks;  ///< threads per block
};

std::vector<Size> sizes() {
  return {{Element::f32, 20, {256, 512}}, {Element::f32, 24, {256, 512}}, {Element::f32, 28, {256, 512}},
          {Element::f32, 30, {256, 512}}, {Element::f64, 24, {352}},      {Element::f64, 27, {352}},
          {Element::f64, 29, {352}}};
}

Contender exact_sum(cuda::Context& context, const LargeAuditTools& tools, const Size& size,
                    std::int64_t threads) {
  const auto kernel =
      std::make_shared<KernelOnGpu>(context, instance_of_input(*tools.exact, size.element), tools.exact_image,
                                    std::int64_t{1} << size.power, LaunchWish{threads, {}});
  return {"E5", [kernel](Address input) { kernel->run(input); }, launch_text(kernel->first_shape())};
}

Json row(const Size& size, const LargeInput& how, const Contender& one, const Contender& cub) {
  const std::uint64_t count = std::uint64_t{1} << size.power;
  Json row = measured(one, cub, count * size_of(size.element));
  row.update({{"type", name(size.element)}, {"count", count}, {"data", how.name}});
  return row;
}

std::string text_of(const Json& result) {
  std::string text = fmt::format(
      "{}: speed of the exact sum (E5) relative to CUB's sum of the same type and data; median of {} runs, "
      "and 10th to 90th percentile,\n"
      "each contender's inputs rotated through eight times the L2 cache\n\n"
      "{:<5}{:>12}  {:>11}  {:<34}{:>10}  {:>8}  speed\n",
      result["device"].get<std::string>(), result["runs"].get<unsigned>(), "type", "elements", "launch",
      "data", "time us", "GB/s");
  for (const Json& one : result["sums"]) {
    text += fmt::format("{:<5}{:>12}  {:>11}  {:<34}{:10.2f}  {:8.1f}  {}\n", one["type"].get<std::string>(),
                        one["count"].get<std::uint64_t>(), one["launch"].get<std::string>(),
                        one["data"].get<std::string>(), 1e6 * one["seconds"].get<double>(),
                        one["bytes_per_second"].get<double>() / 1e9, speed_text(one));
  }
  return text;
}

}  // namespace

int bench_exact(unsigned runs, const Console& console) {
  cuda::Context context;
  const GpuLibraries libraries;
  ProgressLine line;
  const LargeTools large({}, console);
  const LargeAuditTools& tools = large.tools();
  LargeInputMaker maker(context, *tools.input_maker);
  Json result{{"device", context.properties().name}, {"runs", runs}, {"sums", Json::array()}};
  for (const Size& size : sizes()) {
    line.show(fmt::format("2^{} elements of {}", size.power, name(size.element)));
    const std::uint64_t count = std::uint64_t{1} << size.power;
    for (const LargeInput& how : data) {
      RotatedInputs inputs(context, count * size_of(size.element),
                           [&](Address to) { maker.make(how, false, size.element, to, count, 1); });
      std::vector<Contender> contenders{libraries.cub(context, size.element, count)};
      for (const std::int64_t threads : size.blocks)
        contenders.push_back(exact_sum(context, tools, size, threads));
      take_turns(context, contenders, inputs, runs);
      for (std::size_t k = 1; k < contenders.size(); ++k)
        result["sums"].push_back(row(size, how, contenders[k], contenders[0]));
    }
  }
  line.clear();
  console.print_as_asked([&] { return result; }, [&] { return text_of(result); });
  return exit_ok;
}

}  // namespace foldproof
