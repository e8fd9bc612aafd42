#include "sanitizer/compute_sanitizer/document.h"

#include <fmt/format.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <optional>
#include <sstream>

#include "base/error.h"

namespace foldproof::compute_sanitizer {
namespace {

namespace property_tree = boost::property_tree;

constexpr std::string_view root_open = "<ComputeSanitizerOutput>";
constexpr std::string_view root_close = "</ComputeSanitizerOutput>";
constexpr std::string_view root_empty = "<ComputeSanitizerOutput/>";
constexpr std::string_view record_open = "<record>";
constexpr std::string_view record_close = "</record>";

// The parser recurses once per level. Records of version 2025 have five levels.
constexpr int deepest = 64;

void skip_space(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
}

bool take(std::string_view& rest, std::string_view expected) {
  if (!rest.starts_with(expected)) return false;
  rest.remove_prefix(expected.size());
  return true;
}

void skip_declaration(std::string_view& rest) {
  take(rest, "\xEF\xBB\xBF");
  skip_space(rest);
  if (!rest.starts_with("<?xml ")) return;
  const std::size_t end = rest.find("?>");
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
  skip_space(rest);
}

[[noreturn]] void cut_short(std::size_t records) {
  throw InputError(
      fmt::format("compute-sanitizer's output is truncated after {} complete records; the disk may be full, "
                  "or the tool was stopped",
                  records));
}

void check_end(std::string_view rest) {
  skip_space(rest);
  if (!rest.empty())
    throw InputError("compute-sanitizer's output continues after its end; two runs may share the file");
}

// The tool's output does not contain comments, entity declarations and the like.
void check_shape(std::string_view record, std::size_t number) {
  int depth = 0;
  for (std::size_t at = record.find('<'); at != std::string_view::npos; at = record.find('<', at + 1)) {
    const char next = at + 1 < record.size() ? record[at + 1] : '\0';
    if (next == '!' || next == '?')
      throw InputError(
          fmt::format("record {} of compute-sanitizer's output contains an unexpected <{}", number, next));
    const std::size_t end = record.find('>', at);
    const bool is_whole = end != std::string_view::npos && record[end - 1] == '/';
    if (next == '/')
      --depth;
    else if (!is_whole)
      ++depth;
    if (depth > deepest)
      throw InputError(fmt::format(
          "record {} of compute-sanitizer's output is nested more deeply than any known record", number));
  }
}

property_tree::ptree parsed(std::string_view record, std::size_t number) {
  check_shape(record, number);
  std::istringstream stream{std::string(record)};
  property_tree::ptree tree;
  try {
    property_tree::read_xml(stream, tree, property_tree::xml_parser::trim_whitespace);
  } catch (const property_tree::xml_parser_error& error) {
    throw InputError(fmt::format("record {} of compute-sanitizer's output is not valid XML: {}", number,
                                 printable(error.message())));
  }
  return tree.get_child("record");
}

}  // namespace

void each_record(std::string_view xml,
                 const std::function<void(const property_tree::ptree&, std::size_t)>& visit) {
  std::string_view rest = xml;
  skip_declaration(rest);
  if (rest.empty()) cut_short(0);
  if (take(rest, root_empty)) return check_end(rest);
  if (!take(rest, root_open))
    throw InputError(
        "compute-sanitizer's output does not begin with <ComputeSanitizerOutput>; it was not written by "
        "one of its tools, or comes from an unknown version");
  for (std::size_t number = 1;; ++number) {
    skip_space(rest);
    if (take(rest, root_close)) return check_end(rest);
    if (!rest.starts_with(record_open)) {
      if (root_close.starts_with(rest) || record_open.starts_with(rest)) cut_short(number - 1);
      throw InputError(
          fmt::format("compute-sanitizer's output contains \"{}\" instead of record {}; this version may "
                      "write another format",
                      printable(std::string(rest.substr(0, 20))), number));
    }
    const std::size_t end = rest.find(record_close);
    if (end == std::string_view::npos) cut_short(number - 1);
    visit(parsed(rest.substr(0, end + record_close.size()), number), number);
    rest.remove_prefix(end + record_close.size());
  }
}

std::string printable(std::string text) {
  for (char& c : text)
    if (const auto code = static_cast<unsigned char>(c); code < 0x20 || code == 0x7F) c = '?';
  return text;
}

}  // namespace foldproof::compute_sanitizer
