#include "devices/emulated/job_run.h"

#include <algorithm>
#include <utility>

#include "devices/emulated/memory/memory.h"
#include "devices/emulated/scheduling/launch.h"

namespace foldproof::emulated {
namespace {

/// Co-running loads are ignored on the emulated device.
Schedule schedule_of(const Job& job) {
  const auto* schedule = std::get_if<Schedule>(&job.order);
  return schedule ? *schedule : Schedule{};
}

}  // namespace

JobRun::JobRun(Device& device, const std::optional<UndefinedFill>& fill, bool again) : device_(device) {
  origins_.fill = fill;
  device_.memory_->hold(fill.value_or(UndefinedFill{}));
  for (const auto& observer : device_.observers_) observer->job_begins(again);
}

void JobRun::trace(Address input, Element element, std::uint64_t count) {
  provenance_ = std::make_unique<JobProvenance>();
  input_ = {input, element, count};
  if (count == 0) return;
  const std::uint64_t bytes = count * size_of(element);
  provenance_->expressions.add_input(element, {device_.host(input, bytes), bytes});
  claim_input();
}

void JobRun::reset(Address at, const JobBuffer& buffer) {
  device_.memory_->undefine(at);
  device_.write(at, buffer.initial);
  std::map<Place, Origins::Stored>& stored = origins_.stored;
  stored.erase(stored.lower_bound({global_memory, at}),
               stored.lower_bound({global_memory, at + buffer.bytes}));
  if (!provenance_ || buffer.bytes == 0) return;
  provenance_->memory.forget(at, buffer.bytes);
  if (at == input_.at) claim_input();
}

LaunchReport JobRun::launch(ModuleId module, const JobLaunch& step, std::span<const ArgumentBytes> arguments,
                            const Job& job) {
  const NodeId known = provenance_ ? provenance_->expressions.size() : 0;
  const LaunchOwners owners{.origins = &origins_, .provenance = provenance_.get(), .accepts = job.accepts};
  LaunchReport report =
      device_.launch(module, step.entry, step.shape, arguments, schedule_of(job), job.limits, &owners);
  if (provenance_) provenance_->launches.push_back(trace_of_launch(known));
  return report;
}

bool JobRun::wants_replay() const {
  return std::ranges::any_of(device_.observers_, [](const auto& o) { return o->wants_all_reads(); });
}

UndefinedOutput JobRun::undefined_output(Address from, const JobBuffer& buffer) const {
  return emulated::undefined_output(origins_, device_.memory_->find(from), from, buffer);
}

UseOfUndefined JobRun::use_of_undefined() const {
  UseOfUndefined use = origins_.use;
  use.memory = device_.memory_->digest();
  return use;
}

void JobRun::trace_output(Address output, Element element, std::uint64_t count) {
  std::vector<NodeId>& results = results_.emplace_back();
  for (std::uint64_t i = 0; i < count; ++i) {
    const Address at = output + i * size_of(element);
    results.push_back(
        provenance_->made_of({global_memory, at}, {device_.host(at, size_of(element)), size_of(element)}));
  }
}

ProvenanceTrace JobRun::provenance() {
  ProvenanceTrace trace{std::move(provenance_->expressions), std::move(results_),
                        std::move(provenance_->launches)};
  provenance_.reset();
  return trace;
}

void JobRun::claim_input() {
  const auto bytes = static_cast<std::uint8_t>(size_of(input_.element));
  for (std::uint64_t i = 0; i < input_.count; ++i)
    for (std::uint8_t b = 0; b < bytes; ++b)
      provenance_->memory.set({global_memory, input_.at + i * bytes + b}, {static_cast<NodeId>(i + 1), b, 0});
}

LaunchTrace JobRun::trace_of_launch(NodeId known) const {
  LaunchTrace launch{provenance_->expressions.size(), {}};
  provenance_->memory.for_each_global([&](Address at, const BytePart& byte) {
    const Address origin = input_.at + (byte.node - 1) * size_of(input_.element) + byte.byte;
    const bool is_moved_element = byte.node <= provenance_->expressions.inputs() && at != origin;
    if (byte.node >= known || is_moved_element) launch.kept.push_back(byte.node);
  });
  std::ranges::sort(launch.kept);
  launch.kept.erase(std::unique(launch.kept.begin(), launch.kept.end()), launch.kept.end());
  return launch;
}

}  // namespace foldproof::emulated
