// PTX text together with its syntax tree, which is parsed on first use.
#pragma once

#include <memory>
#include <string>

#include "ptx/ast.h"

namespace foldproof::ptx {

/// Copies share the text and the tree. Thread-safe.
class Source {
 public:
  /// `name` identifies the text in errors.
  explicit Source(std::string name = "", std::string text = "");

  const std::string& name() const;
  const std::string& text() const;

  /// Parses on the first call; the tree lives as long as any copy. Throws InputError like parse(), on every
  /// call.
  const Module& module() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace foldproof::ptx
