// What the benchmarks of `foldproof-lab bench` share. Each prints its result and returns the exit status.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/verbs.h"

namespace foldproof {

int bench_emulated(unsigned runs, const Console& console);
int bench_oracles(unsigned runs, const Console& console);
/// `measured`: a file that it printed as JSON before, to be shown again; empty: measures. Throws Unsupported
/// where there is no GPU.
int bench_kernels(unsigned runs, const std::string& measured, const Console& console);
/// Throws Unsupported where there is no GPU.
int bench_exact(unsigned runs, const Console& console);
/// Of the contracts below a path, or else of all that come along. Throws Unsupported where there is no GPU.
int bench_gpu(const std::string& path, const Console& console);

/// Processor time of this thread, in seconds: what other programs do meanwhile does not count.
double thread_seconds();

/// Of at least one value; the upper one of the two in the middle.
double median(std::vector<double> values);

}  // namespace foldproof
