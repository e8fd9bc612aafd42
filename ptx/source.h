// PTX text together with its syntax tree, which is parsed when it is first asked for.
#pragma once

#include <memory>
#include <string>

#include "ptx/ast.h"

namespace foldproof::ptx {

/// Copies share the text and the tree. Safe to use from several threads.
class Source {
 public:
  /// `name` is what errors call the text.
  explicit Source(std::string name = "", std::string text = "");

  const std::string& name() const;
  const std::string& text() const;

  /// Parses at the first call; the tree lives as long as any copy. Throws InputError like parse(), at every
  /// call.
  const Module& module() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace foldproof::ptx
