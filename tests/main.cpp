// The main program of every test executable that does not have its own.
#include "session.h"

int main(int argc, char** argv) { return foldproof::tests::run_test_cases(argc, argv); }
