// --as and --map: the reference contract of a kernel.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "command/console.h"
#include "contracts/reference.h"

namespace foldproof {

struct ReferenceOptions {
  std::string as, map;

  void attach(CLI::App& app);
  /// Whether the user asks which reference contracts there are.
  bool asks_for_list() const { return as == "list"; }
  /// Nothing without --as. Throws InputError.
  std::optional<Reference> reference() const;
};

/// Prints all reference contracts.
int list_references(const Console& console);

}  // namespace foldproof
