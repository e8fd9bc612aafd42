#include "devices/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
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

  Address start(std::size_t buffer) const { return blocks_.at(buffer) + buffers_[buffer].offset; }

  /// What is read back, and the undefined bytes in it. Those that say nothing hold the usual filling.
  void take(JobResult& result) const {
    result.contents.resize(buffers_.size());
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const JobBuffer& buffer = buffers_[i];
      if (!buffer.read_back || buffer.bytes == 0) continue;
      std::vector<std::byte>& bytes = result.contents[i];
      bytes.resize(buffer.bytes);
      device_.read(start(i), bytes);
      UndefinedOutput undefined =
          device_.undefined_output(start(i), buffer.bytes, buffer.name, buffer.may_be_padded);
      std::ranges::move(undefined.findings, std::back_inserter(result.findings));
      for (const std::uint64_t at : undefined.idle) bytes[at] = Filling{}.byte(at);
    }
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

// Values that show whether it matters what they are. The first three are huge, as far below zero, and tiny in
// most formats, and every bit is set in one of them. Then zero, and what the program asks for: equal to one
// of its constants, and next to it on either side, as elements of 4, 2, 1 and 8 bytes.
std::vector<Filling> fillings_to_try(const std::vector<std::uint64_t>& constants) {
  std::vector<Filling> all;
  for (const std::uint32_t word : {0x76997699u, 0xf699f699u, 0x89668966u}) all.push_back({word, word, true});
  all.push_back({0, 0});
  for (const std::uint64_t constant : constants)
    for (const std::uint64_t value : {constant, constant + 1, constant - 1}) {
      const auto low = static_cast<std::uint32_t>(value), high = static_cast<std::uint32_t>(value >> 32);
      all.push_back({low, low});
      if (low <= 0xffff) all.push_back({low * 0x00010001, low * 0x00010001});
      if (low <= 0xff) all.push_back({low * 0x01010101, low * 0x01010101});
      all.push_back({low, high});
    }
  return all;
}

class InProcessRunner final : public Runner {
 public:
  explicit InProcessRunner(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results;
    results.reserve(jobs.size());
    for (const Job& job : jobs) {
      device_->hold_undefined(std::nullopt);
      results.push_back(watched(job));
      if (!results.back().completed || std::ranges::none_of(results.back().findings, is_doubtful)) continue;
      const bool matters = undefined_values_matter(job, results.back());
      device_->hold_undefined(std::nullopt);
      results.back() = watched(job);  // so that whoever counted has counted this run
      if (!matters) std::erase_if(results.back().findings, is_doubtful);
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

  // A finding that stands only if another value would show another result. Possible padding is no longer a
  // question of that.
  static bool is_doubtful(const Finding& finding) {
    return is_about_undefined_values(finding.kind) && finding.severity == Severity::error;
  }

  // Whether it matters what holds whatever nobody determined. Sums and scans of partly filled tiles compute
  // with such values and discard what comes of them, often where no bit tells (x + u - u).
  bool undefined_values_matter(const Job& job, const JobResult& first) {
    const UseOfUndefined use = device_->use_of_undefined();
    Job again = job;
    again.limits.warp_instructions =
        std::min(job.limits.warp_instructions, 4 * first.warp_instructions + (std::uint64_t{1} << 20));
    const auto differs = [&](const Filling& filling) {
      device_->hold_undefined(filling);
      const JobResult other = watched(again);
      return other.completed != first.completed || other.contents != first.contents ||
             other.printed != first.printed || kinds(other) != kinds(first) ||
             device_->use_of_undefined().choices != use.choices;
    };
    return std::ranges::any_of(fillings_to_try(use.constants), differs);
  }

  static std::set<Kind> kinds(const JobResult& result) {
    std::set<Kind> all;
    for (const Finding& finding : result.findings)
      if (!is_about_undefined_values(finding.kind)) all.insert(finding.kind);
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
      allocations.take(result);
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
