// .file, .loc and .section: the CUDA source line of each statement (PTX ISA 9.0, section 11.5).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ptx/ast.h"
#include "ptx/parser/cursor.h"

namespace foldproof::ptx {

class LineTable {
 public:
  LineTable() : locs_(1) {}

  /// Each parses one directive; the cursor is just after its name (`.file`, …).
  void parse_file(Cursor& cursor);
  void parse_loc(Cursor& cursor);
  /// Skips DWARF except .debug_str, which holds the names of inlined functions.
  void parse_section(Cursor& cursor);

  /// Index of the `.loc` in effect; 0 before the first one of a function.
  std::uint32_t current() const { return current_; }
  void begin_function() { current_ = 0; }

  /// Moves the table into `module`. Call it after the whole text is parsed: .section and .file are at its
  /// end.
  void finish(Module& module);

 private:
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< file, line, column
  /// `label+offset` in .debug_str.
  struct NameReference {
    std::uint32_t loc = 0;
    std::string_view label;
    std::uint64_t offset = 0;
  };

  static Place parse_place(Cursor& cursor);
  void parse_attribute(Cursor& cursor, Loc& loc);
  void parse_strings(Cursor& cursor);
  std::string_view string_at(const NameReference& reference) const;

  std::vector<Loc> locs_;
  std::uint32_t current_ = 0;
  std::map<Place, std::uint32_t> latest_;  ///< the last .loc of each source position
  std::map<std::uint32_t, std::string> files_;
  std::vector<NameReference> references_;
  std::string strings_;  ///< the bytes of .debug_str
  std::unordered_map<std::string_view, std::size_t> labels_;
};

}  // namespace foldproof::ptx
