#include "devices/emulated/memory/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/error.h"
#include "base/hash.h"

namespace foldproof::emulated {

namespace {

[[noreturn]] void lack_memory(std::uint64_t bytes) {
  throw InputError(fmt::format("out of host memory: cannot allocate {} bytes; use a smaller count", bytes));
}

}  // namespace

std::string relative_to(const std::string& what, std::int64_t offset, std::uint64_t size,
                        std::uint64_t bytes) {
  const auto past = offset - static_cast<std::int64_t>(bytes);
  if (offset < 0) return fmt::format("{} bytes before {}", -offset, what);
  if (past == 0) return fmt::format("just past the end of {}", what);
  if (past > 0) return fmt::format("{} bytes past the end of {}", past, what);
  return fmt::format("{} bytes before the end of {} and ends {} bytes past it", -past, what,
                     past + static_cast<std::int64_t>(size));
}

std::uint64_t Memory::allocate(std::uint64_t bytes, std::string_view name) {
  if (bytes > isa::window_size)
    throw InputError(
        fmt::format("an allocation of {} bytes exceeds the emulated device's limit of 64 GiB per allocation; "
                    "use a smaller count",
                    bytes));
  Allocation made;
  made.name = name;
  made.bytes = bytes;
  made.live = true;
  try {
    made.host.reset(new std::byte[bytes]);
  } catch (const std::bad_alloc&) {
    lack_memory(bytes);
  }
  constexpr std::uint64_t most_windows = 4096 - first_window;  // addresses stay below 2^48, as on hardware
  std::uint32_t index = 0;
  if (unused_.empty()) {
    if (windows_.size() == most_windows)
      throw InputError(fmt::format("too many allocations (limit {}); free some", most_windows));
    index = static_cast<std::uint32_t>(windows_.size());
    windows_.emplace_back();
  } else {
    index = unused_.back();
    unused_.pop_back();
  }
  const std::uint64_t address = begin_of(index);
  windows_[index] = std::move(made);
  undefine(address);
  return address;
}

void Memory::free(std::uint64_t address) {
  const std::uint64_t index = index_of(address);
  if (!is_live(index) || address % isa::window_size != 0)
    throw InputError(fmt::format("address {:#x} was not allocated, so it cannot be freed", address));
  windows_[index] = {};
  unused_.push_back(static_cast<std::uint32_t>(index));
}

void Memory::undefine(std::uint64_t address) {
  const std::uint64_t index = index_of(address);
  Allocation& hit = windows_.at(index);
  fill_undefined({hit.host.get(), hit.bytes}, fill_, global_memory, begin_of(index));
  if (!tracks_) return;
  hit.defined.reset();
  hit.defined.reset(static_cast<std::byte*>(std::calloc(std::max<std::uint64_t>(hit.bytes, 1), 1)));
  if (!hit.defined) lack_memory(hit.bytes);
}

void Memory::define(std::uint64_t address, std::uint64_t bytes) {
  Allocation& hit = windows_.at(index_of(address));
  if (!hit.defined) return;
  const std::uint64_t offset = address % isa::window_size;
  if (offset == 0 && bytes == hit.bytes)
    hit.defined.reset();
  else
    std::memset(hit.defined.get() + offset, 0xff, bytes);
}

void Memory::map_definedness(std::uint64_t address) {
  Allocation& hit = windows_.at(index_of(address));
  if (hit.defined) return;
  hit.defined.reset(static_cast<std::byte*>(std::malloc(std::max<std::uint64_t>(hit.bytes, 1))));
  std::memset(hit.defined.get(), 0xff, hit.bytes);
}

std::uint64_t Memory::digest() const {
  std::uint64_t digest = 0;
  for (const Allocation& allocation : windows_) {
    if (!allocation.live) continue;
    const std::byte* defined = allocation.defined.get();
    for (std::uint64_t at = 0; at < allocation.bytes; ++at) {
      const bool is_defined = !defined || defined[at] == std::byte{0xff};
      digest = mixed(digest + (is_defined ? std::to_integer<std::uint64_t>(allocation.host[at]) : 0x100));
    }
  }
  return digest;
}

Region Memory::find(std::uint64_t address) const {
  const std::uint64_t index = index_of(address);
  if (!is_live(index)) return {};
  const Allocation& hit = windows_[index];
  return {hit.host.get(), hit.defined.get(), begin_of(index), hit.bytes};
}

std::string Memory::name_at(std::uint64_t address) const {
  const std::uint64_t index = index_of(address);
  if (index >= windows_.size() || windows_[index].name.empty()) return "global memory";
  return "the buffer " + windows_[index].name;
}

std::string Memory::describe(std::uint64_t address, std::uint64_t size) const {
  // An address near the end of a window is taken to be a negative index into the next one.
  const bool goes_below = address % isa::window_size >= isa::window_size / 2;
  for (const std::uint64_t near : {address + (goes_below ? isa::window_size : 0), address}) {
    if (!is_live(index_of(near))) continue;
    const Allocation& hit = windows_[index_of(near)];
    const std::string what = hit.name.empty() ? fmt::format("an allocation of {} bytes", hit.bytes)
                                              : fmt::format("{} ({} bytes)", hit.name, hit.bytes);
    return relative_to(what, static_cast<std::int64_t>(address - begin_of(index_of(near))), size, hit.bytes);
  }
  return address < isa::window_size ? fmt::format("in the null page ({:#x})", address)
                                    : fmt::format("at the unallocated address {:#x}", address);
}

}  // namespace foldproof::emulated
