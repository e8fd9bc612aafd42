// foldproof-lab bench kernels: how close the sums of the catalogue come to the GPU's memory bandwidth.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "base/files.h"
#include "base/printable.h"
#include "benchmarks/bench.h"
#include "benchmarks/contest.h"
#include "benchmarks/gpu_libraries.h"
#include "command/compilation.h"
#include "command/subjects.h"
#include "devices/cuda/context.h"
#include "devices/cuda/module.h"
#include "devices/runner_parts.h"
#include "properties/kernel_on_gpu.h"
#include "properties/large_audit.h"
#include "properties/large_inputs.h"

namespace foldproof {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t element_bytes = 4;
constexpr LargeInput uniform{.name = "uniform"};  ///< in [1, 2)
/// A contender that takes longer at one size is skipped at the next, which is up to 16 times as large.
constexpr double max_seconds = 0.25 / 16;

/// The kernels of benchmarks/read.cu.
std::shared_ptr<const cuda::Module> own_kernels(cuda::Context& context) {
  const auto image = compile_source(shipped_kernels().parent_path() / "benchmarks" / "read.cu", {}, {});
  return std::make_shared<const cuda::Module>(context, *image);
}

// --- the kernels of the catalogue

/// A kernel of the catalogue that ends with one value: an additional launch folds partial sums and is part of
/// the measured time.
class Sum {
 public:
  Sum(cuda::Context& context, const Subject& subject, const Instance& instance, std::int64_t count,
      std::shared_ptr<const cuda::Module> own)
      : context_(context),
        kernel_(context, instance, subject.image, count),
        leaves_partials_(instance.reduction->result == ResultShape::partials),
        own_(std::move(own)) {}

  std::int64_t count() const { return kernel_.count(); }
  std::string first_launch() const { return launch_text(kernel_.first_shape()); }

  void sum(Address input) {
    kernel_.run(input);
    if (leaves_partials_) fold();
  }

 private:
  void fold() {
    const LaunchShape one_block{{1, 1, 1}, {1024, 1, 1}};
    const std::vector<ArgumentBytes> arguments{argument_of(kernel_.output()), argument_of(total_.address()),
                                               argument_of(kernel_.output_count())};
    context_.launch_early(own_->function("fold_partials", one_block), one_block, arguments);
  }

  cuda::Context& context_;
  KernelOnGpu kernel_;
  bool leaves_partials_;
  std::shared_ptr<const cuda::Module> own_;
  cuda::Memory total_{element_bytes};
};

bool is_sum(const Instance& instance) {
  return is_whole_sum(instance) && instance.reduction->input == Element::f32;
}

/// The f32 sum of each kernel of the catalogue, with 256 threads if the matrix has them.
std::vector<std::pair<const Subject*, const Instance*>> sums(std::span<const Subject> subjects) {
  std::vector<std::pair<const Subject*, const Instance*>> all;
  for (const Subject& subject : subjects) {
    const Instance* chosen = nullptr;
    for (const Instance& instance : subject.contract.instances) {
      if (!is_sum(instance)) continue;
      const std::string* block = value_of(instance.bindings, "B");
      if (!chosen || (block != nullptr && *block == "256")) chosen = &instance;
    }
    if (chosen) all.emplace_back(&subject, chosen);
  }
  return all;
}

Contender reader(cuda::Context& context, const std::shared_ptr<const cuda::Module>& own,
                 std::uint64_t count) {
  const auto never = std::make_shared<cuda::Memory>(element_bytes);
  LaunchShape shape{{1, 1, 1}, {512, 1, 1}};
  CUfunc_st* const function = own->function("read_all", shape);
  shape.grid.x = static_cast<std::uint32_t>(context.resident_blocks(function, shape));
  return {"read", [=, &context](Address input) {
            const std::vector<ArgumentBytes> arguments{argument_of(input), argument_of(never->address()),
                                                       argument_of(count / 4), argument_of(std::uint32_t{1})};
            (void)own;  // keeps the function loaded
            context.launch(function, shape, arguments);
          }};
}

Json row(const Contender& one, const Contender& cub, const Contender& read, std::uint64_t count,
         double peak) {
  Json row = measured(one, cub, count * element_bytes);
  const double bandwidth = row["bytes_per_second"].get<double>();
  const double readable = static_cast<double>(count * element_bytes) / median(read.seconds);
  row.update({{"name", one.name},
              {"count", count},
              {"of_read_bandwidth", bandwidth / readable},
              {"of_peak", bandwidth / peak}});
  return row;
}

std::string text_of(const Json& result) {
  std::string text = fmt::format(
      "{}: {} multiprocessors, {:.0f} GB/s by clock and bus; f32 sums, median of {} runs, each contender's "
      "inputs\n"
      "rotated through eight times the L2 cache, partial sums folded by an additional launch. Speed: "
      "relative to CUB, median and 10th to 90th percentile\n",
      printable(result["device"].get<std::string>()), result["multiprocessors"].get<unsigned>(),
      result["peak_bytes_per_second"].get<double>() / 1e9, result["runs"].get<unsigned>());
  std::uint64_t count = 0;
  for (const Json& one : result["sums"]) {
    if (one["count"] != count) {
      count = one["count"];
      text +=
          fmt::format("\n{:<16} {:>14} {:>12} {:>9} {:>9} {:>7}  speed\n", fmt::format("{} elements", count),
                      "launch", "time us", "GB/s", "of read", "of bus");
    }
    text += fmt::format(
        "{:<16} {:>14} {:12.2f} {:9.1f} {:7.1f} % {:5.1f} %  {}\n", printable(one["name"].get<std::string>()),
        printable(one["launch"].get<std::string>()), 1e6 * one["seconds"].get<double>(),
        one["bytes_per_second"].get<double>() / 1e9, 100 * one["of_read_bandwidth"].get<double>(),
        100 * one["of_peak"].get<double>(), speed_text(one));
  }
  return text;
}

int show_measured(const std::string& file, const Console& console) {
  constexpr std::size_t largest = 1 << 26;
  try {
    console.print(text_of(Json::parse(read_text_file(file, largest))));
  } catch (const Json::exception& error) {
    throw InputError(
        fmt::format("not the output of foldproof-lab bench kernels --format json: {}", error.what()), {file});
  }
  return exit_ok;
}

}  // namespace

int bench_kernels(unsigned runs, const std::string& measured, const Console& console) {
  if (!measured.empty()) return show_measured(measured, console);
  cuda::Context context;
  const GpuLibraries libraries;
  const auto own = own_kernels(context);
  LargeInputMaker maker(context, *compile_source(shipped_kernels() / "large_inputs.cu", {}, {}));
  ProgressLine line;
  std::vector<Subject> subjects = load_right_subjects({}, {}, console);
  std::erase_if(subjects, [](const Subject& subject) { return sums({&subject, 1}).empty(); });
  compile_subjects(subjects, {}, default_jobs(), console, line);
  const cuda::Properties& gpu = context.properties();
  Json result{{"device", gpu.name},
              {"multiprocessors", gpu.multiprocessors},
              {"peak_bytes_per_second", gpu.bytes_per_second},
              {"runs", runs},
              {"sums", Json::array()}};
  std::vector<std::string> too_slow;
  for (const unsigned power : {20U, 24U, 28U, 30U}) {
    const std::uint64_t count = std::uint64_t{1} << power;
    line.show(fmt::format("2^{} elements", power));
    RotatedInputs inputs(context, count * element_bytes,
                         [&](Address to) { maker.make(uniform, false, Element::f32, to, count, 1); });
    std::vector<Contender> contenders{reader(context, own, count),
                                      libraries.cub(context, Element::f32, count),
                                      libraries.thrust(context, count)};
    for (const auto& [subject, instance] : sums(subjects)) {
      if (std::ranges::count(too_slow, subject->contract.id) != 0) continue;
      const auto kernel =
          std::make_shared<Sum>(context, *subject, *instance, static_cast<std::int64_t>(count), own);
      if (kernel->count() != static_cast<std::int64_t>(count)) continue;
      contenders.push_back(
          {subject->contract.id, [kernel](Address input) { kernel->sum(input); }, kernel->first_launch()});
    }
    take_turns(context, contenders, inputs, runs);
    for (const Contender& one : contenders) {
      result["sums"].push_back(row(one, contenders[1], contenders[0], count, gpu.bytes_per_second));
      if (median(one.seconds) > max_seconds) too_slow.push_back(one.name);
    }
  }
  line.clear();
  console.print_as_asked([&] { return result; }, [&] { return text_of(result); });
  return exit_ok;
}

}  // namespace foldproof
