#include "contracts/markers.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"
#include "sanitizer/finding.h"

namespace foldproof {
namespace {

constexpr std::string_view announces = "// finding:";
constexpr std::string_view separators = " \t\r,", blanks = " \t\r";

bool is_blank_or_comment(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  return begin == std::string_view::npos || line.substr(begin).starts_with("//");
}

/// The findings of one marker, without positions.
std::vector<Announced> announced_in(std::string_view list, const Position& where) {
  std::vector<Announced> found;
  std::size_t begin = list.find_first_not_of(separators);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    std::string_view name = list.substr(begin, end - begin);
    const bool is_optional = name.ends_with('?');
    if (is_optional) name.remove_suffix(1);
    const auto kind = kind_named(name);
    if (!kind)
      throw InputError(fmt::format("a marker announces an unknown kind of finding \"{}\"{}", name,
                                   suggestion(name, kind_names())),
                       where);
    found.push_back({*kind, {}, is_optional});
    begin = list.find_first_not_of(separators, end);
  }
  if (found.empty()) throw InputError("a marker \"// finding:\" names no kind of finding", where);
  return found;
}

/// Whether it is one such as 2027-01-31.
bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto year = integer_in<unsigned>(text.substr(0, 4)), month = integer_in<unsigned>(text.substr(5, 2)),
             day = integer_in<unsigned>(text.substr(8));
  return year && month && day &&
         std::chrono::year_month_day(std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                     std::chrono::day(*day))
             .ok();
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
}

std::string_view take_word(std::string_view& text) {
  skip_blanks(text);
  const std::size_t end = std::min(text.find_first_of(" \t\r:"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

/// The suppression of one marker, without a place. `text`: after "foldproof:".
Allow allowed_in(std::string_view text, const Position& where) {
  const std::string_view verb = take_word(text), kind = take_word(text), until = take_word(text),
                         date = take_word(text);
  skip_blanks(text);
  const bool has_colon = text.starts_with(':');
  if (has_colon) text.remove_prefix(1);
  skip_blanks(text);
  if (verb != "allow" || until != "until" || !is_date(date) || !has_colon || text.empty())
    throw InputError(
        "this must be \"// foldproof: allow KIND until DATE: REASON\", with a date such as 2027-01-31",
        where);
  const auto known = kind_named(kind);
  if (!known)
    throw InputError(fmt::format("unknown kind of finding \"{}\"{}", kind, suggestion(kind, kind_names())),
                     where);
  return {*known, "", std::string(text.substr(0, text.find_last_not_of(blanks) + 1)), std::string(date),
          where};
}

/// The index of the comment that begins with "foldproof:", with any blanks; its end otherwise.
std::size_t comment_to_foldproof(std::string_view line) {
  for (const std::string_view name : {"foldproof:", "Foldproof:"}) {
    const std::size_t at = std::min(line.find(name), line.size()),
                      before = line.substr(0, at).find_last_not_of(blanks);
    if (at < line.size() && before != std::string_view::npos && line.substr(0, before + 1).ends_with("//"))
      return before - 1;
  }
  return line.size();
}

/// The markers of one line, without places.
Markers markers_of(std::string_view line, Position where) {
  Markers markers;
  if (const std::size_t at = line.find(announces); at != std::string_view::npos) {
    where.column = static_cast<unsigned>(at + 1);
    markers.announced = announced_in(line.substr(at + announces.size()), where);
  }
  if (const std::size_t at = comment_to_foldproof(line); at < line.size()) {
    where.column = static_cast<unsigned>(at + 1);
    markers.allowed.push_back(allowed_in(line.substr(line.find(':', at) + 1), where));
  }
  return markers;
}

}  // namespace

Markers markers_in(std::string_view source, const std::filesystem::path& file) {
  Markers found, waiting;  // waiting: alone in their lines, for the next line with code
  Position line_start{file.string(), 0, 0};
  const auto place = [&](Markers& markers) {
    for (Announced& announced : markers.announced) announced.at = line_start;
    for (Allow& allow : markers.allowed)
      allow.at = fmt::format("{}:{}", file.filename().string(), line_start.line);
    std::ranges::move(std::exchange(markers.announced, {}), std::back_inserter(found.announced));
    std::ranges::move(std::exchange(markers.allowed, {}), std::back_inserter(found.allowed));
  };
  while (!source.empty()) {
    const std::string_view line = take_line(source);
    ++line_start.line;
    Markers markers = markers_of(line, line_start);
    if (is_blank_or_comment(line)) {
      std::ranges::move(markers.announced, std::back_inserter(waiting.announced));
      std::ranges::move(markers.allowed, std::back_inserter(waiting.allowed));
    } else {
      place(waiting);
      place(markers);
    }
  }
  place(waiting);
  return found;
}

}  // namespace foldproof
