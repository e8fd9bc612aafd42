// A source in C++, so that the project needs no CUDA compiler.
