// Jobs on a GPU under one of compute-sanitizer's tools, whose records become findings of the jobs.
#pragma once

#include <filesystem>
#include <memory>

#include "devices/runner.h"
#include "devices/worker.h"
#include "sanitizer/compute_sanitizer/tool.h"

namespace foldproof {

/// Runs up to 64 jobs in one process of the worker (a make_cuda_runner of plain memory) under the tool, for
/// what the tool has seen is written down when the process ends. Behind them the tool meets a kernel that it
/// must report: where it does not, throws Unsupported, for then its silence says nothing. A job that spoils
/// the device costs those behind it another process; where that happens too often, jobs at the end have no
/// result.
///
/// A job with findings of the tool is not completed, so that its values are not judged.
std::unique_ptr<Runner> make_sanitized_runner(const compute_sanitizer::Tool& tool, WorkerOptions worker,
                                              std::filesystem::path executable);

}  // namespace foldproof
