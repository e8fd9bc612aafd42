#include "fake_kernel.h"

#include <cstdlib>
#include <cstring>

#include "base/files.h"
#include "base/temporary_folders.h"

namespace foldproof::fake {
namespace {

std::vector<std::byte> contents(const JobBuffer& buffer) {
  std::vector<std::byte> bytes = buffer.initial;
  bytes.resize(buffer.bytes, std::byte{0xcd});
  return bytes;
}

ArgumentContract pointer(const std::string& buffer) {
  ArgumentContract argument;
  argument.form = ArgumentContract::Form::pointer;
  argument.buffer = buffer;
  argument.value = Expression::constant(0);
  return argument;
}

template <typename Kind>
Kind part_of(const LaunchOrder& order) {
  const auto* part = std::get_if<Kind>(&order);
  return part ? *part : Kind{};
}

}  // namespace

std::vector<JobResult> FakeRunner::run(const std::vector<Job>& jobs) {
  std::vector<JobResult> results;
  for (const Job& job : jobs) {
    ++jobs_run;
    JobResult result;
    result.cost = 0;
    for (const JobBuffer& buffer : job.buffers) result.contents.push_back(contents(buffer));
    for (const JobStep& step : job.steps) {
      if (const auto* reset = std::get_if<JobReset>(&step)) {
        result.contents[reset->buffer] = contents(job.buffers[reset->buffer]);
        continue;
      }
      const auto& launch = std::get<JobLaunch>(step);
      const std::uint32_t in = launch.arguments[0].pointers[0].buffer,
                          out = launch.arguments[1].pointers[0].buffer;
      std::int32_t count = 0;
      std::memcpy(&count, launch.arguments[2].bytes.data(), sizeof count);
      kernel_({result.contents[in], result.contents[out], static_cast<std::size_t>(count),
               launch.shape.block.x, part_of<Schedule>(job.order), part_of<CoRunningLoad>(job.order),
               job.buffers[in].offset, result.contents[in], &result.findings});
      result.cost += 1 + static_cast<std::uint64_t>(count);
    }
    if (capabilities_.observes_launches) result.warp_instructions = result.cost;
    for (const Finding& finding : result.findings)
      if (finding.kind == Kind::out_of_bounds || finding.kind == Kind::timeout) result.completed = false;
    results.push_back(std::move(result));
  }
  return results;
}

Contract contract(Operator op, Element element) {
  const Position here{"fake.toml", 1, 1};
  Instance instance;
  instance.label = "T=" + std::string(name(element));
  instance.reduction = Reduction{op, element, element, element, ResultShape::value};
  instance.domain = {{"count", Range::parse("0 .. 2^20", here)}, {"block", Range::parse("1 .. 1024", here)}};
  instance.output_count = Expression::constant(1);
  instance.claims.nan = NanPolicy::propagate;
  LaunchContract launch;
  launch.entry = "kernel<float>";
  launch.lowered = "kernel";
  const Expression one = Expression::constant(1);
  launch.grid = launch.cluster = {one, one, one};
  launch.block = {Expression::parse("block", here), one, one};
  launch.shared = Expression::constant(0);
  launch.arguments = {pointer("input"), pointer("output"), {}};
  launch.arguments[2].value = Expression::parse("count", here);
  launch.where = here;
  instance.launches = {launch};

  Contract contract;
  contract.file = "fake.toml";
  contract.source = "fake.cu";
  contract.id = "F1";
  contract.instances = {instance};
  return contract;
}

KernelReport audit(const Contract& contract, const Kernel& kernel, const AuditOptions& options,
                   const std::string& ptx, Capabilities capabilities) {
  static const TemporaryFolder cache;  // used only by this process
  static const bool cache_is_ours = setenv("XDG_CACHE_HOME", cache.path().c_str(), 1) == 0;
  if (!cache_is_ours) throw std::runtime_error("the cache cannot be redirected");
  FakeRunner runner(kernel, capabilities);
  const auto image = std::make_shared<const Image>(Image{"fake.ptx", ptx});
  return audit_instance(contract, contract.instances.front(), image, runner, options);
}

}  // namespace foldproof::fake
