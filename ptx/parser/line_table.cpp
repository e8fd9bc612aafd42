#include "ptx/parser/line_table.h"

#include <fmt/format.h>

#include "ptx/parser/grammar.h"
#include "ptx/parser/limits.h"

namespace foldproof::ptx {

// .file 1 "path" {, timestamp, size}
void LineTable::parse_file(Cursor& cursor) {
  const std::uint32_t number = parse_count32(cursor, "the number of a file");
  files_[number] = cursor.expect(Token::Kind::string, "the path of the file in quotes").text;
  cursor.count_nodes();
  while (cursor.accept_symbol(",")) parse_count(cursor, ~std::uint64_t{0}, "the time or size of a file");
}

LineTable::Place LineTable::parse_place(Cursor& cursor) {
  const std::uint32_t file = parse_count32(cursor, "the file of a .loc");
  const std::uint32_t line = parse_count32(cursor, "the line of a .loc");
  return {file, line, parse_count32(cursor, "the column of a .loc")};
}

// .loc file line column {, function_name label{+offset}} {, inlined_at file line column}
void LineTable::parse_loc(Cursor& cursor) {
  const Place place = parse_place(cursor);
  Loc loc;
  std::tie(loc.file, loc.line, loc.column) = place;
  cursor.count_nodes();
  current_ = static_cast<std::uint32_t>(locs_.size());
  while (cursor.accept_symbol(",")) parse_attribute(cursor, loc);
  locs_.push_back(std::move(loc));
  latest_[place] = current_;
}

void LineTable::parse_attribute(Cursor& cursor, Loc& loc) {
  if (cursor.at_name("inlined_at")) {
    cursor.take();
    // The compiler emits the call site's own .loc first; without it, the chain ends here.
    const auto site = latest_.find(parse_place(cursor));
    loc.inlined_at = site == latest_.end() ? 0 : site->second;
    return;
  }
  if (!cursor.at_name("function_name")) cursor.fail_expected("'function_name' or 'inlined_at'");
  cursor.take();
  if (!cursor.at(Token::Kind::name) && !cursor.at(Token::Kind::dotted))
    cursor.fail_expected("the label of the function's name in .debug_str");
  NameReference reference{current_, cursor.take().text};
  if (cursor.accept_symbol("+"))
    reference.offset = parse_count(cursor, limits::text_bytes, "the offset into .debug_str");
  references_.push_back(reference);
}

// .section name { label: .b8 1, 2 … }
void LineTable::parse_section(Cursor& cursor) {
  const Token name = cursor.peek();
  if (!cursor.at(Token::Kind::dotted) && !cursor.at(Token::Kind::name))
    cursor.fail_expected("the name of the section");
  cursor.take();
  cursor.expect_symbol("{", fmt::format("to open the section {}", quoted(name)));
  if (name.text == "debug_str") parse_strings(cursor);
  while (!cursor.at_symbol("}")) {
    if (cursor.at_end()) cursor.fail_expected(fmt::format("'}}' to close the section {}", quoted(name)));
    cursor.take();
  }
  cursor.take();
}

void LineTable::parse_strings(Cursor& cursor) {
  labels_.emplace("debug_str", strings_.size());
  while (!cursor.at_symbol("}")) {
    if (cursor.accept_dotted("b8")) {
      do strings_ += static_cast<char>(parse_count(cursor, 255, "a byte of .debug_str"));
      while (cursor.accept_symbol(","));
      continue;
    }
    const Token label = cursor.expect(Token::Kind::name, "a label, '.b8' or '}' in .debug_str");
    cursor.expect_symbol(":", "after the label");
    cursor.count_nodes();
    labels_.emplace(label.text, strings_.size());
  }
}

std::string_view LineTable::string_at(const NameReference& reference) const {
  const auto label = labels_.find(reference.label);
  if (label == labels_.end() || label->second + reference.offset >= strings_.size()) return {};
  const std::string_view rest = std::string_view(strings_).substr(label->second + reference.offset);
  return rest.substr(0, rest.find('\0'));
}

void LineTable::finish(Module& module) {
  std::size_t copied = 0;
  for (const NameReference& reference : references_) {
    const std::string_view name = string_at(reference);
    copied += name.size();
    if (copied > limits::function_name_bytes) break;
    locs_[reference.loc].function = name;
  }
  module.locs = std::move(locs_);
  module.files = std::move(files_);
}

}  // namespace foldproof::ptx
