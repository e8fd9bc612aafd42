#include "devices/cuda/co_running_load.h"

#include <algorithm>

#include "devices/cuda/driver.h"
#include "devices/cuda/module.h"
#include "devices/runner_parts.h"

namespace foldproof::cuda {
namespace {

constexpr std::uint64_t nanoseconds_busy = 30'000;
/// Shared memory that the system reserves in each block, in bytes.
constexpr std::uint32_t reserved = 1 << 10;

constexpr const char* busy_ptx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry keep_busy(.param .u64 nanoseconds) {
  .reg .pred %more;
  .reg .u64 %begin, %now, %all;
  ld.param.u64 %all, [nanoseconds];
  mov.u64 %begin, %globaltimer;
again:
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %begin;
  setp.lt.u64 %more, %now, %all;
  @%more bra again;
  ret;
}
)";

}  // namespace

LaunchShape limited(const Context& context, const CoRunningLoad& load, LaunchShape shape,
                    CUfunc_st* function) {
  if (load.occupancy_limit == 0 || shape.cooperative || shape.cluster.x != 0) return shape;
  int own = 0;
  check(driver().cuFuncGetAttribute_(&own, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
        "querying a kernel's shared memory");
  const std::uint32_t most = context.properties().shared_bytes,
                      taken = static_cast<std::uint32_t>(own) + shape.shared_bytes + reserved;
  if (taken >= most) return shape;
  shape.shared_bytes += load.occupancy_limit * (most - taken) / tightest_occupancy_limit / 128 * 128;
  return shape;
}

void begin(Context& context, const CoRunningLoad& load) {
  if (!load.busy_kernel) return;
  static Module module(context, {"the kernel that keeps a GPU busy", busy_ptx});
  LaunchShape shape{{std::max(1U, context.properties().multiprocessors / 2), 1, 1}, {1024, 1, 1}};
  const ArgumentBytes duration = argument_of(nanoseconds_busy);
  context.launch_beside(module.function("keep_busy", shape), shape, std::span(&duration, 1));
}

}  // namespace foldproof::cuda
