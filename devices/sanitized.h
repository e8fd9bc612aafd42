// Jobs on a GPU under one of compute-sanitizer's tools, whose records become findings of the jobs.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "devices/runner.h"
#include "devices/worker.h"
#include "sanitizer/compute_sanitizer/tool.h"

namespace foldproof {

/// Runs all jobs in as few processes of the worker (a make_cuda_runner of plain memory) under the tool as
/// they fit, for what the tool has seen is written down when a process ends. Each process ends with a kernel
/// that the tool must report: where it does not, throws Unsupported, for then its silence says nothing.
///
/// A job that spoils the device has what the device says of it as its finding, where the tool says nothing;
/// the later jobs of its kernel have no result, the others another process. A job of which the tool has an
/// error to tell is not completed, so that its values are not checked. Throws InputError and Unsupported like
/// a runner.
std::vector<std::optional<JobResult>> run_sanitized(const compute_sanitizer::Tool& tool,
                                                    const WorkerOptions& worker,
                                                    const std::filesystem::path& executable,
                                                    std::span<const Job> jobs);

}  // namespace foldproof
