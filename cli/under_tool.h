// Many instances audited under one tool of compute-sanitizer, in few processes of it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/campaign.h"
#include "sanitizer/compute_sanitizer/tool.h"

namespace foldproof {

/// Throws InputError where `--sanitizer` names tools and nothing runs on a GPU.
void check_has_gpu(const std::string& sanitizer, bool has_gpu);

/// The tools that `--sanitizer` names, with commas between. Throws InputError for another name, Unsupported
/// where compute-sanitizer is missing or not known: nobody is to take for checked what was not.
std::vector<const compute_sanitizer::Tool*> tools_named(const std::string& list);

/// Audits one instance by a runner. Called twice for each, it must ask both times for the same jobs, whatever
/// came of those before.
using AuditBy = std::function<KernelReport(const Assignment& assignment, Runner& runner)>;

/// The reports of instances that are all under the same tool, in their order: first all jobs are gathered,
/// then run, then checked. Throws like `audit`, and like run_sanitized.
std::vector<KernelReport> audit_under_tool(std::span<const Assignment> assignments, const AuditBy& audit);

}  // namespace foldproof
