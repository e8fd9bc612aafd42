#include "properties/kernel_on_gpu.h"

#include <algorithm>
#include <optional>

#include "contracts/sizes.h"
#include "devices/runner_parts.h"
#include "properties/representative.h"

namespace foldproof {
namespace {

/// The number of blocks of a free grid: as many as wanted, or as many as there is work for. Nothing if the
/// contract leaves no choice.
std::optional<std::int64_t> free_grid(const Instance& instance, const Variables& variables,
                                      std::int64_t threads, std::int64_t wanted) {
  const Range* grid = range_of(instance, "grid");
  if (grid == nullptr) return std::nullopt;
  const std::int64_t low = grid->low.evaluate(variables), high = grid->high.evaluate(variables);
  if (low == high) return std::nullopt;
  return std::clamp(std::min(wanted, variables.at("count") / threads), low, high);
}

}  // namespace

KernelOnGpu::KernelOnGpu(cuda::Context& context, const Instance& instance,
                         const std::shared_ptr<const Image>& image, std::int64_t count,
                         const LaunchWish& wish)
    : context_(context), instance_(instance), module_(context, *image) {
  instance_.tried.clear();  // a GPU has time for everything that is claimed
  prepare(count, wish, image);
  allocate();
  for (std::size_t k = 0; k < instance_.launches.size(); ++k)
    functions_.push_back(module_.function(launch(k).entry, launch(k).shape));
}

void KernelOnGpu::prepare(std::int64_t count, const LaunchWish& wish,
                          const std::shared_ptr<const Image>& image) {
  const JobBuilder builder(instance_, image, entries_in(*image));
  Case c = representative_case(instance_, static_cast<std::uint64_t>(count), count, wish.threads);
  c.calls = 2;  // so that the job lists the buffers to reset
  job_ = builder.build(c, {});
  CUfunc_st* const first = module_.function(launch(0).entry, launch(0).shape);
  const LaunchShape& shape = launch(0).shape;
  const auto resident = static_cast<std::int64_t>(context_.resident_blocks(first, shape));
  if (const auto grid = free_grid(instance_, c.variables, static_cast<std::int64_t>(shape.block.volume()),
                                  wish.blocks.value_or(resident))) {
    c.variables["grid"] = *grid;
    job_ = builder.build(c, {});
  }
  variables_ = c.variables;
}

void KernelOnGpu::allocate() {
  for (std::size_t k = 0; k < job_.job.buffers.size(); ++k) {
    const JobBuffer& buffer = job_.job.buffers[k];
    memory_.emplace_back(k == job_.input ? 1 : buffer.bytes + buffer.offset);
    if (k != job_.input && !buffer.initial.empty()) context_.write(memory_.back().address(), buffer.initial);
  }
  for (const JobStep& step : job_.job.steps)
    if (const auto* reset = std::get_if<JobReset>(&step)) {
      const std::vector<std::byte>& initial = job_.job.buffers[reset->buffer].initial;
      if (initial.empty()) continue;
      again_.emplace_back(reset->buffer, cuda::Memory(initial.size()));
      context_.write(again_.back().second.address(), initial);
    }
  context_.wait();
}

void KernelOnGpu::run(Address input) {
  for (const auto& [buffer, content] : again_)
    context_.copy(memory_[buffer].address(), content.address(), content.bytes());
  for (std::size_t k = 0; k < functions_.size(); ++k)
    context_.launch(functions_[k], launch(k).shape, arguments(launch(k), input));
}

std::vector<ArgumentBytes> KernelOnGpu::arguments(const JobLaunch& launch, Address input) const {
  const auto start = [&](std::uint32_t buffer) {
    return buffer == job_.input ? input : memory_[buffer].address();
  };
  std::vector<ArgumentBytes> all;
  for (const JobArgument& argument : launch.arguments) all.push_back(patched(argument, start));
  return all;
}

std::vector<std::byte> KernelOnGpu::output_bytes() {
  std::vector<std::byte> bytes(output_count() * size_of(instance_.reduction->output));
  context_.read(output(), bytes);
  context_.wait();
  return bytes;
}

std::size_t KernelOnGpu::place_of(const std::string& buffer) const {
  const auto found = std::ranges::find(job_.job.buffers, buffer, &JobBuffer::name);
  if (found == job_.job.buffers.end()) throw InputError("the contract has no buffer \"" + buffer + "\"");
  return static_cast<std::size_t>(found - job_.job.buffers.begin());
}

std::vector<std::byte> KernelOnGpu::read(const std::string& buffer) {
  const std::size_t k = place_of(buffer);
  std::vector<std::byte> bytes(job_.job.buffers[k].bytes);
  context_.read(memory_[k].address(), bytes);
  context_.wait();
  return bytes;
}

void KernelOnGpu::write(const std::string& buffer, std::span<const std::byte> bytes) {
  context_.write(memory_[place_of(buffer)].address(), bytes);
  context_.wait();
}

void KernelOnGpu::clear(const std::string& buffer) {
  write(buffer, std::vector<std::byte>(job_.job.buffers[place_of(buffer)].bytes));
}

}  // namespace foldproof
