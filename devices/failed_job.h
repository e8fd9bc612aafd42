// What becomes of a job that has no result, because what ran it failed.
#pragma once

#include <cstdint>
#include <string>

#include "devices/runner.h"

namespace foldproof {

/// The last launch of a job at or before a step; jobs have one at least.
const JobLaunch& launch_before(const Job& job, std::size_t step = ~std::size_t{0});

/// A result that is not completed, with one finding at the place of that launch.
JobResult failed_job(const Job& job, Kind kind, std::string message, std::size_t step = ~std::size_t{0});

/// What there is to say of a byte outside of a buffer that changed, counted from the buffer's start.
std::string stray_write_sentence(const JobBuffer& buffer, std::int64_t at);

}  // namespace foldproof
