// Programs that call host functions on a GPU: for libraries that launch their own kernels.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "devices/runner.h"

namespace foldproof {

/// The C++ code to append to a source to make a host program: `main`, and a table of the entries. Each entry
/// has a #line name of `place` and its number.
std::string host_program_code(const std::vector<std::string>& entries, const std::string& place);

/// Runs jobs in the program of their image, in a separate process: a crash, or exceeding `limit`, is reported
/// as a finding. Schedules and trace requests are ignored.
std::unique_ptr<Runner> make_host_runner(std::chrono::milliseconds limit = std::chrono::minutes(1));

}  // namespace foldproof
