// Text from outside (of kernels, contracts, file systems and other programs), made safe for each output
// format. Control characters, characters that change the direction of the text around them, and bytes that
// are not UTF-8 are shown as escapes: \x1b, \u202e, \xff.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace foldproof {

/// One line of text for a terminal or a file: each line break and tab becomes a space.
std::string printable(std::string_view text);

/// The same, but line breaks and tabs remain.
std::string printable_lines(std::string_view text);

/// Output for a log in which CI services look for commands: `::add-mask::…` at the beginning of a line, and
/// `##vso[…]` or `##[…]` anywhere. Both get an escape: \x3a or \x23, in JSON \u0023.
std::string without_commands(std::string text);
std::string json_without_commands(std::string json);

/// printable() as content or as an attribute of an XML element, without markup.
std::string xml_text(std::string_view text);

/// printable() in a Markdown paragraph or in a cell of a table, without markup.
std::string markdown_text(std::string_view text);

/// printable() as a code span, in a Markdown paragraph or in a cell of a table.
std::string markdown_code(std::string_view text);

/// The text with every character beyond ASCII that printable() escapes as \uXXXX or \UXXXXXXXX, the escapes
/// of a TOML string. ASCII is unchanged; toml_string() escapes it.
std::string toml_escaped(std::string_view text);

bool is_utf8(std::string_view text);

/// A path with `/` as the target of a Markdown link.
std::string markdown_target(std::string_view path);

/// The maximum length of a sentence, in bytes.
inline constexpr std::size_t longest_sentence = 2000;

/// A longer text ends, after at most `longest_sentence` bytes, in "…" and a note that it was cut.
std::string shortened(std::string text);

/// The width of UTF-8 text: one column per code point.
std::size_t columns_of(std::string_view text);

/// The first `columns` code points.
std::string first_columns(std::string_view text, std::size_t columns);

}  // namespace foldproof
