#include "devices/emulated/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "devices/emulated/scheduling/launch.h"

namespace foldproof::emulated {
namespace {

// Limits of compute capability 9.0 (CUDA programming guide, table of technical specifications).
constexpr std::uint64_t most_threads = 1024;
constexpr Dim3 largest_block{1024, 1024, 64};
constexpr Dim3 largest_grid{2147483647, 65535, 65535};
constexpr std::uint64_t largest_cluster = 16;
constexpr std::uint64_t threads_each = 2048, blocks_each = 32;
constexpr std::uint64_t most_parameter_bytes = 32764;

bool fits(const Dim3& d, const Dim3& limit) { return d.x <= limit.x && d.y <= limit.y && d.z <= limit.z; }

void check_shape(const Program& program, const FunctionCode& entry, const LaunchShape& shape) {
  const std::uint64_t threads = shape.block.volume();
  if (shape.grid.volume() == 0 || threads == 0)
    throw InputError(
        fmt::format("a launch of {} needs at least one block and one thread, not grid {} and block {}",
                    entry.name, to_string(shape.grid), to_string(shape.block)));
  if (threads > most_threads || !fits(shape.block, largest_block))
    throw InputError(fmt::format("a block of {} is too large: the limit is {} threads, {} in each direction",
                                 to_string(shape.block), most_threads, to_string(largest_block)));
  if (!fits(shape.grid, largest_grid))
    throw InputError(fmt::format("a grid of {} is too large: the limit is {}", to_string(shape.grid),
                                 to_string(largest_grid)));
  const std::uint32_t fixed = program.shared_static_bytes(entry);
  const std::uint64_t shared = std::uint64_t{fixed} + shape.shared_bytes;
  if (shared > largest_shared_memory)
    throw InputError(
        fmt::format("the block needs {} bytes of shared memory ({} static and {} dynamic); the limit is {}",
                    shared, fixed, shape.shared_bytes, largest_shared_memory));
  const auto& most = entry.max_threads;
  if (most[0] != 0 && threads > std::uint64_t{most[0]} * most[1] * most[2])
    throw InputError(fmt::format("{} was compiled for at most {} threads per block, but the launch has {}",
                                 entry.name, std::uint64_t{most[0]} * most[1] * most[2], threads));
  const auto& exact = entry.required_threads;
  if (exact[0] != 0 && (exact[0] != shape.block.x || exact[1] != shape.block.y || exact[2] != shape.block.z))
    throw InputError(fmt::format("{} was compiled for blocks of ({}, {}, {}), but the launch has {}",
                                 entry.name, exact[0], exact[1], exact[2], to_string(shape.block)));
}

// The cluster size of a launch: the one requested, otherwise the one compiled into the kernel.
Dim3 cluster_of(const FunctionCode& entry, const LaunchShape& shape) {
  const auto& compiled = entry.required_cluster;
  const Dim3 own{compiled[0], compiled[1], compiled[2]};
  if (shape.cluster.x == 0) {
    if (compiled[0] == 0) return {0, 0, 0};
  } else if (compiled[0] != 0 && !(own == shape.cluster)) {
    throw InputError(fmt::format("{} was compiled for clusters of {}, but the launch has {}", entry.name,
                                 to_string(own), to_string(shape.cluster)));
  }
  const Dim3 cluster = shape.cluster.x == 0 ? own : shape.cluster;
  if (cluster.volume() == 0 || cluster.volume() > largest_cluster)
    throw InputError(fmt::format("a cluster of {} is not possible: the limit is {} blocks",
                                 to_string(cluster), largest_cluster));
  if (shape.grid.x % cluster.x != 0 || shape.grid.y % cluster.y != 0 || shape.grid.z % cluster.z != 0)
    throw InputError(fmt::format("a grid of {} cannot be divided into clusters of {}", to_string(shape.grid),
                                 to_string(cluster)));
  return cluster;
}

// All blocks of a cooperative launch must be resident at once.
void check_cooperative(const Program& program, const FunctionCode& entry, const LaunchShape& shape) {
  const std::uint64_t shared = std::uint64_t{program.shared_static_bytes(entry)} + shape.shared_bytes;
  std::uint64_t each = std::min(blocks_each, threads_each / ((shape.block.volume() + 31) / 32 * 32));
  if (shared != 0) each = std::min(each, largest_shared_memory / shared);
  if (shape.grid.volume() > each * multiprocessors)
    throw InputError(
        fmt::format("the {} blocks of this cooperative launch cannot all be resident: the device has {} "
                    "multiprocessors with space for {} such blocks each",
                    shape.grid.volume(), multiprocessors, each));
}

std::vector<std::byte> pack(const FunctionCode& entry, std::span<const ArgumentBytes> arguments) {
  if (arguments.size() != entry.parameter_bytes.size())
    throw InputError(fmt::format("{} takes {} arguments, but the launch passes {}", entry.name,
                                 entry.parameter_bytes.size(), arguments.size()));
  std::vector<std::byte> bytes;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k].size() != entry.parameter_bytes[k])
      throw InputError(fmt::format("argument {} of {} has {} bytes, but the launch passes {}", k, entry.name,
                                   entry.parameter_bytes[k], arguments[k].size()));
    bytes.resize(entry.parameter_offsets[k] + std::size_t{entry.parameter_bytes[k]});
    std::copy(arguments[k].begin(), arguments[k].end(), bytes.begin() + entry.parameter_offsets[k]);
  }
  if (bytes.size() > most_parameter_bytes)
    throw InputError(fmt::format("{} takes {} bytes of arguments; the limit is {}", entry.name, bytes.size(),
                                 most_parameter_bytes));
  return bytes;
}

}  // namespace

Device::Device(Observers observers, bool tracks_definedness)
    : observers_(std::move(observers)),
      tracks_(tracks_definedness),
      memory_(std::make_unique<Memory>(tracks_definedness)) {}

Device::~Device() = default;

ModuleId Device::load(const Image& image) {
  auto program = std::make_unique<Program>(lower(image.ptx.module(), image.name(), [&](std::uint64_t bytes) {
    return memory_->allocate(bytes, "a __device__ variable");
  }));
  programs_.push_back(std::move(program));
  const auto id = static_cast<ModuleId>(programs_.size() - 1);
  reset(id);
  return id;
}

std::vector<EntryInfo> Device::entries(ModuleId module) const {
  std::vector<EntryInfo> found;
  for (const FunctionCode& code : program(module).functions)
    if (code.is_entry) found.push_back({code.name, code.parameter_bytes});
  return found;
}

void Device::reset(ModuleId module) {
  for (const auto& variable : program(module).globals) write(variable.address, variable.initial);
}

Address Device::allocate(std::uint64_t bytes, std::string_view name) {
  return memory_->allocate(bytes, name);
}

void Device::free(Address address) { memory_->free(address); }

void Device::write(Address to, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  std::memcpy(host(to, bytes.size()), bytes.data(), bytes.size());
  memory_->define(to, bytes.size());
}

void Device::read(Address from, std::span<std::byte> bytes) const {
  if (!bytes.empty()) std::memcpy(bytes.data(), host(from, bytes.size()), bytes.size());
}

LaunchReport Device::launch(ModuleId module, std::string_view entry_name, const LaunchShape& shape,
                            std::span<const ArgumentBytes> arguments, const Schedule& schedule,
                            const Limits& limits, const LaunchOwners* owners) {
  const Program& code = program(module);
  const FunctionCode* entry = code.entry(entry_name);
  if (!entry) throw InputError(fmt::format("{} has no kernel named {}", code.name, entry_name));
  check_shape(code, *entry, shape);
  LaunchShape full = shape;
  full.cluster = cluster_of(*entry, shape);
  if (shape.cooperative) check_cooperative(code, *entry, shape);
  Origins origins;
  LaunchOwners wanted = owners ? *owners : LaunchOwners{.origins = &origins};
  if (!tracks_) wanted.origins = nullptr;
  return Launch(code, *entry, *memory_, spare_, full, pack(*entry, arguments), schedule, limits, observers_,
                wanted)
      .run();
}

const Program& Device::program(ModuleId module) const {
  if (module >= programs_.size()) throw InputError(fmt::format("module {} does not exist", module));
  return *programs_[module];
}

std::byte* Device::host(Address address, std::uint64_t bytes) const {
  const Region region = memory_->find(address);
  if (!region.contains(address, bytes) || !region.host)
    throw InputError(fmt::format("a copy of {} bytes begins {}", bytes, memory_->describe(address, bytes)));
  return region.host + (address - region.begin);
}

}  // namespace foldproof::emulated
