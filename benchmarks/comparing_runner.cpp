#include "benchmarks/comparing_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "oracles/number.h"

namespace foldproof {

namespace {

/// f64 propagates the NaN of an operand. If both operands are NaN, ptxas chooses: it may swap the operands of
/// a sum or product.
bool differ_in_nans_only(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  for (std::size_t i = 0; i < a.size() / sizeof(double); ++i) {
    const std::uint64_t here = load(Element::f64, a, i), there = load(Element::f64, b, i);
    if (here != there &&
        !(std::isnan(std::bit_cast<double>(here)) && std::isnan(std::bit_cast<double>(there))))
      return false;
  }
  return true;
}

Finding difference(const Job& job, std::size_t buffer, const JobResult& emulated, const JobResult& real) {
  const auto& a = emulated.contents[buffer];
  const auto& b = real.contents[buffer];
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin()) / 8 * 8;
  const auto hex = [&](const std::vector<std::byte>& bytes) {
    std::string text;
    for (std::size_t i = at; i < std::min(at + 8, bytes.size()); ++i)
      text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned>(bytes[i]));
    return text;
  };
  return {.kind = Kind::not_reproducible,
          .message = fmt::format("the devices differ in the buffer \"{}\": starting at byte {}, the emulated "
                                 "device has {} and the GPU {}",
                                 job.buffers[buffer].name, at, hex(a), hex(b)),
          .at = launch_before(job).where};
}

}  // namespace

Capabilities ComparingRunner::capabilities() const {
  Capabilities both = WrappedRunner::capabilities();
  both.obeys_schedules = true;
  return both;
}

std::vector<JobResult> ComparingRunner::run(const std::vector<Job>& jobs) {
  std::vector<Job> on_gpu = jobs;
  for (Job& job : on_gpu) job.order = adapted(job.order, false);
  std::vector<JobResult> results = inner().run(on_gpu);
  for (std::size_t j = 0; j < results.size(); ++j) {
    Job job = jobs[j];
    job.trace.reset();
    const std::vector<JobResult> emulated = emulated_->run({job});
    if (auto finding = compare(job, emulated.front(), results[j])) results[j].findings.push_back(*finding);
  }
  return results;
}

std::optional<Finding> ComparingRunner::compare(const Job& job, const JobResult& emulated,
                                                const JobResult& real) {
  if (!emulated.completed || !real.completed) {
    ++tally_.left_out;
    return std::nullopt;
  }
  ++tally_.runs;
  bool is_same = true;
  for (std::size_t b = 0; b < job.buffers.size(); ++b) {
    if (emulated.contents[b] == real.contents[b]) continue;
    is_same = false;
    if (is_f64(job.buffers[b].name) && differ_in_nans_only(emulated.contents[b], real.contents[b])) continue;
    return must_be_same_ ? std::optional(difference(job, b, emulated, real)) : std::nullopt;
  }
  ++(is_same ? tally_.same : tally_.other_nan);
  return std::nullopt;
}

bool ComparingRunner::is_f64(const std::string& buffer) const {
  const auto of = [&](const Reduction& reduction) { return reduction.output == Element::f64; };
  if (buffer == instance_.output_name) return of(*instance_.reduction);
  return std::ranges::any_of(instance_.additional_outputs, [&](const AdditionalOutput& additional) {
    return additional.buffer == buffer && of(additional.reduction);
  });
}

}  // namespace foldproof
