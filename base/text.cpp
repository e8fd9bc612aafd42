#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <sstream>

#include "base/printable.h"

namespace foldproof {

namespace {

/// Levenshtein distance: the number of letters to insert, delete or replace.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> costs(b.size() + 1);
  std::iota(costs.begin(), costs.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = costs[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = costs[j + 1];
      costs[j + 1] = std::min({replaced, costs[j] + 1, costs[j + 1] + 1});
    }
  }
  return costs.back();
}

}  // namespace

std::vector<std::string_view> split_list(std::string_view list, std::string_view opening,
                                         std::string_view closing) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || (list[i] == ',' && depth == 0)) {
      parts.push_back(list.substr(begin, i - begin));
      begin = i + 1;
    } else if (opening.find(list[i]) != std::string_view::npos) {
      ++depth;
    } else if (closing.find(list[i]) != std::string_view::npos) {
      --depth;
    }
  }
  return parts;
}

std::vector<std::string> split_command(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // a word has begun, even an empty quoted one
  char quote = '\0';
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < command.size();
    if (escapes) {
      word += command[++i];
      inside = true;
    } else if (quote != '\0' ? c == quote : c == '"' || c == '\'') {
      quote = quote == '\0' ? c : '\0';
      inside = true;
    } else if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return is_word(c) || std::string_view("/.-+=,@:%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') result += '\\';
    if (code < 0x20 || code == 0x7f)
      result += fmt::format("\\u{:04x}", code);
    else
      result += c;
  }
  return toml_escaped(result) + '"';
}

std::string wrap(const std::string& text, std::size_t used, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
  std::string out, word;
  std::size_t column = used;
  bool first = true;
  while (words >> word) {
    if (!first && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += " ";
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
  }
  return out;
}

std::string correction(std::string_view wrong, const std::vector<std::string>& known) {
  constexpr std::size_t longest_word = 64;  // longer, possibly hostile words are not compared
  std::vector<std::string> near;
  for (const std::string& word : known)
    if (wrong.size() <= longest_word && distance(wrong, word) <= std::max<std::size_t>(1, word.size() / 3))
      near.push_back(fmt::format("\"{}\"", word));
  return near.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(near, " or "));
}

std::string suggestion(std::string_view wrong, const std::vector<std::string>& known) {
  std::string text = correction(wrong, known);
  if (text.empty() && !known.empty()) text = fmt::format(" (known: {})", fmt::join(known, ", "));
  return text;
}

}  // namespace foldproof
