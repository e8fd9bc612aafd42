#include "devices/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <set>

namespace foldproof {
namespace {

/// The buffers of one job on the device, freed with it.
class Allocations {
 public:
  Allocations(Device& device, const std::vector<JobBuffer>& buffers) : device_(device), buffers_(buffers) {
    try {
      for (const JobBuffer& buffer : buffers) {
        if (buffer.initial.size() > buffer.bytes)
          throw InputError(fmt::format("the buffer \"{}\" of {} bytes is given {} initial ones", buffer.name,
                                       buffer.bytes, buffer.initial.size()));
        blocks_.push_back(device.allocate(buffer.offset + buffer.bytes, buffer.name));
        if (!buffer.initial.empty()) device.write(start(blocks_.size() - 1), buffer.initial);
      }
    } catch (...) {
      release();
      throw;
    }
  }
  ~Allocations() { release(); }
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  /// Undefined bytes in what is read back.
  void check_outputs(std::vector<Finding>& findings) const {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (!buffers_[i].read_back) continue;
      for (Finding& finding : device_.undefined_output(start(i), buffers_[i].bytes, buffers_[i].name))
        findings.push_back(std::move(finding));
    }
  }

  Address start(std::size_t buffer) const { return blocks_.at(buffer) + buffers_[buffer].offset; }

  std::vector<std::vector<std::byte>> contents() const {
    std::vector<std::vector<std::byte>> all(buffers_.size());
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (!buffers_[i].read_back || buffers_[i].bytes == 0) continue;
      all[i].resize(buffers_[i].bytes);
      device_.read(start(i), all[i]);
    }
    return all;
  }

 private:
  void release() {
    for (const Address block : blocks_) device_.free(block);
    blocks_.clear();
  }

  Device& device_;
  const std::vector<JobBuffer>& buffers_;
  std::vector<Address> blocks_;
};

ArgumentBytes patched(const JobArgument& argument, const Allocations& allocations) {
  ArgumentBytes bytes = argument.bytes;
  for (const PointerPatch& patch : argument.pointers) {
    const Address address = allocations.start(patch.buffer) + patch.offset;
    if (patch.at + sizeof address > bytes.size())
      throw InputError(fmt::format("an address at byte {} does not fit into an argument of {} bytes",
                                   patch.at, bytes.size()));
    std::memcpy(bytes.data() + patch.at, &address, sizeof address);
  }
  return bytes;
}

class InProcessRunner final : public Runner {
 public:
  explicit InProcessRunner(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results;
    results.reserve(jobs.size());
    for (const Job& job : jobs) {
      device_->hold_in_variables(0);
      results.push_back(watched(job));
      if (std::ranges::none_of(results.back().findings, &Finding::of_variable)) continue;
      const bool depends = depends_on_variables(job, results.back());
      device_->hold_in_variables(0);
      results.back() = watched(job);  // so that whoever counted has counted this run
      if (!depends) std::erase_if(results.back().findings, std::mem_fn(&Finding::of_variable));
    }
    return results;
  }

  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    return device_->entries(module_of(image));
  }

 private:
  JobResult watched(const Job& job) {
    device_->observe_job(false);
    JobResult result = run(job);
    if (!device_->wants_replay()) return result;
    device_->observe_job(true);
    return run(job);
  }

  // Whether it matters what variables hold that were given no value: sums and scans of partly filled tiles
  // compute with them and discard what comes of it, often where no bit tells (x + u - u).
  bool depends_on_variables(const Job& job, const JobResult& first) {
    // Huge, and as far below zero, in most formats; and every bit is set in one of them.
    constexpr std::array<std::uint32_t, 3> words = {0x76997699, 0xf699f699, 0x89668966};
    Job again = job;
    again.limits.warp_instructions =
        std::min(job.limits.warp_instructions, 4 * first.warp_instructions + (std::uint64_t{1} << 20));
    const auto differs = [&](std::uint32_t word) {
      device_->hold_in_variables(word);
      const JobResult other = watched(again);
      return other.completed != first.completed || other.contents != first.contents ||
             other.printed != first.printed || kinds(other) != kinds(first);
    };
    return std::ranges::any_of(words, differs);
  }

  static std::set<Kind> kinds(const JobResult& result) {
    std::set<Kind> all;
    for (const Finding& finding : result.findings)
      if (!finding.of_variable) all.insert(finding.kind);
    return all;
  }

  JobResult run(const Job& job) {
    JobResult result;
    try {
      const ModuleId module = module_of(job.image);
      device_->reset(module);
      const Allocations allocations(*device_, job.buffers);
      for (const JobStep& step : job.steps) {
        if (const auto* write = std::get_if<JobWrite>(&step))
          device_->write(allocations.start(write->buffer), write->bytes);
        else
          launch(module, std::get<JobLaunch>(step), job, allocations, result);
        if (!result.completed) return result;
      }
      allocations.check_outputs(result.findings);
      result.contents = allocations.contents();
    } catch (const Unsupported& reason) {
      result.unsupported = reason.what();
      result.completed = false;
    }
    return result;
  }

  void launch(ModuleId module, const JobLaunch& step, const Job& job, const Allocations& allocations,
              JobResult& result) {
    std::vector<ArgumentBytes> arguments;
    for (const JobArgument& argument : step.arguments) arguments.push_back(patched(argument, allocations));
    LaunchReport report = launched(module, step, arguments, job);
    result.warp_instructions += report.warp_instructions;
    result.printed += report.printed;
    for (Finding& finding : report.findings) {
      if (is_fatal(finding.kind)) result.completed = false;
      result.findings.push_back(std::move(finding));
    }
  }

  LaunchReport launched(ModuleId module, const JobLaunch& step, const std::vector<ArgumentBytes>& arguments,
                        const Job& job) {
    try {
      return device_->launch(module, step.entry, step.shape, arguments, job.schedule, job.limits);
    } catch (const InputError& error) {
      throw InputError(error.sentence(), error.position().file.empty() ? step.where : error.position());
    }
  }

  ModuleId module_of(const std::shared_ptr<const Image>& image) {
    const auto known = std::ranges::find(modules_, image, &Loaded::image);
    if (known != modules_.end()) return known->module;
    modules_.push_back({image, device_->load(*image)});
    return modules_.back().module;
  }

  struct Loaded {
    std::shared_ptr<const Image> image;
    ModuleId module;
  };

  std::unique_ptr<Device> device_;
  std::vector<Loaded> modules_;
};

}  // namespace

std::unique_ptr<Runner> make_runner(std::unique_ptr<Device> device) {
  return std::make_unique<InProcessRunner>(std::move(device));
}

}  // namespace foldproof
