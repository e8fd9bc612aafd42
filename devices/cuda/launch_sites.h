// Functions that launch, all alike but for their place in the program: compute-sanitizer tells the host's
// stack of each launch, and so which one it was.
#pragma once

#include <cuda.h>

#include "sanitizer/compute_sanitizer/sites.h"

namespace foldproof::cuda {

constexpr unsigned launch_site_count = 1024;

/// cuLaunchKernelEx, called by the function of that number modulo launch_site_count.
CUresult launch_from(unsigned site, const CUlaunchConfig& config, CUfunction function, void** arguments);

/// Where those functions are in the file of this program.
compute_sanitizer::LaunchSites launch_sites();

}  // namespace foldproof::cuda
