// The program that the GPU tests start as a worker.
#pragma once

#include <string>

/// FOLDPROOF_PROGRAM from the environment, otherwise the program built with the tests.
std::string gpu_tests_program();
