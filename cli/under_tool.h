// Audits many instances under one tool of compute-sanitizer, in few processes of that tool.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/campaign.h"
#include "sanitizer/compute_sanitizer/tool.h"

namespace foldproof {

/// Throws InputError if `--sanitizer` names tools and nothing runs on a GPU.
void check_has_gpu(const std::string& sanitizer, bool has_gpu);

/// The tools that `--sanitizer` names, separated by commas. Throws InputError for an unknown name, and
/// Unsupported if compute-sanitizer is missing or unknown, so that nothing unchecked is taken for checked.
std::vector<const compute_sanitizer::Tool*> tools_named(const std::string& list);

/// Audits one instance with a runner. It is called twice per instance, and must request the same jobs both
/// times, whatever the results of earlier ones.
using AuditBy = std::function<KernelReport(const Assignment& assignment, Runner& runner)>;

/// The reports of instances that all use the same tool, in order: collects all jobs, runs them, then checks
/// the results. Throws like `audit`, and like run_sanitized.
std::vector<KernelReport> audit_under_tool(std::span<const Assignment> assignments, const AuditBy& audit);

}  // namespace foldproof
