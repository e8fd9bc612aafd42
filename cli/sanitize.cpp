// foldproof sanitize: one launch of any kernel on the emulated device, and its findings.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/memory.h"
#include "base/printable.h"
#include "base/task_pool.h"
#include "base/text.h"
#include "cli/argument_spec.h"
#include "cli/entry_choice.h"
#include "cli/verbs.h"
#include "command/emulated.h"
#include "command/parse.h"
#include "command/shared_options.h"
#include "command/source_options.h"
#include "devices/runner.h"
#include "oracles/number.h"
#include "reports/counters_text.h"
#include "reports/terminal.h"
#include "sanitizer/counting_observer.h"

namespace foldproof {

namespace {

struct SanitizeCommandLine {
  std::string source, entry, grid = "1", block = "1", cluster, schedule = "converging", seed = "1",
                             fail_on = "error";
  std::vector<std::string> specs;
  std::vector<std::size_t> dumps;
  std::uint32_t shared = 0;
  std::uint64_t repeat = 1, instructions = Limits{}.warp_instructions;
  bool cooperative = false, counters = false;
  SourceOptions source_options;
};

/// Everything that the launch needs, with all checks that need no device already done.
struct Launch {
  ChosenEntry chosen;
  LaunchShape shape;
  Schedule schedule;
  std::vector<ArgumentSpec> arguments;
  std::uint64_t seed = 1;
};

LaunchShape shape_of(const SanitizeCommandLine& a) {
  LaunchShape shape;
  shape.grid = parse_extent(a.grid, "--grid");
  shape.block = parse_extent(a.block, "--block");
  if (!a.cluster.empty()) shape.cluster = parse_extent(a.cluster, "--cluster");
  shape.shared_bytes = a.shared;
  shape.cooperative = a.cooperative;
  return shape;
}

Launch launch_of(const SanitizeCommandLine& a) {
  Launch launch;
  launch.shape = shape_of(a);
  launch.schedule = schedule_named(a.schedule);
  launch.seed = parse_seed(a.seed);
  for (std::size_t i = 0; i < a.specs.size(); ++i)
    launch.arguments.push_back(parse_argument(a.specs[i], launch.seed + (i << 32)));
  for (const std::size_t index : a.dumps)
    if (index >= launch.arguments.size() || !launch.arguments[index].is_buffer)
      throw InputError(fmt::format(
          "--dump {}: the argument with this index is not a buffer; arguments are counted from 0", index));
  launch.chosen = choose_entry(a.source, a.entry, a.source_options.compile_options());
  return launch;
}

/// Throws InputError if the arguments do not match the kernel's parameters.
void check_parameters(const Launch& launch) {
  const auto entries = entries_in(*launch.chosen.image);
  const auto& name = launch.chosen.entry.lowered;
  const auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.name == name; });
  if (entry == entries.end()) throw InputError(fmt::format("the kernel {} has no code", name));
  const auto& sizes = entry->parameter_bytes;
  if (sizes.size() != launch.arguments.size())
    throw InputError(
        fmt::format("{} takes {} arguments, but {} are given with --arg; give one --arg per parameter",
                    launch.chosen.entry.spelled, sizes.size(), launch.arguments.size()));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t given =
        launch.arguments[i].is_buffer ? sizeof(Address) : launch.arguments[i].content.size();
    if (given != sizes[i])
      throw InputError(
          fmt::format("argument {} of {} has {} bytes, but --arg gives {}; write it with a type of that "
                      "size, or bytes:HEX",
                      i, launch.chosen.entry.spelled, sizes[i], given));
  }
}

Job job_of(const Launch& launch, const SanitizeCommandLine& a, std::uint64_t repetition) {
  Job job;
  job.image = launch.chosen.image;
  Schedule schedule = launch.schedule;
  if (schedule.order == Schedule::Order::random) schedule.seed += repetition;
  job.order = schedule;
  job.limits.warp_instructions = a.instructions;
  JobLaunch step{launch.chosen.entry.lowered, launch.shape, {}};
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const ArgumentSpec& spec = launch.arguments[i];
    if (!spec.is_buffer) {
      step.arguments.push_back({spec.content, {}});
      continue;
    }
    step.arguments.push_back(
        {ArgumentBytes(sizeof(Address)), {{0, static_cast<std::uint32_t>(job.buffers.size()), 0}}});
    JobBuffer buffer{fmt::format("argument {}", i), spec.count * size_of(spec.type), spec.content, 0, true};
    buffer.loose_element = static_cast<std::uint32_t>(size_of(spec.type));
    job.buffers.push_back(std::move(buffer));
  }
  job.steps.emplace_back(std::move(step));
  return job;
}

/// An element as JSON: C hex strings preserve floating-point bits, strings preserve 64-bit integers.
Json value_json(Element type, std::uint64_t bits) {
  if (is_float(type)) return fmt::format("{:a}", to_double(decode(type, bits)));
  if (size_of(type) < 8) return static_cast<std::int64_t>(to_double(decode(type, bits)));
  return is_signed_integer(type) ? std::to_string(static_cast<std::int64_t>(bits)) : std::to_string(bits);
}

Json outputs_of(const Launch& launch, const std::vector<std::size_t>& dumps, const JobResult& result) {
  Json outputs = Json::object();
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    if (!launch.arguments[i].is_buffer) continue;
    const std::size_t index = buffer++;
    if (std::ranges::find(dumps, i) == dumps.end() || result.contents.size() <= index) continue;
    Json& values = outputs[std::to_string(i)] = Json::array();
    const Element type = launch.arguments[i].type;
    for (std::size_t n = 0; n < result.contents[index].size() / size_of(type); ++n)
      values.push_back(value_json(type, load(type, result.contents[index], n)));
  }
  return outputs;
}

/// What tells the findings of several runs apart.
using Identity = std::tuple<Kind, Position, std::optional<Position>, std::string>;

/// Adds the findings that are not `known` yet.
void add_findings(KernelReport& report, std::set<Identity>& known, const std::vector<Finding>& findings,
                  const std::string& replay) {
  for (Finding finding : findings) {
    if (!known.emplace(finding.kind, finding.at, finding.other, finding.message).second) continue;
    finding.replay = replay;
    report.findings.push_back(std::move(finding));
  }
}

void say_what_raises_the_limit(std::vector<Finding>& findings) {
  for (Finding& finding : findings)
    if (finding.kind == Kind::timeout) finding.message += "; --instructions N sets this limit";
}

/// Two runs that leave different values. Between schedules that is an error only if the kernel claims a
/// single answer, which a launch alone does not state.
Finding disagreement(const Launch& launch, const Job& job, const SanitizeCommandLine& a,
                     const JobResult& first, const JobResult& other) {
  const bool schedules = launch.schedule.order == Schedule::Order::random;
  Finding finding;
  finding.kind = schedules ? Kind::schedule_dependent : Kind::not_reproducible;
  finding.severity = schedules ? Severity::warning : Severity::error;
  std::size_t buffer = 0;
  while (first.contents.at(buffer) == other.contents.at(buffer)) ++buffer;
  finding.message = fmt::format("two {} leave different values in {}", schedules ? "schedules" : "runs",
                                job.buffers.at(buffer).name);
  finding.at.file = a.source;
  return finding;
}

/// The results of one launch, with all its repetitions.
struct Observation {
  KernelReport report;
  Json outputs = Json::object();
  std::string printed;
};

Json to_json(const Observation& observation) {
  Json json = to_json(observation.report);
  json["outputs"] = observation.outputs;
  json["printed"] = observation.printed;
  return json;
}

Observation observe(const Launch& launch, const SanitizeCommandLine& a, const std::string& command) {
  check_parameters(launch);
  Counters counters;  // of the last run
  Observers counting;
  if (a.counters) counting.push_back(std::make_unique<CountingObserver>(counters));
  const auto runner = checked_runner(std::move(counting));
  Observation observation;
  KernelReport& report = observation.report;
  report.kernel = report.entry = launch.chosen.entry.spelled;
  report.file = a.source;
  JobResult first;
  std::set<Identity> known;
  for (std::uint64_t i = 0; i < a.repeat; ++i) {
    const Job job = job_of(launch, a, i);
    JobResult result = std::move(runner->run({job}).front());
    if (result.unsupported) {
      report.verdict = Verdict::unsupported;
      report.reason = *result.unsupported;
      return observation;
    }
    report.cases = i + 1;
    *report.warp_instructions += result.cost;
    if (result.cost > a.instructions) say_what_raises_the_limit(result.findings);
    add_findings(report, known, result.findings, command);
    if (i == 0)
      first = std::move(result);
    else if (result.completed && first.completed && result.contents != first.contents)
      add_findings(report, known, {disagreement(launch, job, a, first, result)}, command);
  }
  observation.outputs = outputs_of(launch, a.dumps, first);
  observation.printed = std::move(first.printed);
  if (a.counters) report.counters = Counted{{}, counters};
  report.verdict = report.findings.empty() ? Verdict::clean : Verdict::findings;
  return observation;
}

/// A value of `outputs` as text: floating-point numbers in the fewest decimals that distinguish them.
std::string value_text(Element type, const Json& value) {
  if (!value.is_string()) return value.dump();
  auto text = value.get<std::string>();
  if (!is_float(type)) return text;
  const double number = std::strtod(text.c_str(), nullptr);
  return type == Element::f64 ? fmt::format("{}", number) : fmt::format("{}", static_cast<float>(number));
}

std::string dump_text(const Json& outputs, const Launch& launch, std::size_t width) {
  constexpr std::size_t most = 256;
  std::string text;
  for (const auto& [index, values] : outputs.items()) {
    const Element type = launch.arguments[std::stoul(index)].type;
    std::string line = fmt::format("argument {} ({} x {}):", index, name(type), values.size());
    for (std::size_t i = 0; i < std::min(most, values.size()); ++i) line += " " + value_text(type, values[i]);
    if (values.size() > most) line += " … (--format json prints all)";
    text += wrap(line, 0, 2, width) + "\n";
  }
  return text;
}

/// The outcome, in one line.
std::string verdict_text(const KernelReport& kernel) {
  std::string verdict(name(kernel.verdict));
  if (kernel.verdict == Verdict::findings)
    verdict = fmt::format("{} finding{}", kernel.findings.size(), kernel.findings.size() == 1 ? "" : "s");
  if (!kernel.reason.empty()) verdict += ": " + kernel.reason;
  return fmt::format("{}: {} ({} run{}, {} warp instructions)\n", printable(kernel.kernel),
                     shortened(printable(verdict)), kernel.cases, kernel.cases == 1 ? "" : "s",
                     *kernel.warp_instructions);
}

int sanitize(SanitizeCommandLine a, const Console& console) {
  const Launch launch = launch_of(a);
  ProgressLine line;
  Outcome outcome;
  TaskPool pool;
  pool.tasks = 1;
  pool.memory = memory_share(1, 1);
  pool.work = [&](std::size_t, const auto&) { return pack(to_json(observe(launch, a, console.command))); };
  pool.finished = [&](std::size_t, Outcome ended) { outcome = std::move(ended); };
  pool.progress = [&](std::uint64_t) {
    line.show(fmt::format("{}: running for {:.0f} s", a.entry, line.elapsed()));
  };
  pool.run();
  line.clear();
  switch (outcome.ending) {
    case Outcome::Ending::finished: break;
    case Outcome::Ending::wrong_input: throw InputError(outcome.text, outcome.position);
    case Outcome::Ending::unsupported:
    case Outcome::Ending::crashed: throw Unsupported(outcome.text, outcome.position);
    case Outcome::Ending::too_slow:
    case Outcome::Ending::out_of_time:
    case Outcome::Ending::interrupted: throw Interrupted{};
  }
  Json kernel = unpack(outcome.text);
  kernel["seconds"] = line.elapsed();
  AuditReport report;
  report.device = emulated::device_name;
  report.seed = launch.seed;
  report.kernels.push_back(kernel_report_from(kernel));
  const bool is_printed = console.writes([&] {
    if (console.json()) {
      Json json = to_json(report);
      json["kernels"] = Json::array({kernel});
      console.print(json);
    } else {
      console.print(printable_lines(kernel.at("printed").get<std::string>()));
      console.print(dump_text(kernel.at("outputs"), launch, console.width()));
      console.print(findings_text(report, {console.colored(), console.width(), {}}));
      if (const auto& counted = report.kernels.front().counters)
        console.print(counters_list(counted->counters));
      console.print(verdict_text(report.kernels.front()));
    }
  });
  return exit_status(exit_status(report, severity_named(a.fail_on).value()), is_printed);
}

}  // namespace

Run attach_sanitize(CLI::App& app, Console& console) {
  auto a = std::make_shared<SanitizeCommandLine>();
  const auto once = [](CLI::Option* option) { return option->allow_extra_args(false); };
  app.add_option("FILE", a->source, "A .cu or .ptx file")->required();
  app.add_option("--entry", a->entry,
                 "Kernel, as spelled in C++ or PTX, or a part of its name that matches no other")
      ->required();
  app.add_option("--grid", a->grid, "Blocks per grid")->type_name("X[,Y,Z]");
  app.add_option("--block", a->block, "Threads per block")->type_name("X[,Y,Z]");
  app.add_option("--cluster", a->cluster, "Blocks per cluster")->type_name("X[,Y,Z]");
  app.add_flag("--counters", a->counters, "Performance counters of the launch (the last one of --repeat)");
  app.add_flag("--cooperative", a->cooperative, "Cooperative launch: all blocks resident");
  app.add_option("--shared", a->shared, "Dynamic shared memory per block")->type_name("BYTES");
  once(app.add_option(
              "--arg", a->specs,
              "One kernel argument, in order: i32:5, f32:1.5, buffer:f32:1000:random; a struct by value is "
              "bytes:HEX, such as bytes:00ff10, or bytes:@FILE")
           ->type_name("SPEC"));
  once(app.add_option("--dump", a->dumps, "Print the buffer passed as the argument with this index")
           ->type_name("INDEX"));
  app.add_option("--schedule", a->schedule,
                 "Order in which lanes, warps and blocks run: converging (default), lanes-forward, "
                 "lanes-backward, warps-backward or random:SEED");
  app.add_option(
         "--repeat", a->repeat,
         "Number of runs; their final buffers are compared. A random schedule uses the next seed in each run")
      ->check(quietly(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000})))
      ->type_name("N");
  app.add_option(
         "--instructions", a->instructions,
         fmt::format("Maximum number of warp instructions per run; a run that exceeds it is reported as a "
                     "timeout (default: {}, which takes minutes, or hours if many lanes poll one word)",
                     a->instructions))
      ->check(quietly(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62)))  // CLI11 reads -1 as 2^64 - 1
      ->type_name("N");
  app.add_option("--seed", a->seed, "Seed of random buffers: a number or \"random\"")->type_name("S");
  add_fail_on(app, a->fail_on);
  a->source_options.attach(app);
  return [a, &console] { return sanitize(*a, console); };
}

}  // namespace foldproof
