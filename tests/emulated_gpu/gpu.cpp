#include "gpu.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace foldproof::emulated_gpu {

namespace {

std::string replaced_as_asked(std::string text) {
  const char* const asked = std::getenv("EMULATED_GPU_REPLACES");
  if (asked == nullptr) return text;
  const std::string_view all = asked, from = all.substr(0, all.find('='));
  const std::string_view to = all.substr(std::min(from.size() + 1, all.size()));
  if (from.empty()) return text;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

std::uint64_t number_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? UINT64_MAX : std::stoull(value);
}

Gpu& gpu() {
  static Gpu only;
  return only;
}

CUresult error_of(Kind kind) {
  switch (kind) {
    case Kind::out_of_bounds:
    case Kind::dsmem_lifetime: return CUDA_ERROR_ILLEGAL_ADDRESS;
    case Kind::misaligned: return CUDA_ERROR_MISALIGNED_ADDRESS;
    case Kind::crash: return CUDA_ERROR_LAUNCH_FAILED;
    case Kind::timeout:
    case Kind::deadlock:
    case Kind::barrier_divergence: return CUDA_ERROR_NOT_READY;
    default: return CUDA_SUCCESS;  // a GPU does not detect races
  }
}

CUresult all_done() {
  while (gpu().state == CUDA_ERROR_NOT_READY) std::this_thread::sleep_for(std::chrono::seconds(1));
  return gpu().state;
}

LaunchShape shape_of(const CUlaunchConfig& config) {
  LaunchShape shape{{config.gridDimX, config.gridDimY, config.gridDimZ},
                    {config.blockDimX, config.blockDimY, config.blockDimZ}};
  shape.shared_bytes = config.sharedMemBytes;
  for (unsigned k = 0; k < config.numAttrs; ++k) {
    const CUlaunchAttribute& attribute = config.attrs[k];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) shape.cooperative = attribute.value.cooperative != 0;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      shape.cluster = {attribute.value.clusterDim.x, attribute.value.clusterDim.y,
                       attribute.value.clusterDim.z};
  }
  return shape;
}

bool is_resident(const LaunchShape& shape) {
  const std::uint64_t each = std::min<std::uint64_t>(blocks_each, threads_each / shape.block.volume());
  return shape.grid.volume() <= each * multiprocessors;
}

CUresult load(CUmodule* module, const char* text) {
  const emulated::ModuleId id = gpu().device.load({"the module", replaced_as_asked(text)});
  CUmod_st& loaded = gpu().modules.emplace_back();
  loaded.id = id;
  for (EntryInfo& entry : gpu().device.entries(id)) loaded.kernels.push_back({&loaded, std::move(entry)});
  loaded.variables = gpu().device.allocate(1, "the variables of a module");
  *module = &loaded;
  return CUDA_SUCCESS;
}

CUmod_st* module_of_variables(Address address) {
  const auto found = std::ranges::find(gpu().modules, address, &CUmod_st::variables);
  return found == gpu().modules.end() ? nullptr : &*found;
}

}  // namespace foldproof::emulated_gpu
