// Programs that call host functions on a GPU, for what is no kernel: libraries that launch their own.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "devices/runner.h"

namespace foldproof {

/// The C++ behind a source that makes a host program of it: `main`, and a table of the entries, which stand
/// in files of the generated name `place` and their number.
std::string host_program_code(const std::vector<std::string>& entries, const std::string& place);

/// Runs jobs in the program of their image, in a process of its own: what crashes it, or takes longer than
/// `limit`, is a finding. Schedules and what a job asks to be traced mean nothing there.
std::unique_ptr<Runner> make_host_runner(std::chrono::milliseconds limit = std::chrono::minutes(1));

}  // namespace foldproof
