// A program as a table of verbs, and the only place where errors become exit statuses.
#pragma once

#include <span>

#include "command/verb.h"

namespace foldproof {

struct Verb {
  const char* name;
  const char* synopsis;
  Attach attach;
  bool is_listed = true;  ///< shown by --help
};

struct Program {
  const char* name;
  const char* synopsis;
  std::span<const Verb> verbs;
};

/// Reads the arguments, runs the verb and returns the exit status.
int run(const Program& program, int argc, char** argv);

}  // namespace foldproof
