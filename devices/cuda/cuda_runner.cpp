#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <list>
#include <optional>
#include <utility>

#include "devices/cuda.h"
#include "devices/cuda/arena.h"
#include "devices/cuda/co_running_load.h"
#include "devices/cuda/context.h"
#include "devices/cuda/driver.h"
#include "devices/cuda/module.h"
#include "devices/runner_parts.h"
#include "devices/worker.h"

namespace foldproof {
namespace {

using namespace cuda;

constexpr std::size_t max_modules = 16;

/// The kind of finding for an error that a kernel caused.
Kind kind_of(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE: return Kind::out_of_bounds;
    case CUDA_ERROR_MISALIGNED_ADDRESS: return Kind::misaligned;
    case CUDA_ERROR_LAUNCH_TIMEOUT: return Kind::timeout;
    default: return Kind::crash;
  }
}

/// Schedules are ignored on a GPU.
CoRunningLoad load_of(const Job& job) {
  const auto* load = std::get_if<CoRunningLoad>(&job.order);
  return load ? *load : CoRunningLoad{};
}

/// Access to the buffers of one job: the address of a buffer, and its reset.
struct Layout {
  std::function<Address(std::size_t buffer)> start;
  std::function<void(std::size_t buffer)> reset;
};

class CudaRunner final : public Runner {
 public:
  explicit CudaRunner(GpuMemory memory) : memory_(memory) {}

  Capabilities capabilities() const override {
    return {.observes_launches = false, .obeys_schedules = false};
  }

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results;
    if (memory_ == GpuMemory::fenced && jobs.size() > 1)
      if (auto all = run_together(jobs)) return *std::move(all);
    for (const Job& job : jobs) results.push_back(run_alone(job));
    return results;
  }

  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    return module_of(image).entries();
  }

 private:
  /// std::nullopt if a job's launch is refused, which does not corrupt the device.
  std::optional<std::vector<JobResult>> run_together(std::span<const Job> jobs) {
    std::vector<JobResult> results;
    try {
      const Arena arena(jobs);
      const std::span<const std::byte> memory = run_in(arena, jobs, false);
      for (std::size_t j = 0; j < jobs.size(); ++j) results.push_back(arena.result(j, memory));
    } catch (const Failure&) {
      throw SpoiltDevice{};
    } catch (const RefusedLaunch&) {
      if (!is_idle()) throw SpoiltDevice{};
      return std::nullopt;
    }
    // A write outside one job's buffers may have hit another job's.
    if (!std::ranges::all_of(results, &JobResult::completed)) throw SpoiltDevice{};
    return results;
  }

  /// Waits for the work submitted so far; returns false if it failed.
  bool is_idle() {
    try {
      context_.wait();
      return true;
    } catch (const Failure&) {
      return false;
    }
  }

  JobResult run_alone(const Job& job) {
    try {
      if (memory_ == GpuMemory::plain) return run_plain(job);
      const Arena arena({&job, 1});
      return arena.result(0, run_in(arena, {&job, 1}, true));
    } catch (const RefusedLaunch& refused) {
      const LaunchShape& shape = launch_before(job, step_).shape;
      return failed_job(
          job, Kind::contract_violation,
          fmt::format("the GPU rejects a launch of {} blocks of {} threads with {} bytes of shared "
                      "memory each: {}",
                      shape.grid.volume(), shape.block.volume(), shape.shared_bytes, refused.why),
          step_);
    } catch (const Failure& failure) {
      // A limitation of the GPU, not a defect of the kernel.
      if (failure.is_for_want_of_memory()) return unsupported_job(job, failure.what());
      return failed_job(job, kind_of(static_cast<CUresult>(failure.result())), failure.what(), step_);
    }
  }

  /// Throws Failure and RefusedLaunch. `waits`: after each launch, so that the failing one is known.
  void run_steps(const Job& job, Module& module, const Layout& layout, const CoRunningLoad& load,
                 bool waits) {
    module.reset();
    begin(context_, load);
    for (step_ = 0; step_ < job.steps.size(); ++step_) {
      if (const auto* reset = std::get_if<JobReset>(&job.steps[step_])) {
        layout.reset(reset->buffer);
        continue;
      }
      launch(std::get<JobLaunch>(job.steps[step_]), module, layout, load);
      if (waits) context_.wait();
    }
  }

  void launch(const JobLaunch& step, const Module& module, const Layout& layout, const CoRunningLoad& load) {
    std::vector<ArgumentBytes> arguments;
    for (const JobArgument& argument : step.arguments) arguments.push_back(patched(argument, layout.start));
    const LaunchShape shape = limited(context_, load, step.shape, module.function(step.entry, step.shape));
    context_.launch(module.function(step.entry, shape), shape, arguments);
  }

  /// The contents of the arena after the jobs.
  std::span<const std::byte> run_in(const Arena& arena, std::span<const Job> jobs, bool waits) {
    reserve(arena.bytes());
    const std::span<std::byte> staged = staging_->bytes().first(arena.bytes());
    arena.fill(staged);
    context_.write(block_->address(), staged);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const Layout layout{[&](std::size_t buffer) { return block_->address() + arena.start(j, buffer); },
                          [&](std::size_t buffer) {
                            context_.copy(block_->address() + arena.start(j, buffer),
                                          block_->address() + arena.initial(j, buffer),
                                          jobs[j].buffers[buffer].bytes);
                          }};
      run_steps(jobs[j], module_of(jobs[j].image), layout, load_of(jobs[j]), waits);
    }
    const auto back = staged.first(arena.bytes_of_buffers());
    context_.read(block_->address(), back);
    context_.wait();
    return back;
  }

  JobResult run_plain(const Job& job) {
    std::list<Memory> memory;
    std::vector<Address> starts;
    for (const JobBuffer& buffer : job.buffers) {
      memory.emplace_back(buffer.offset + buffer.bytes);
      starts.push_back(memory.back().address() + buffer.offset);
      context_.write(starts.back(), buffer.initial);
    }
    const Layout layout{[&](std::size_t buffer) { return starts[buffer]; },
                        [&](std::size_t buffer) {
                          // The rest keeps its contents (GpuMemory::plain).
                          context_.write(starts[buffer], job.buffers[buffer].initial);
                        }};
    context_.launch_from(jobs_run_++);
    run_steps(job, module_of(job.image), layout, {}, true);
    JobResult result;
    result.contents.resize(job.buffers.size());
    for (std::size_t b = 0; b < job.buffers.size(); ++b) {
      if (!job.buffers[b].read_back) continue;
      result.contents[b].resize(job.buffers[b].bytes);
      context_.read(starts[b], result.contents[b]);
    }
    context_.wait();
    return result;
  }

  void reserve(std::uint64_t bytes) {
    if (staging_ && staging_->bytes().size() >= bytes) return;
    const std::uint64_t with_room = std::max(bytes + bytes / 4, std::uint64_t{1} << 20);
    staging_.emplace(with_room);
    block_.emplace(with_room);
  }

  Module& module_of(const std::shared_ptr<const Image>& image) {
    if (!image->program.empty())
      throw Unsupported("the entry is a host function, not a kernel", {image->name()});
    const auto known = std::ranges::find(modules_, image, &Loaded::image);
    if (known != modules_.end()) return *known->module;
    if (modules_.size() == max_modules) modules_.pop_front();
    modules_.push_back({image, std::make_unique<Module>(context_, *image)});
    return *modules_.back().module;
  }

  struct Loaded {
    std::shared_ptr<const Image> image;
    std::unique_ptr<Module> module;
  };

  GpuMemory memory_;
  Context context_;
  std::size_t step_ = 0;   ///< the last step that was submitted
  unsigned jobs_run_ = 0;  ///< jobs with plain memory
  std::list<Loaded> modules_;
  std::optional<PinnedMemory> staging_;
  std::optional<Memory> block_;
};

}  // namespace

std::unique_ptr<Runner> make_cuda_runner(GpuMemory memory) { return std::make_unique<CudaRunner>(memory); }

}  // namespace foldproof
