#include "devices/cuda/context.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "devices/cuda/driver.h"
#include "devices/cuda/launch_sites.h"

namespace foldproof::cuda {
namespace {

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  check(driver().cuDeviceGetAttribute_(&value, which, device), "querying the device's attributes");
  return value;
}

Properties properties_of(CUdevice device) {
  Properties all;
  std::array<char, 256> name{};
  check(driver().cuDeviceGetName_(name.data(), static_cast<int>(name.size()) - 1, device),
        "querying the device's name");
  all.name = name.data();
  all.compute_capability = 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                           attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  all.multiprocessors = static_cast<unsigned>(attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  check(driver().cuDriverGetVersion_(&all.driver), "querying the driver's version");
  all.shared_bytes =
      static_cast<std::uint32_t>(attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  all.l2_bytes = static_cast<std::uint64_t>(attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  // Two transfers per clock cycle; the driver reports the clock in kHz and the bus width in bits.
  all.bytes_per_second = 2e3 * attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
                         attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
  return all;
}

/// When a launch may begin: after the end of the previous one, or earlier if the kernel itself waits for it.
enum class Begin { after, early };

/// The attributes of a launch other than its extents.
std::vector<CUlaunchAttribute> attributes_of(const LaunchShape& shape, Begin begin) {
  std::vector<CUlaunchAttribute> all;
  const auto add = [&](CUlaunchAttributeID id) -> CUlaunchAttributeValue& {
    all.emplace_back().id = id;
    return all.back().value;
  };
  if (shape.cluster.x != 0)
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim = {shape.cluster.x, shape.cluster.y,
                                                             shape.cluster.z};
  if (shape.cooperative) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (begin == Begin::early)
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = 1;
  return all;
}

bool is_refused_launch(CUresult result) {
  return result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES || result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE ||
         result == CUDA_ERROR_INVALID_CLUSTER_SIZE || result == CUDA_ERROR_INVALID_VALUE;
}

void launch_in(CUstream_st* stream, unsigned site, CUfunc_st* function, const LaunchShape& shape,
               std::span<const ArgumentBytes> arguments, Begin begin = Begin::after) {
  std::vector<void*> pointers;
  for (const ArgumentBytes& argument : arguments)
    pointers.push_back(const_cast<std::byte*>(argument.data()));  // the driver only reads it
  std::vector<CUlaunchAttribute> attributes = attributes_of(shape, begin);
  CUlaunchConfig config{};
  config.gridDimX = shape.grid.x, config.gridDimY = shape.grid.y, config.gridDimZ = shape.grid.z;
  config.blockDimX = shape.block.x, config.blockDimY = shape.block.y, config.blockDimZ = shape.block.z;
  config.sharedMemBytes = shape.shared_bytes;
  config.hStream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  const CUresult result = cuda::launch_from(site, config, function, pointers.data());
  if (is_refused_launch(result)) throw RefusedLaunch{text_of(result)};
  check(result, "launching a kernel");
}

}  // namespace

Context::Context() {
  check(driver().cuDeviceGet_(&device_, 0), "opening the device");
  properties_ = properties_of(device_);
  check(driver().cuDevicePrimaryCtxRetain_(&context_, device_), "creating a context");
  check(driver().cuCtxSetCurrent_(context_), "entering the device's context");
  for (CUstream_st** stream : {&stream_, &beside_})
    check(driver().cuStreamCreate_(stream, CU_STREAM_NON_BLOCKING), "creating a stream");
}

Context::~Context() {
  for (CUstream_st* stream : {stream_, beside_}) driver().cuStreamDestroy_(stream);
  driver().cuDevicePrimaryCtxRelease_(device_);
}

void Context::write(Address to, std::span<const std::byte> bytes) {
  check(driver().cuMemcpyHtoDAsync_(to, bytes.data(), bytes.size(), stream_), "copying to the device");
}

void Context::read(Address from, std::span<std::byte> bytes) {
  check(driver().cuMemcpyDtoHAsync_(bytes.data(), from, bytes.size(), stream_), "copying from the device");
}

void Context::copy(Address to, Address from, std::uint64_t bytes) {
  check(driver().cuMemcpyDtoDAsync_(to, from, bytes, stream_), "copying within the device");
}

void Context::launch(CUfunc_st* function, const LaunchShape& shape,
                     std::span<const ArgumentBytes> arguments) {
  launch_in(stream_, site_, function, shape, arguments);
}

void Context::launch_early(CUfunc_st* function, const LaunchShape& shape,
                           std::span<const ArgumentBytes> arguments) {
  constexpr int least = 90;
  if (properties_.compute_capability < least)
    throw Unsupported(
        fmt::format("{} does not support programmatic dependent launch (requires compute capability 9.0)",
                    properties_.name));
  launch_in(stream_, site_, function, shape, arguments, Begin::early);
}

void Context::launch_beside(CUfunc_st* function, const LaunchShape& shape,
                            std::span<const ArgumentBytes> arguments) {
  launch_in(beside_, site_, function, shape, arguments);
}

void Context::wait() {
  for (CUstream_st* stream : {stream_, beside_})
    check(driver().cuStreamSynchronize_(stream), "running a kernel");
}

bool Context::ends_within(std::chrono::milliseconds limit) {
  constexpr std::chrono::microseconds moment{50};
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (CUstream_st* stream : {stream_, beside_})
    for (;;) {
      const CUresult result = driver().cuStreamQuery_(stream);
      if (result != CUDA_ERROR_NOT_READY) {
        check(result, "running a kernel");
        break;
      }
      if (std::chrono::steady_clock::now() >= deadline) return false;
      std::this_thread::sleep_for(moment);
    }
  return true;
}

std::uint64_t Context::resident_blocks(CUfunc_st* function, const LaunchShape& shape) const {
  int blocks = 0;
  check(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor_(
            &blocks, function, static_cast<int>(shape.block.volume()), shape.shared_bytes),
        "counting resident blocks");
  return static_cast<std::uint64_t>(blocks) * properties_.multiprocessors;
}

Memory::Memory(std::uint64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  CUdeviceptr address = 0;
  check(driver().cuMemAlloc_(&address, bytes), fmt::format("allocating {} bytes", bytes));
  address_ = address;
}

Memory::~Memory() {
  if (address_ != 0) driver().cuMemFree_(address_);
}

Memory::Memory(Memory&& other) noexcept
    : address_(std::exchange(other.address_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}

PinnedMemory::PinnedMemory(std::uint64_t bytes) {
  void* memory = nullptr;
  check(driver().cuMemAllocHost_(&memory, bytes), fmt::format("pinning {} bytes of memory", bytes));
  bytes_ = {static_cast<std::byte*>(memory), bytes};
}

PinnedMemory::~PinnedMemory() { driver().cuMemFreeHost_(bytes_.data()); }

Stopwatch::Stopwatch(const Context& context) : stream_(context.stream()) {
  check(driver().cuEventCreate_(&begin_, CU_EVENT_DEFAULT), "creating an event");
  check(driver().cuEventCreate_(&end_, CU_EVENT_DEFAULT), "creating an event");
}

Stopwatch::~Stopwatch() {
  driver().cuEventDestroy_(begin_);
  driver().cuEventDestroy_(end_);
}

void Stopwatch::start() { check(driver().cuEventRecord_(begin_, stream_), "starting the timer"); }

double Stopwatch::stop() {
  check(driver().cuEventRecord_(end_, stream_), "stopping the timer");
  check(driver().cuEventSynchronize_(end_), "running a kernel");
  float milliseconds = 0;
  check(driver().cuEventElapsedTime_(&milliseconds, begin_, end_), "reading a time");
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace foldproof::cuda
