#include "contracts/cuda_tokens.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace foldproof {
namespace {

/// The index after the next `end` from `at` on; the end of the source if there is none.
std::size_t skip_past(std::string_view source, std::size_t at, std::string_view end) {
  const std::size_t found = source.find(end, std::min(at, source.size()));
  return found == std::string_view::npos ? source.size() : found + end.size();
}

/// The index after the literal that begins with the quote at `begin`, or earlier where its line ends.
std::size_t end_of_literal(std::string_view source, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < source.size() && source[end] != source[begin] && source[end] != '\n')
    end += source[end] == '\\' ? 2 : 1;
  return std::min(end + 1, source.size());
}

/// The index after the raw string whose quote is at `begin`, as in R"end( … )end".
std::size_t end_of_raw_string(std::string_view source, std::size_t begin) {
  const std::size_t open = std::min(source.find('(', begin), source.size());
  const std::string_view delimiter = source.substr(begin + 1, open - std::min(open, begin + 1));
  return skip_past(source, open, ")" + std::string(delimiter) + "\"");
}

}  // namespace

std::size_t end_of_line(std::string_view source, std::size_t at) {
  for (;;) {
    const std::size_t end = source.find_first_of("\r\n", at);
    if (end == std::string_view::npos) return source.size();
    at = end + (source.substr(end).starts_with("\r\n") ? 2 : 1);
    if (end == 0 || source[end - 1] != '\\') return at;
  }
}

std::vector<std::string_view> tokens_of(std::string_view source) {
  std::vector<std::string_view> tokens;
  for (std::size_t i = 0; i < source.size();) {
    const char c = source[i];
    if (source.substr(i).starts_with("//") || c == '#') {
      i = end_of_line(source, i);
    } else if (source.substr(i).starts_with("/*")) {
      i = skip_past(source, i + 2, "*/");
    } else if (c == '"' || c == '\'') {
      const bool is_raw = c == '"' && i > 0 && source[i - 1] == 'R';
      const std::size_t end = is_raw ? end_of_raw_string(source, i) : end_of_literal(source, i);
      tokens.push_back(source.substr(i, end - i));
      i = end;
    } else if (is_word(c)) {
      const auto separates_digits = [&](std::size_t at) {  // as in 1'000
        return source[at] == '\'' && is_digit(c) && at + 1 < source.size() && is_word(source[at + 1]);
      };
      std::size_t end = i;
      while (end < source.size() && (is_word(source[end]) || separates_digits(end))) ++end;
      tokens.push_back(source.substr(i, end - i));
      i = end;
    } else {
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') tokens.push_back(source.substr(i, 1));
      ++i;
    }
  }
  return tokens;
}

}  // namespace foldproof
