#include "devices/cuda/launch_sites.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "devices/cuda/driver.h"

namespace foldproof::cuda {
namespace {

using LaunchFunction = CUresult(const CUlaunchConfig&, CUfunction, void**);

template <unsigned number>
[[gnu::noinline]] CUresult launch(const CUlaunchConfig& config, CUfunction function, void** arguments) {
  const CUresult result = driver().cuLaunchKernelEx_(&config, function, arguments, nullptr);
  // Keeps the call from becoming a tail jump, and prevents merging of identical functions.
  asm volatile("# launch site %0" : : "i"(number));
  return result;
}

template <unsigned... numbers>
constexpr std::array<LaunchFunction*, sizeof...(numbers)> table(std::integer_sequence<unsigned, numbers...>) {
  return {&launch<numbers>...};
}

constexpr auto sites = table(std::make_integer_sequence<unsigned, launch_site_count>{});

std::uint64_t address_of(LaunchFunction* site) { return std::bit_cast<std::uintptr_t>(site); }

/// The start of the next site, which is usually adjacent; no site is longer than `longest`.
std::uint64_t end_of(LaunchFunction* site) {
  constexpr std::uint64_t longest = 256;
  std::uint64_t end = address_of(site) + longest;
  for (LaunchFunction* other : sites)
    if (address_of(other) > address_of(site)) end = std::min(end, address_of(other));
  return end;
}

}  // namespace

CUresult launch_from(unsigned site, const CUlaunchConfig& config, CUfunction function, void** arguments) {
  return sites[site % launch_site_count](config, function, arguments);
}

compute_sanitizer::LaunchSites launch_sites() {
  Dl_info info{};
  dladdr(std::bit_cast<void*>(sites.front()), &info);
  const auto base = std::bit_cast<std::uintptr_t>(info.dli_fbase);
  std::error_code error;
  compute_sanitizer::LaunchSites all;
  all.module = std::filesystem::read_symlink("/proc/self/exe", error).string();
  for (LaunchFunction* site : sites) all.ranges.emplace_back(address_of(site) - base, end_of(site) - base);
  return all;
}

}  // namespace foldproof::cuda
