// Runs jobs on a GPU under one of compute-sanitizer's tools and converts its records to findings of the jobs.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "devices/runner.h"
#include "devices/worker.h"
#include "sanitizer/compute_sanitizer/tool.h"

namespace foldproof {

/// Runs all jobs under the tool in as few worker processes (make_cuda_runner with plain memory) as possible,
/// since the tool writes its records when a process exits. Each process ends with a kernel that the tool must
/// report; if the tool does not report it, throws Unsupported, since its silence is inconclusive.
///
/// A job that corrupts the device has the device's error as its finding, unless the tool reports one; later
/// jobs with the same kernel have no result, and the others run in another process. A job for which the tool
/// reports an error is not completed, so its values are not checked. Throws InputError and Unsupported like a
/// runner.
std::vector<std::optional<JobResult>> run_sanitized(const compute_sanitizer::Tool& tool,
                                                    const WorkerOptions& worker,
                                                    const std::filesystem::path& executable,
                                                    std::span<const Job> jobs);

}  // namespace foldproof
