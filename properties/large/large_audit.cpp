#include "properties/large_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "devices/cuda/context.h"
#include "devices/cuda/failure.h"
#include "devices/cuda/module.h"
#include "devices/runner_parts.h"
#include "oracles/number.h"
#include "oracles/sum_checkers.h"
#include "properties/audit.h"
#include "properties/exact_on_gpu.h"
#include "properties/execution/evaluation.h"
#include "properties/execution/reduction.h"
#include "properties/generation/domain.h"
#include "properties/kernel_on_gpu.h"
#include "properties/large_inputs.h"
#include "properties/store/triage.h"

namespace foldproof {
namespace {

using Clock = std::chrono::steady_clock;

/// Odd counts, and counts beyond the range of 32-bit integers, signed and unsigned.
constexpr std::array<std::uint64_t, 6> large_counts{least_large_count,
                                                    (std::uint64_t{1} << 24) + 5,
                                                    (std::uint64_t{1} << 28) + 3,
                                                    (std::uint64_t{1} << 31) + 7,
                                                    std::uint64_t{1} << 32,
                                                    (std::uint64_t{1} << 32) + 9};
/// Per input: four processes share a GPU. Thus f32 reaches all of these counts, and f64 ends at 2^31 + 7.
constexpr std::uint64_t most_input_bytes = (std::uint64_t{1} << 34) + (std::uint64_t{1} << 20);
/// Per run. The next count is up to 16 times as large.
constexpr double most_seconds = 0.25;

/// Compares results in GPU memory.
class ByteComparison {
 public:
  /// `image`: of kernels/compare_bytes.cu.
  ByteComparison(cuda::Context& context, const Image& image)
      : context_(context), module_(context, image), function_(module_.function("compare_bytes", shape_)) {
    shape_.grid.x = static_cast<std::uint32_t>(context.resident_blocks(function_, shape_));
  }

  /// Whether `bytes` bytes at one address equal those at the other. Waits for the result.
  bool are_equal(Address one, Address other, std::uint64_t bytes) {
    std::uint32_t differ = 0;
    context_.write(differ_.address(), std::as_bytes(std::span(&differ, 1)));
    context_.launch(
        function_, shape_,
        std::array{argument_of(one), argument_of(other), argument_of(bytes), argument_of(differ_.address())});
    context_.read(differ_.address(), std::as_writable_bytes(std::span(&differ, 1)));
    context_.wait();
    return differ == 0;
  }

 private:
  cuda::Context& context_;
  cuda::Module module_;
  LaunchShape shape_{{1, 1, 1}, {512, 1, 1}};
  CUfunc_st* function_;
  cuda::Memory differ_{sizeof(std::uint32_t)};
};

class LargeAudit {
 public:
  LargeAudit(const Contract& contract, const Instance& instance, const std::shared_ptr<const Image>& image,
             const LargeAuditTools& tools, const LargeAuditOptions& options)
      : contract_(contract),
        instance_(instance),
        image_(image),
        options_(options),
        arithmetic_(arithmetic_of(*instance.reduction, instance, math_in_code(instance, image->ptx))),
        exact_(context_, *tools.exact, tools.exact_image),
        maker_(context_, *tools.input_maker),
        comparison_(context_, *tools.comparison),
        report_(empty_report(contract, instance)) {
    require_checker(arithmetic_, contract);
  }

  KernelReport run() {
    const Clock::time_point start = Clock::now();
    report_.warp_instructions.reset();
    const auto claimed = static_cast<std::uint64_t>(Domain(instance_, large_counts.back()).claimed_count());
    const std::uint64_t most = std::min(claimed, options_.largest_count);
    for (const std::uint64_t count : large_counts) {
      if (count > most) break;
      why_not_tried_ = why_not(count);
      if (why_not_tried_.empty()) try_count(static_cast<std::int64_t>(count));
      if (!why_not_tried_.empty()) break;
    }
    report_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return finished(claimed);
  }

  /// Whether a kernel did not end: then nothing that waits for the GPU does, either.
  bool is_stuck() const { return is_stuck_; }

 private:
  Element input_type() const { return instance_.reduction->input; }

  /// Why a count is not tried; empty if it is.
  std::string why_not(std::uint64_t count) const {
    if (slowest_ >= most_seconds) return fmt::format("the previous count took {:.2f} s", slowest_);
    if (count * size_of(input_type()) > most_input_bytes) return "its elements exceed 16 GiB";
    return "";
  }

  /// If the count cannot be run or ends the audit, `why_not_tried_` gives the reason.
  void try_count(std::int64_t wanted) {
    try {
      kernel_.reset();
      elements_.reset();
      kernel_ = std::make_unique<KernelOnGpu>(context_, instance_, image_, wanted);
      if (kernel_->count() <= tried_) return;  // the contract admits no larger count
      elements_.emplace(static_cast<std::uint64_t>(kernel_->count()) * size_of(input_type()));
      for (const LargeInput& how : large_inputs())
        if (!is_stuck_) try_input(how);
      if (!is_stuck_) tried_ = kernel_->count();
    } catch (const cuda::Failure& failure) {
      why_not_tried_ = failure.what();
      if (!failure.is_for_want_of_memory()) add(Kind::crash, failure.what());
    } catch (const cuda::RefusedLaunch& refused) {
      why_not_tried_ = "the GPU rejects the launch: " + refused.why;
    } catch (const InputError& error) {  // for example, a buffer that is too large
      why_not_tried_ = error.what();
    }
  }

  void try_input(const LargeInput& how) {
    case_ = {};
    case_.order = CoRunningLoad{};
    case_.variables = kernel_->variables();
    case_.input.distribution = {std::string(how.name)};
    case_.input.seed = options_.seed;
    const Tally tally = tally_of(how, elements_->address(), kernel_->count());
    if (!runs_in_time()) return;
    ++report_.cases;
    take(check_result_of_output(tally));
    if (!instance_.claims.deterministic) return;
    const std::uint64_t bytes = kernel_->output_count() * size_of(instance_.reduction->output);
    const cuda::Memory first(bytes);
    context_.copy(first.address(), kernel_->output(), bytes);
    if (runs_in_time() && !comparison_.are_equal(first.address(), kernel_->output(), bytes))
      add(Kind::not_reproducible, "a second run on the same elements gives different bits");
  }

  /// Checks the result in GPU memory: there can be as many partial sums as warps.
  CheckResult check_result_of_output(const Tally& input) {
    const Reduction& reduction = *instance_.reduction;
    const auto checker = make_sum_checker(of_case(arithmetic_, instance_, kernel_->variables()), input);
    if (reduction.result == ResultShape::value)
      return checker->value(load(reduction.output, kernel_->output_bytes(), 0));
    const ExactOnGpu::Sum sum =
        exact_.sum(reduction.output, kernel_->output(), static_cast<std::int64_t>(kernel_->output_count()));
    return checker->sum_of_partials(sum.finite, sum.specials);
  }

  /// Generates the elements in memory and returns their tally.
  Tally tally_of(const LargeInput& how, Address elements, std::int64_t count) {
    const auto sum = [&](bool magnitudes) {
      maker_.make(how, magnitudes, input_type(), elements, static_cast<std::uint64_t>(count), options_.seed);
      return exact_.sum(input_type(), elements, count).finite;
    };
    const Dyadic magnitude = sum(true), all = sum(false), half = Dyadic::power_of_two(-1);
    Tally tally = tally_but_for_sums(how, input_type(), static_cast<std::uint64_t>(count));
    tally.positive = (magnitude + all) * half;
    tally.negative = (magnitude - all) * half;
    return tally;
  }

  /// Runs the kernel; false if it does not end.
  bool runs_in_time() {
    const Clock::time_point start = Clock::now();
    kernel_->run(elements_->address());
    if (!context_.ends_within(options_.limit)) {
      is_stuck_ = true;
      why_not_tried_ = "the kernel did not end";
      add(Kind::timeout, fmt::format("the kernel did not end within {} s",
                                     std::chrono::duration<double>(options_.limit).count()));
      return false;
    }
    slowest_ = std::max(slowest_, std::chrono::duration<double>(Clock::now() - start).count());
    return true;
  }

  KernelReport finished(std::uint64_t claimed) {
    if (static_cast<std::uint64_t>(tried_) < claimed) report_.untried_above["count"] = tried_;
    if (report_.cases == 0 && report_.findings.empty()) {
      report_.verdict = Verdict::unsupported;
      report_.reason =
          fmt::format("no sum of {} elements or more was tried: {}", least_large_count, why_not_tried_);
      return std::move(report_);
    }
    if (!why_not_tried_.empty())
      report_.notes.push_back(fmt::format("counts above {} were not tried: {}", tried_, why_not_tried_));
    triage(report_, contract_, today(), Watched::no);
    return std::move(report_);
  }

  void take(const CheckResult& check_result) {
    Accuracy& accuracy = report_.accuracy;
    ++accuracy.checked_by[static_cast<std::size_t>(check_result.evidence)];
    if (check_result.evidence == CheckResult::Evidence::nothing) accuracy.why_not = check_result.why_not;
    if (check_result.ulps)
      accuracy.worst_ulps = std::max(accuracy.worst_ulps.value_or(0), *check_result.ulps);
    if (check_result.error_over_bound &&
        check_result.error_over_bound > report_.worst_error_over_bound.value_or(-1)) {
      report_.worst_error_over_bound = check_result.error_over_bound;
      report_.worst_case = describe(case_);
      accuracy.worst_by = check_result.evidence;
      accuracy.worst = check_result.bounded;
      accuracy.worst_is_vacuous = check_result.vacuous;
    }
    if (!check_result.ok) add(kind_of(check_result), check_result.sentence);
  }

  /// Only the first finding of a kind is kept.
  void add(Kind kind, const std::string& message) {
    if (std::ranges::count(report_.findings, kind, &Finding::kind) != 0) return;
    Finding finding;
    finding.kind = kind;
    finding.message = message;
    finding.at = place_of_entry(contract_, instance_.launches.back());
    finding.case_text = describe(case_);
    report_.findings.push_back(std::move(finding));
    if (!options_.so_far) return;
    KernelReport so_far = report_;
    triage(so_far, contract_, today(), Watched::no);
    if (so_far.verdict == Verdict::clean) so_far.verdict = Verdict::skipped;
    options_.so_far(so_far);
  }

  cuda::Context context_;
  const Contract& contract_;
  const Instance& instance_;
  std::shared_ptr<const Image> image_;
  LargeAuditOptions options_;
  Arithmetic arithmetic_;
  ExactOnGpu exact_;
  LargeInputMaker maker_;
  ByteComparison comparison_;
  KernelReport report_;
  std::unique_ptr<KernelOnGpu> kernel_;  ///< for the current count
  std::optional<cuda::Memory> elements_;
  Case case_;
  std::int64_t tried_ = 0;  ///< the largest count with which all inputs were tried
  double slowest_ = 0;      ///< seconds of the slowest run
  std::string why_not_tried_;
  bool is_stuck_ = false;
};

}  // namespace

bool is_whole_sum(const Instance& instance) {
  if (!instance.reduction || instance.in_place || !instance.claims.keeps_input ||
      !instance.operands.empty() || !instance.additional_outputs.empty() || instance.reduction->values ||
      instance.reduction->where || instance.input_capacity || instance.output_index ||
      instance.output_initial == BufferContract::Initial::any)
    return false;
  const Reduction& reduction = *instance.reduction;
  return reduction.op == Operator::sum && is_float(reduction.input) &&
         (reduction.result == ResultShape::value || reduction.result == ResultShape::partials);
}

bool serves_large_counts(const Instance& instance) {
  return is_whole_sum(instance) && instance.reduction->input != Element::e2m1 &&
         !is_host_function(instance) &&
         Domain(instance, least_large_count).claimed_count() >= std::int64_t{least_large_count};
}

KernelReport audit_large(const Contract& contract, const Instance& instance,
                         const std::shared_ptr<const Image>& image, const LargeAuditTools& tools,
                         const LargeAuditOptions& options) {
  auto audit = std::make_unique<LargeAudit>(contract, instance, image, tools, options);
  KernelReport report = audit->run();
  // Freeing memory, or the context, would wait for the kernel, which ends with the process.
  if (audit->is_stuck()) {
    const LargeAudit* const never_freed [[maybe_unused]] = audit.release();
  }
  return report;
}

}  // namespace foldproof
