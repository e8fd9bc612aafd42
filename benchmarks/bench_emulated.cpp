// foldproof-lab bench emulated: the speed of the emulated device, with and without checks.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "benchmarks/bench.h"
#include "command/compilation.h"
#include "command/emulated.h"
#include "command/subjects.h"
#include "oracles/number.h"
#include "properties/instance_job.h"

namespace foldproof {

namespace {

constexpr std::uint64_t elements = 1 << 20;
constexpr std::int64_t threads_per_block = 256;

/// A kernel of the catalogue and the grid that the benchmark launches it with.
struct Benchmark {
  const char* id;
  std::int64_t grid;
};

// One element per thread, with an atomic for each; one element per thread; and sixteen, as intended for a
// coarsened kernel.
constexpr Benchmark benchmarked_kernels[] = {{"A1", elements / threads_per_block},
                                             {"A5", elements / threads_per_block},
                                             {"A12", elements / threads_per_block / 16}};

struct Measurement {
  std::uint64_t warp_instructions = 0;
  double seconds = 0;  ///< median
  unsigned runs = 0;
};

Subject subject_with(const std::string& id, const Console& console, ProgressLine& line) {
  std::vector<Subject> all = load_subjects({}, {}, console);
  std::vector<Subject> one;
  for (Subject& subject : all)
    if (subject.contract.id == id) one.push_back(std::move(subject));
  if (one.size() != 1)
    throw InputError(fmt::format("the kernel {} is not in {}", id, shipped_kernels().string()));
  compile_subjects(one, {}, 1, console, line);
  return std::move(one.front());
}

const Instance& f32_sum(const Contract& contract) {
  for (const Instance& instance : contract.instances)
    if (instance.reduction && instance.reduction->op == Operator::sum &&
        instance.reduction->input == Element::f32)
      return instance;
  throw InputError(fmt::format("{} has no instance that sums f32", contract.id), {contract.file.string()});
}

std::vector<std::byte> small_integers() {
  std::vector<std::byte> input(elements * size_of(Element::f32));
  for (std::uint64_t i = 0; i < elements; ++i)
    store(Element::f32, input, i, encode(Element::f32, number_of(static_cast<double>(i % 7))));
  return input;
}

Job job_for(const Benchmark& benchmark, const Subject& subject, Runner& runner) {
  const Instance& instance = f32_sum(subject.contract);
  return instance_job(instance, subject.image, runner,
                      {{"count", elements}, {"block", threads_per_block}, {"grid", benchmark.grid}},
                      small_integers());
}

/// The same job, with provenance of the output's elements.
Job traced(Job job) {
  const auto is_input = [](const JobBuffer& b) {
    return b.initial.size() == elements * size_of(Element::f32);
  };
  const auto input = std::ranges::find_if(job.buffers, is_input);
  const auto output =
      std::ranges::find_if(job.buffers, [&](const JobBuffer& b) { return b.read_back && !is_input(b); });
  job.trace = TraceRequest{{static_cast<std::uint32_t>(input - job.buffers.begin()), Element::f32, elements},
                           {{static_cast<std::uint32_t>(output - job.buffers.begin()), Element::f32,
                             output->bytes / size_of(Element::f32)}}};
  return job;
}

Measurement measure(const Job& job, Runner& runner, unsigned runs, ProgressLine& line,
                    const std::string& name) {
  runner.run({job});  // Loads the module and touches the memory.
  Measurement measurement{0, 0, runs};
  std::vector<double> seconds;
  for (unsigned run = 0; run < runs; ++run) {
    line.show(fmt::format("measuring {}: run {} of {}", name, run + 1, runs));
    const double begin = thread_seconds();
    const JobResult result = std::move(runner.run({job}).front());
    seconds.push_back(thread_seconds() - begin);
    if (result.unsupported) throw Unsupported(*result.unsupported);
    if (!result.findings.empty()) throw std::runtime_error(name + ": " + result.findings.front().message);
    measurement.warp_instructions = *result.warp_instructions;
  }
  measurement.seconds = median(std::move(seconds));
  return measurement;
}

Json to_json(const std::string& name, const Measurement& m) {
  return {{"name", name},
          {"unit", "warp-instructions/s"},
          {"value", static_cast<double>(m.warp_instructions) / m.seconds},
          {"baseline", nullptr},
          {"ratio", nullptr},
          {"elements_per_second", static_cast<double>(elements) / m.seconds},
          {"elements", elements},
          {"block", threads_per_block},
          {"warp_instructions", m.warp_instructions},
          {"median_seconds", m.seconds},
          {"runs", m.runs},
          {"cores", 1}};
}

}  // namespace

int bench_emulated(unsigned runs, const Console& console) {
  ProgressLine line;
  Json benchmarks = Json::array();
  for (const Benchmark& benchmark : benchmarked_kernels) {
    const Subject subject = subject_with(benchmark.id, console, line);
    const auto add = [&](const char* mode, Runner& runner, const Job& job) {
      const std::string name = fmt::format("{}/{}", benchmark.id, mode);
      benchmarks.push_back(to_json(name, measure(job, runner, runs, line, name)));
    };
    const auto bare = emulated::make_runner(), checked = checked_runner();
    const Job job = job_for(benchmark, subject, *bare);
    add("checks-off", *bare, job);
    add("checks-on", *checked, job);
    add("provenance", *bare, traced(job));
  }
  line.clear();
  if (console.json()) {
    console.print(Json{{"benchmarks", benchmarks}});
    return exit_ok;
  }
  std::string text = fmt::format(
      "emulated device, f32 sum of {} elements, block {}, processor time of one core, "
      "median of {} runs\n",
      elements, threads_per_block, runs);
  for (const Json& b : benchmarks)
    text += fmt::format("{:<16} {:7.1f} million warp-instructions/s  {:8.2f} million elements/s\n",
                        b["name"].get<std::string>(), b["value"].get<double>() / 1e6,
                        b["elements_per_second"].get<double>() / 1e6);
  console.print(text);
  return exit_ok;
}

}  // namespace foldproof
