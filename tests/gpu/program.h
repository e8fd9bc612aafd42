// Which program the tests of the GPU start as a worker.
#pragma once

#include <string>

/// FOLDPROOF_PROGRAM of the environment, else the one that was built beside the tests.
std::string gpu_tests_program();
