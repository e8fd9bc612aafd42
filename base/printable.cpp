#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace foldproof {
namespace {

/// The first character of a text; without a code point, one byte that is not UTF-8.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool is_utf8 = false;
};

constexpr bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  char32_t code = lead & (0x7fU >> bytes);
  for (const char c : text.substr(1, bytes - 1)) {
    if (!continues(c)) return {};
    code = (code << 6) | (static_cast<unsigned char>(c) & 0x3fU);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < smallest[bytes] || code > 0x10ffff || is_surrogate) return {};
  return {code, bytes, true};
}

constexpr bool is_between(char32_t code, char32_t first, char32_t last) {
  return code >= first && code <= last;
}

/// Control characters (C0, C1, line and paragraph separators), marks that change the direction of text,
/// characters without width that hide text in other text, and the last two code points of each plane; XML
/// forbids U+FFFE and U+FFFF.
constexpr bool is_escaped(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  // The default-ignorable code points of Unicode 15 (DerivedCoreProperties.txt), and others without a glyph.
  constexpr Range invisible[] = {{0x7f, 0x9f},       {0xad, 0xad},      {0x34f, 0x34f},   {0x61c, 0x61c},
                                 {0x115f, 0x1160},   {0x17b4, 0x17b5},  {0x180b, 0x180f}, {0x200b, 0x200f},
                                 {0x2028, 0x202e},   {0x2060, 0x206f},  {0x3164, 0x3164}, {0xfe00, 0xfe0f},
                                 {0xfeff, 0xfeff},   {0xffa0, 0xffa0},  {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3},
                                 {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};
  return code < 0x20 || (code & 0xfffe) == 0xfffe || std::ranges::any_of(invisible, [&](const Range& range) {
           return is_between(code, range.first, range.last);
         });
}

std::string unicode_escape(char32_t code) {
  return code < 0x10000 ? fmt::format("\\u{:04x}", static_cast<unsigned>(code))
                        : fmt::format("\\U{:08x}", static_cast<unsigned>(code));
}

/// The text with escapes; `is_kept` selects the control characters that remain.
template <class IsKept>
std::string escaped(std::string_view text, IsKept is_kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_of(text);
    if (!c.is_utf8 || (c.code < 0x80 && is_escaped(c.code) && !is_kept(text.front())))
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else if (c.code >= 0x80 && is_escaped(c.code))
      out += unicode_escape(c.code);
    else
      out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return out;
}

bool is_layout(char c) { return c == '\n' || c == '\t'; }

/// Replaces the < of the tags that ctest interprets: it would attach any file to its results.
std::string without_ctest_tags(std::string text, std::string_view escape) {
  for (const std::string_view tag : {"<CTest", "<DartMeasurement"})
    for (std::size_t at = text.find(tag); at != std::string::npos; at = text.find(tag, at + 1))
      text.replace(at, 1, escape);
  return text;
}

/// Replaces the second # of each "##" that only letters separate from a "[".
std::string without_bracket_commands(std::string text, std::string_view escape) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (std::size_t at = text.find("##"); at != std::string::npos; at = text.find("##", at + 1)) {
    const std::size_t end = text.find_first_not_of(letters, at + 2);
    if (end != std::string::npos && text[end] == '[') text.replace(at + 1, 1, escape);
  }
  return text;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string line = escaped(text, is_layout);
  std::ranges::replace_if(line, is_layout, ' ');
  return line;
}

std::string printable_lines(std::string_view text) { return escaped(text, is_layout); }

std::string without_commands(std::string text) {
  constexpr std::string_view colons = "::";
  // A command may follow any white space of Unicode.
  const auto is_visible_or_end = [](char c) { return c == '\n' || (c > ' ' && c <= '~'); };
  for (std::size_t line = 0; line < text.size(); ++line) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(line);
    const auto first =
        static_cast<std::size_t>(std::find_if(begin, text.end(), is_visible_or_end) - text.begin());
    if (text.compare(first, colons.size(), colons) == 0) text.replace(first, 1, "\\x3a");
    line = std::min(text.find('\n', first), text.size());
  }
  return without_bracket_commands(without_ctest_tags(std::move(text), "\\x3c"), "\\x23");
}

std::string json_without_commands(std::string json) {
  return without_bracket_commands(without_ctest_tags(std::move(json), "\\u003c"), "\\u0023");
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  return out;
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view markup = "\\`*_[]<>|&~";
  const std::string line = printable(text);
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    // An underscore inside a word marks nothing.
    const bool is_inside = line[i] == '_' && i > 0 && i + 1 < line.size() && is_word(line[i - 1]) &&
                           is_word(line[i + 1]) && line[i - 1] != '_' && line[i + 1] != '_';
    if (!is_inside && markup.find(line[i]) != std::string_view::npos) out += '\\';
    out += line[i];
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  const std::string line = printable(text);
  std::string fence = "`";
  while (line.find(fence) != std::string::npos) fence += '`';
  std::string out = fence;
  if (fence.size() > 1) out += ' ';  // the text may begin or end with the character of the fence
  for (const char c : line) {
    if (c == '|') out += '\\';  // it would end the cell, even here
    out += c;
  }
  if (fence.size() > 1) out += ' ';
  return out + fence;
}

std::string toml_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_of(text);
    if (c.code >= 0x80 && is_escaped(c.code))
      out += unicode_escape(c.code);
    else
      out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character c = first_of(text);
    if (!c.is_utf8) return false;
    text.remove_prefix(c.bytes);
  }
  return true;
}

std::string markdown_target(std::string_view path) {
  std::string out;
  for (const char c : path)
    out += is_word(c) || std::string_view("/.-+").find(c) != std::string_view::npos
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

std::string shortened(std::string text) {
  if (text.size() <= longest_sentence) return text;
  constexpr std::size_t note = 60;
  std::size_t kept = longest_sentence - note;
  for (int i = 0; i < 3 && continues(text[kept]); ++i) --kept;
  const std::string end = fmt::format("… (truncated to the first {} of {} bytes)", kept, text.size());
  text.resize(kept);
  return text + end;
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::string first_columns(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  while (end < text.size() && (columns > 0 || continues(text[end])))
    columns -= continues(text[end++]) ? 0 : 1;
  return std::string(text.substr(0, end));
}

}  // namespace foldproof
