#include "devices/emulated/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "devices/emulated/device.h"
#include "devices/emulated/job_run.h"
#include "devices/runner_parts.h"

namespace foldproof::emulated {
namespace {

/// The device buffers of one job, freed by the destructor.
class Allocations {
 public:
  Allocations(Device& device, const std::vector<JobBuffer>& buffers) : device_(device), buffers_(buffers) {}
  // Frees the last one first, so that the next run's buffers have the same addresses.
  ~Allocations() {
    for (; !blocks_.empty(); blocks_.pop_back()) device_.free(blocks_.back());
  }
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  void allocate() {
    for (const JobBuffer& buffer : buffers_) {
      if (buffer.initial.size() > buffer.bytes)
        throw InputError(fmt::format("the buffer \"{}\" of {} bytes has {} initial bytes", buffer.name,
                                     buffer.bytes, buffer.initial.size()));
      blocks_.push_back(device_.allocate(buffer.offset + buffer.bytes, buffer.name));
      device_.write(start(blocks_.size() - 1), buffer.initial);
    }
  }
  Address start(std::size_t buffer) const { return blocks_.at(buffer) + buffers_[buffer].offset; }

  /// Reads back the buffers, and adds their idle bytes and the findings about undefined bytes.
  void take(const JobRun& run, JobResult& result) const {
    if (device_.tracks_definedness()) result.idle.resize(buffers_.size());
    result.contents.resize(buffers_.size());
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const JobBuffer& buffer = buffers_[i];
      if (!buffer.read_back || buffer.bytes == 0) continue;
      result.contents[i].resize(buffer.bytes);
      device_.read(start(i), result.contents[i]);
      UndefinedOutput undefined = run.undefined_output(start(i), buffer);
      std::ranges::move(undefined.findings, std::back_inserter(result.findings));
      if (device_.tracks_definedness()) result.idle[i] = std::move(undefined.idle);
    }
  }

 private:
  Device& device_;
  const std::vector<JobBuffer>& buffers_;
  std::vector<Address> blocks_;
};

/// Gives idle bytes the same content in every run.
void poison(std::vector<std::vector<std::byte>>& contents, const std::vector<std::vector<ByteRange>>& idle) {
  for (std::size_t i = 0; i < contents.size() && i < idle.size(); ++i)
    for (const ByteRange& range : idle[i])
      for (std::uint64_t at = range.first; at != range.end; ++at) contents[i][at] = UndefinedFill{}.byte(at);
}

class EmulatedRunner final : public Runner {
 public:
  EmulatedRunner(Observers observers, bool tracks_definedness)
      : device_(std::move(observers), tracks_definedness) {}

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results;
    results.reserve(jobs.size());
    for (const Job& job : jobs) {
      Attempt first = watched(job);
      if (first.result.completed && std::ranges::any_of(first.result.findings, is_doubtful)) {
        const bool matters = undefined_values_matter(job, first);
        first = watched(job);  // so that counters count this run
        if (!matters) std::erase_if(first.result.findings, is_doubtful);
      }
      poison(first.result.contents, first.result.idle);
      results.push_back(std::move(first.result));
      if (std::ranges::find(results.back().findings, Kind::timeout, &Finding::kind) !=
          results.back().findings.end())
        break;  // the next jobs would most likely take as long
    }
    return results;
  }

  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    return device_.entries(module_of(image));
  }

 private:
  /// One run of a job.
  struct Attempt {
    JobResult result;
    UseOfUndefined use;  ///< if findings or the purpose require it
  };

  /// `fill`: the contents of undefined memory and registers.
  Attempt watched(const Job& job, const std::optional<UndefinedFill>& fill = std::nullopt) {
    for (bool again = false;; again = true) {
      JobRun one(device_, fill, again);
      Attempt attempt = run(job, one, fill.has_value());
      if (again || !one.wants_replay()) return attempt;
    }
  }

  // A finding that is kept only if another undefined value changes the result. Warnings about possible
  // padding are kept in any case.
  static bool is_doubtful(const Finding& finding) {
    return is_about_undefined_values(finding.kind) && finding.severity == Severity::error;
  }

  // Whether the result depends on undefined values. Sums and scans of partially filled tiles compute with
  // such values and discard the results, often in ways that bitwise propagation cannot recognize (x + u - u).
  bool undefined_values_matter(const Job& job, const Attempt& first) {
    Job again = job;
    again.trace.reset();
    again.limits.warp_instructions =
        std::min(job.limits.warp_instructions, 4 * first.result.cost + (std::uint64_t{1} << 20));
    std::vector<UseOfUndefined::Compared> compared = first.use.compared;
    const auto differs = [&](const UndefinedFill& fill) {
      Attempt other = watched(again, fill);
      for (const auto& one : other.use.compared)
        if (std::ranges::find(compared, one) == compared.end()) compared.push_back(one);
      return !is_same(first, std::move(other));
    };
    return std::ranges::any_of(random_fills(), differs) || std::ranges::any_of(fills_of(compared), differs);
  }

  static bool is_same(const Attempt& a, Attempt b) {
    const JobResult &x = a.result, &y = b.result;
    if (x.completed != y.completed || x.printed != y.printed || others(x) != others(y) ||
        a.use.choices != b.use.choices || a.use.memory != b.use.memory)
      return false;
    auto of_a = x.contents;
    for (auto* contents : {&of_a, &b.result.contents}) poison(*contents, x.idle), poison(*contents, y.idle);
    return of_a == b.result.contents;
  }

  /// The findings that do not concern undefined values.
  static std::set<std::tuple<Kind, Severity, std::string>> others(const JobResult& result) {
    std::set<std::tuple<Kind, Severity, std::string>> all;
    for (const Finding& finding : result.findings)
      if (!is_about_undefined_values(finding.kind))
        all.emplace(finding.kind, finding.severity, to_string(finding.at));
    return all;
  }

  Attempt run(const Job& job, JobRun& run, bool compares) {
    Attempt attempt;
    JobResult& result = attempt.result;
    result.cost = 0;
    result.warp_instructions = 0;
    try {
      const ModuleId module = module_of(job.image);
      device_.reset(module);
      Allocations allocations(device_, job.buffers);
      allocations.allocate();
      if (job.trace)
        run.trace(allocations.start(job.trace->input.buffer), job.trace->input.element,
                  job.trace->input.count);
      for (const JobStep& step : job.steps) {
        if (const auto* reset = std::get_if<JobReset>(&step))
          run.reset(allocations.start(reset->buffer), job.buffers[reset->buffer]);
        else
          launch(run, module, std::get<JobLaunch>(step), job, allocations, result);
        if (!result.completed) return attempt;
      }
      allocations.take(run, result);
      if (job.trace) {
        for (const BufferElements& output : job.trace->outputs)
          run.trace_output(allocations.start(output.buffer) + output.first * size_of(output.element),
                           output.element, output.count);
        result.trace = std::make_shared<const ProvenanceTrace>(run.provenance());
      }
      if (compares || std::ranges::any_of(result.findings, is_doubtful)) attempt.use = run.use_of_undefined();
    } catch (const Unsupported& reason) {
      result.unsupported = reason.what();
      result.completed = false;
    }
    return attempt;
  }

  static void launch(JobRun& run, ModuleId module, const JobLaunch& step, const Job& job,
                     const Allocations& allocations, JobResult& result) {
    std::vector<ArgumentBytes> arguments;
    for (const JobArgument& argument : step.arguments)
      arguments.push_back(patched(argument, [&](std::size_t buffer) { return allocations.start(buffer); }));
    LaunchReport report;
    try {
      report = run.launch(module, step, arguments, job);
    } catch (const InputError& error) {
      throw InputError(error.sentence(), error.position().file.empty() ? step.where : error.position());
    }
    result.cost += report.warp_instructions;
    result.warp_instructions = result.cost;
    result.printed += report.printed;
    result.completed = report.completed;
    std::ranges::move(report.findings, std::back_inserter(result.findings));
  }

  ModuleId module_of(const std::shared_ptr<const Image>& image) {
    require_ptx(*image);
    const auto known = std::ranges::find(modules_, image, &Loaded::image);
    if (known != modules_.end()) return known->module;
    modules_.push_back({image, device_.load(*image)});
    return modules_.back().module;
  }

  struct Loaded {
    std::shared_ptr<const Image> image;
    ModuleId module;
  };

  Device device_;
  std::vector<Loaded> modules_;
};

}  // namespace

std::unique_ptr<Runner> make_runner(Observers observers, bool tracks_definedness) {
  return std::make_unique<EmulatedRunner>(std::move(observers), tracks_definedness);
}

}  // namespace foldproof::emulated
