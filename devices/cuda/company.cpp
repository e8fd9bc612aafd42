#include "devices/cuda/company.h"

#include <algorithm>

#include "devices/cuda/driver.h"
#include "devices/job_arguments.h"

namespace foldproof::cuda {
namespace {

constexpr std::uint64_t nanoseconds_busy = 30'000;
/// Of shared memory, the system keeps so much of each block's.
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

/// Share of the shared memory that is taken, and whether others run.
struct Choice {
  double share;
  bool busy;
};

Choice choice_of(const Schedule& schedule) {
  switch (schedule.order) {
    case Schedule::Order::converging: return {0, false};
    case Schedule::Order::lanes_forward: return {1, false};
    case Schedule::Order::lanes_backward: return {0, true};
    case Schedule::Order::warps_backward: return {1, true};
    case Schedule::Order::random:
      return {static_cast<double>(schedule.seed % 8) / 8, schedule.seed / 8 % 2 != 0};
  }
  return {0, false};
}

}  // namespace

Company::Company(Context& context, const Schedule& schedule) : context_(context) {
  const Choice choice = choice_of(schedule);
  share_ = choice.share;
  busy_ = choice.busy;
}

LaunchShape Company::crowded(LaunchShape shape, CUfunc_st* function) const {
  if (share_ == 0 || shape.cooperative || shape.cluster.x != 0) return shape;
  int own = 0;
  check(driver().cuFuncGetAttribute_(&own, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
        "asking for a kernel's shared memory");
  const std::uint32_t most = context_.properties().shared_bytes,
                      taken = static_cast<std::uint32_t>(own) + shape.shared_bytes + reserved;
  if (taken >= most) return shape;
  shape.shared_bytes += static_cast<std::uint32_t>(share_ * (most - taken)) / 128 * 128;
  return shape;
}

void Company::begin() {
  if (!busy_) return;
  static Module module(context_, {"the kernel that keeps a GPU busy", busy_ptx});
  LaunchShape shape{{std::max(1U, context_.properties().multiprocessors / 2), 1, 1}, {1024, 1, 1}};
  const ArgumentBytes duration = argument_of(nanoseconds_busy);
  context_.launch_beside(module.function("keep_busy", shape), shape, std::span(&duration, 1));
}

}  // namespace foldproof::cuda
