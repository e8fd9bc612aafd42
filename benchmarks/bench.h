// Shared by the benchmarks of `foldproof-lab bench`. Each prints its result and returns the exit status.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/verbs.h"

namespace foldproof {

int bench_emulated(unsigned runs, const Console& console);
int bench_oracles(unsigned runs, const Console& console);
int bench_races(unsigned runs, const Console& console);
/// `measured`: a file with the JSON of an earlier run, to be shown again; empty: measures. Throws Unsupported
/// without a GPU.
int bench_kernels(unsigned runs, const std::string& measured, const Console& console);
/// Throws Unsupported without a GPU.
int bench_exact(unsigned runs, const Console& console);
/// For the contracts below a path, otherwise for all bundled ones. Throws Unsupported without a GPU.
int bench_gpu(const std::string& path, const Console& console);

/// Processor time of this thread, in seconds; other programs do not count.
double thread_seconds();

/// Of at least one value; the upper one of two middle values.
double median(std::vector<double> values);

}  // namespace foldproof
