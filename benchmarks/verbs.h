// The verbs of foldproof-lab, each in a source of the same name.
#pragma once

#include "command/program.h"

namespace foldproof {

Run attach_all_reduce(CLI::App& app, Console& console);
Run attach_compare(CLI::App& app, Console& console);
Run attach_claims(CLI::App& app, Console& console);
Run attach_detection(CLI::App& app, Console& console);
Run attach_fingerprint(CLI::App& app, Console& console);
Run attach_instructions(CLI::App& app, Console& console);
Run attach_kernels(CLI::App& app, Console& console);
Run attach_bench(CLI::App& app, Console& console);

}  // namespace foldproof
