// What one process of an audit does: it audits a group of instances and returns their reports.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/task_pool.h"
#include "cli/campaign.h"
#include "command/gpu_workers.h"

namespace foldproof {

/// One instance, or several under the same tool.
using InstanceGroup = std::span<const Assignment>;

/// The reports, packed for the process that started this one.
std::string audit_group(InstanceGroup group, const GpuWorkers& workers,
                        const std::function<CampaignOptions(const Assignment&)>& options,
                        const TaskReporter& reporter);

/// The reports of the group's instances, from the process's complete or partial output.
std::vector<KernelReport> reports_of(InstanceGroup group, const Outcome& outcome);

}  // namespace foldproof
