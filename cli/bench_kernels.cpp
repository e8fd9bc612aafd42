// foldproof bench kernels: how near the sums of the catalogue come to what the GPU's memory can give.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <span>

#include "cli/bench.h"
#include "cli/subjects.h"
#include "contracts/files.h"
#include "devices/cuda/context.h"
#include "devices/cuda/module.h"
#include "properties/large/kernel_on_gpu.h"
#include "properties/large/large_audit.h"

namespace foldproof {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t element_bytes = 4;
/// A sample takes about so long: shorter ones tell more about events than about kernels.
constexpr double seconds_of_a_sample = 400e-6;
/// Who takes longer at one size is not asked at the next, which is up to 16 times as large.
constexpr double most_seconds = 0.25 / 16;

/// Somebody who sums n floats from an address on, on the context's stream.
struct Contender {
  std::string name;
  std::function<void(Address input)> sum;
  std::string launch = {};           ///< of its first kernel, where that is known: "1056 x 256"
  std::vector<double> seconds = {};  ///< a sum, sample by sample; all contenders' samples lie side by side
};

template <typename T>
ArgumentBytes bytes_of(T value) {
  ArgumentBytes all(sizeof value);
  std::memcpy(all.data(), &value, sizeof value);
  return all;
}

/// The kernels of benchmarks/read.cu.
std::shared_ptr<const cuda::Module> own_kernels(cuda::Context& context) {
  const Compiled compiled =
      compile_source(shipped_kernels().parent_path() / "benchmarks" / "read.cu", {}, {}, {});
  return std::make_shared<const cuda::Module>(context, *compiled.image);
}

// --- the kernels of the catalogue

/// A kernel of the catalogue that ends with one value: partial sums are folded by a launch more, which
/// belongs to its time.
class Sum {
 public:
  Sum(cuda::Context& context, const Subject& subject, const Instance& instance, std::int64_t count,
      std::shared_ptr<const cuda::Module> own)
      : context_(context),
        kernel_(context, instance, subject.image, count),
        leaves_partials_(instance.reduction->result == ResultShape::partials),
        own_(std::move(own)) {}

  std::int64_t count() const { return kernel_.count(); }
  std::string first_launch() const {
    const LaunchShape& shape = kernel_.first_shape();
    return fmt::format("{} x {}", shape.grid.volume(), shape.block.volume());
  }

  void sum(Address input) {
    kernel_.run(input);
    if (leaves_partials_) fold();
  }

 private:
  void fold() {
    const LaunchShape one_block{{1, 1, 1}, {1024, 1, 1}};
    const std::vector<ArgumentBytes> arguments{bytes_of(kernel_.output()), bytes_of(total_.address()),
                                               bytes_of(kernel_.output_count())};
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

/// The f32 sum of each kernel of the catalogue, with 256 threads where they are part of the matrix.
std::vector<std::pair<const Subject*, const Instance*>> sums(std::span<const Subject> subjects) {
  std::vector<std::pair<const Subject*, const Instance*>> all;
  for (const Subject& subject : subjects) {
    if (subject.contract.is_host() || !subject.contract.expected.empty()) continue;
    const Instance* chosen = nullptr;
    for (const Instance& instance : subject.contract.instances) {
      if (!is_sum(instance)) continue;
      const auto block = instance.bindings.find("B");
      if (!chosen || (block != instance.bindings.end() && block->second == "256")) chosen = &instance;
    }
    if (chosen) all.emplace_back(&subject, chosen);
  }
  return all;
}

// --- CUB and Thrust

/// The library that benchmarks/libraries.cu is compiled to, beside the program.
class Libraries {
 public:
  Libraries() {
    std::error_code error;
    const fs::path file =
        fs::read_symlink("/proc/self/exe", error).parent_path() / "libfoldproof_libraries.so";
    library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr)
      throw InputError(
          fmt::format("CUB's and Thrust's sums are missing ({}); build the target foldproof_libraries, "
                      "which makes {}",
                      dlerror(), file.string()));
    cub_ = reinterpret_cast<Cub*>(dlsym(library_, "foldproof_cub_sum"));
    thrust_ = reinterpret_cast<Thrust*>(dlsym(library_, "foldproof_thrust_sum"));
  }

  Contender cub(const cuda::Context& context, std::uint64_t count) const {
    std::size_t bytes = 0;
    check(cub_(0, 0, count, 0, &bytes, context.stream()));
    const auto scratch = std::make_shared<cuda::Memory>(std::max<std::size_t>(bytes, 1));
    const auto output = std::make_shared<cuda::Memory>(element_bytes);
    return {"CUB", [=, this, stream = context.stream()](Address input) {
              std::size_t size = bytes;
              check(cub_(input, output->address(), count, scratch->address(), &size, stream));
            }};
  }

  Contender thrust(const cuda::Context& context, std::uint64_t count) const {
    return {"Thrust", [=, this, stream = context.stream()](Address input) {
              float sum = 0;
              check(thrust_(input, &sum, count, stream));
            }};
  }

 private:
  using Cub = int(Address, Address, std::size_t, Address, std::size_t*, CUstream_st*);
  using Thrust = int(Address, float*, std::size_t, CUstream_st*);

  static void check(int error) {
    if (error != 0) throw std::runtime_error(fmt::format("a library's sum returns CUDA error {}", error));
  }

  void* library_ = nullptr;
  Cub* cub_ = nullptr;
  Thrust* thrust_ = nullptr;
};

// --- the input, more often than the caches hold it

class Inputs {
 public:
  Inputs(cuda::Context& context, std::uint64_t count)
      : bytes_(count * element_bytes),
        copies_(std::max<std::uint64_t>(1, 8 * context.properties().l2_bytes / bytes_)),
        memory_(bytes_ * copies_) {
    std::vector<float> some(std::size_t{1} << 20);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(1.0f, 2.0f);
    for (float& x : some) x = uniform(random);
    const auto content = std::as_bytes(std::span(some));
    for (std::uint64_t at = 0; at < memory_.bytes(); at += content.size())
      context.write(memory_.address() + at, content.first(std::min(content.size(), memory_.bytes() - at)));
    context.wait();
  }

  Address next() { return memory_.address() + bytes_ * (turn_++ % copies_); }

 private:
  std::uint64_t bytes_, copies_, turn_ = 0;
  cuda::Memory memory_;
};

Contender reader(cuda::Context& context, const std::shared_ptr<const cuda::Module>& own,
                 std::uint64_t count) {
  const auto never = std::make_shared<cuda::Memory>(element_bytes);
  LaunchShape shape{{1, 1, 1}, {512, 1, 1}};
  CUfunc_st* const function = own->function("read_all", shape);
  shape.grid.x = static_cast<std::uint32_t>(context.resident_blocks(function, shape));
  return {"read", [=, &context](Address input) {
            const std::vector<ArgumentBytes> arguments{bytes_of(input), bytes_of(never->address()),
                                                       bytes_of(count / 4), bytes_of(std::uint32_t{1})};
            (void)own;  // which holds the function
            context.launch(function, shape, arguments);
          }};
}

// --- measuring

/// Seconds a sum, of so many one behind the other.
double timed(cuda::Stopwatch& watch, const Contender& contender, Inputs& inputs, unsigned times) {
  watch.start();
  for (unsigned k = 0; k < times; ++k) contender.sum(inputs.next());
  return watch.stop() / times;
}

/// Everybody in turn, in another order each round: what the machine does meanwhile meets all of them.
void measure(cuda::Context& context, std::vector<Contender>& contenders, Inputs& inputs, unsigned runs) {
  cuda::Stopwatch watch(context);
  std::vector<unsigned> times;
  for (const Contender& contender : contenders) {
    timed(watch, contender, inputs, 2);
    const double one = timed(watch, contender, inputs, 4);
    times.push_back(std::clamp(static_cast<unsigned>(seconds_of_a_sample / one), 1U, 100U));
  }
  std::mt19937 random(1);
  std::vector<std::size_t> order(contenders.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  for (unsigned run = 0; run < runs; ++run) {
    std::ranges::shuffle(order, random);
    for (const std::size_t k : order)
      contenders[k].seconds.push_back(timed(watch, contenders[k], inputs, times[k]));
  }
}

/// The median, and what lies between a tenth and nine tenths, of one contender's times over another's.
struct Ratio {
  double low = 0, middle = 0, high = 0;
};
Ratio ratio_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t k = 0; k < a.size(); ++k) ratios.push_back(a[k] / b[k]);
  std::ranges::sort(ratios);
  const std::size_t tenth = ratios.size() / 10;
  return {ratios[tenth], ratios[ratios.size() / 2], ratios[ratios.size() - 1 - tenth]};
}

Json row(const Contender& one, const Contender& cub, const Contender& read, std::uint64_t count,
         double peak) {
  const double seconds = median(one.seconds),
               bandwidth = static_cast<double>(count * element_bytes) / seconds;
  const double readable = static_cast<double>(count * element_bytes) / median(read.seconds);
  const Ratio speed = ratio_of(cub.seconds, one.seconds);
  return {{"name", one.name},
          {"count", count},
          {"launch", one.launch},
          {"seconds", seconds},
          {"bytes_per_second", bandwidth},
          {"of_read_bandwidth", bandwidth / readable},
          {"of_peak", bandwidth / peak},
          {"speed_against_cub", {speed.low, speed.middle, speed.high}}};
}

std::string text_of(const Json& result) {
  std::string text = fmt::format(
      "{}: {} multiprocessors, {:.0f} GB/s by clock and bus; f32 sums, median of {} runs, each contender's "
      "inputs\n"
      "rotated through eight times the L2 cache, partial sums folded by a launch more. Speed: against CUB, "
      "the median and from a tenth to nine "
      "tenths\n",
      result["device"].get<std::string>(), result["multiprocessors"].get<unsigned>(),
      result["peak_bytes_per_second"].get<double>() / 1e9, result["runs"].get<unsigned>());
  std::uint64_t count = 0;
  for (const Json& one : result["sums"]) {
    if (one["count"] != count) {
      count = one["count"];
      text +=
          fmt::format("\n{:<16} {:>14} {:>12} {:>9} {:>9} {:>7}  speed\n", fmt::format("{} elements", count),
                      "launch", "time us", "GB/s", "of read", "of bus");
    }
    const auto& speed = one["speed_against_cub"];
    text += fmt::format("{:<16} {:>14} {:12.2f} {:9.1f} {:7.1f} % {:5.1f} %  {:.3f} ({:.3f} .. {:.3f})\n",
                        one["name"].get<std::string>(), one["launch"].get<std::string>(),
                        1e6 * one["seconds"].get<double>(), one["bytes_per_second"].get<double>() / 1e9,
                        100 * one["of_read_bandwidth"].get<double>(), 100 * one["of_peak"].get<double>(),
                        speed[1].get<double>(), speed[0].get<double>(), speed[2].get<double>());
  }
  return text;
}

int show_measured(const std::string& file, const Console& console) {
  constexpr std::size_t largest = 1 << 26;
  try {
    console.print(text_of(Json::parse(read_text_file(file, largest))));
  } catch (const Json::exception& error) {
    throw InputError(
        fmt::format("this is nothing that foldproof bench kernels --format json printed: {}", error.what()),
        {file});
  }
  return exit_ok;
}

}  // namespace

int bench_kernels(unsigned runs, const std::string& measured, const Console& console) {
  if (!measured.empty()) return show_measured(measured, console);
  cuda::Context context;
  const Libraries libraries;
  const auto own = own_kernels(context);
  ProgressLine line;
  std::vector<Subject> subjects = load_subjects({}, {}, console);
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
    Inputs inputs(context, count);
    std::vector<Contender> contenders{reader(context, own, count), libraries.cub(context, count),
                                      libraries.thrust(context, count)};
    for (const auto& [subject, instance] : sums(subjects)) {
      if (std::ranges::count(too_slow, subject->contract.id) != 0) continue;
      const auto kernel =
          std::make_shared<Sum>(context, *subject, *instance, static_cast<std::int64_t>(count), own);
      if (kernel->count() != static_cast<std::int64_t>(count)) continue;
      contenders.push_back(
          {subject->contract.id, [kernel](Address input) { kernel->sum(input); }, kernel->first_launch()});
    }
    measure(context, contenders, inputs, runs);
    for (const Contender& one : contenders) {
      result["sums"].push_back(row(one, contenders[1], contenders[0], count, gpu.bytes_per_second));
      if (median(one.seconds) > most_seconds) too_slow.push_back(one.name);
    }
  }
  line.clear();
  if (console.json())
    console.print(result);
  else
    console.print(text_of(result));
  return exit_ok;
}

}  // namespace foldproof
