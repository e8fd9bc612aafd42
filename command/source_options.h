// The options for compiling CUDA sources to PTX, shared by every verb that compiles.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "contracts/compile.h"

namespace foldproof {

class SourceOptions {
 public:
  /// Declares -I, -D, --std, --arch, --nvcc, --compile-commands, --project and --trust.
  void attach(CLI::App& app);
  /// With the defaults of the project file. Throws InputError if a value contains a character that the shell
  /// of nvcc could interpret; --nvcc accepts all.
  CompileOptions compile_options() const;
  /// What -I, -D and --std say, as flags for nvcc with absolute folders. Throws InputError like
  /// compile_options().
  std::vector<std::string> contract_flags() const;
  /// --nvcc and --compile-commands as given, which a contract cannot have, with a leading blank.
  std::string further_words() const;
  /// All of them except --trust, as words of a command with a leading blank; folders of -I are absolute.
  /// Throws InputError like compile_options().
  std::string words() const;
  /// The same without --project.
  std::string words_besides_project() const;
  /// The project file; empty if there is none.
  std::string project() const { return project_ == "none" ? "" : project_; }
  Trust trust() const { return trusts_ ? Trust::full : Trust::limited; }

 private:
  std::vector<std::string> includes_, defines_;
  std::string standard_, arch_, nvcc_, compile_commands_, project_;
  bool trusts_ = false;
};

}  // namespace foldproof
