#include "hostile/mutation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <vector>

namespace foldproof::test {
namespace {

using Random = std::mt19937_64;

constexpr std::size_t largest_text = 1 << 20;

/// Numbers at which a program may count wrongly.
constexpr std::string_view numbers[] = {"0",
                                        "1",
                                        "-1",
                                        "2",
                                        "3",
                                        "31",
                                        "32",
                                        "33",
                                        "127",
                                        "255",
                                        "256",
                                        "1023",
                                        "1025",
                                        "65535",
                                        "65536",
                                        "2147483647",
                                        "2147483648",
                                        "4294967295",
                                        "4294967296",
                                        "9223372036854775807",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "99999999999999999999999",
                                        "0x7fffffff",
                                        "-9223372036854775808",
                                        "1e308",
                                        "0.5",
                                        "nan"};
/// Text at which a reader or a terminal may stumble.
constexpr std::string_view snippets[] = {"\x1b[31m",
                                         "\r",
                                         "\t",
                                         "\"",
                                         "'",
                                         "`",
                                         "\\",
                                         "$(touch evil)",
                                         ";",
                                         "|",
                                         "{",
                                         "}",
                                         "(",
                                         ")",
                                         "[",
                                         "]",
                                         "<",
                                         ">",
                                         "//",
                                         "/*",
                                         "*/",
                                         "#",
                                         "@",
                                         "%",
                                         "..",
                                         "=",
                                         ",",
                                         "\xff",
                                         "\xe2\x80\xae",
                                         "\xc3\xa9",
                                         "{{",
                                         "[[x]]",
                                         "x = 1\n"};

std::size_t below(Random& random, std::size_t bound) { return bound == 0 ? 0 : random() % bound; }

template <std::size_t n>
std::string_view any_of(const std::string_view (&all)[n], Random& random) {
  return all[below(random, n)];
}

struct Range {
  std::size_t begin, length;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%';
}

/// The token around a random place: a run of word characters, or one other character.
Range token(std::string_view text, Random& random) {
  if (text.empty()) return {0, 0};
  std::size_t begin = below(random, text.size()), end = begin + 1;
  if (!is_word(text[begin])) return {begin, 1};
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  while (end < text.size() && is_word(text[end])) ++end;
  return {begin, end - begin};
}

/// The line around a random place, with its end.
Range line(std::string_view text, Random& random) {
  if (text.empty()) return {0, 0};
  const std::size_t at = below(random, text.size());
  const std::size_t before = text.rfind('\n', at == 0 ? 0 : at - 1), after = text.find('\n', at);
  const std::size_t begin = before == std::string_view::npos || before >= at ? 0 : before + 1;
  return {begin, (after == std::string_view::npos ? text.size() : after + 1) - begin};
}

/// The number around a random place, or the next one.
Range number(std::string_view text, Random& random) {
  const std::size_t begin = text.find_first_of("0123456789", below(random, text.size()));
  if (begin == std::string_view::npos) return token(text, random);
  std::size_t end = begin;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
  return {begin, end - begin};
}

void replace(std::string& text, Range range, std::string_view by) {
  text.replace(range.begin, range.length, by);
}

void repeat(std::string& text, Range range, std::size_t times) {
  const std::string part = text.substr(range.begin, range.length);
  std::string many;
  for (std::size_t k = 0; k < times && many.size() + text.size() < largest_text; ++k) many += part;
  text.insert(range.begin, many);
}

using Change = void (*)(std::string& text, std::string_view other, Random& random);

constexpr Change changes[] = {
    [](std::string& t, std::string_view, Random& r) { replace(t, token(t, r), ""); },
    [](std::string& t, std::string_view, Random& r) { replace(t, token(t, r), any_of(numbers, r)); },
    [](std::string& t, std::string_view, Random& r) { replace(t, number(t, r), any_of(numbers, r)); },
    [](std::string& t, std::string_view, Random& r) { replace(t, number(t, r), any_of(numbers, r)); },
    [](std::string& t, std::string_view, Random& r) { replace(t, token(t, r), any_of(snippets, r)); },
    [](std::string& t, std::string_view, Random& r) {
      t.insert(below(r, t.size() + 1), any_of(snippets, r));
    },
    [](std::string& t, std::string_view other, Random& r) {
      const Range from = token(other, r);
      replace(t, token(t, r), other.substr(from.begin, from.length));
    },
    [](std::string& t, std::string_view other, Random& r) {
      const Range from = line(other, r);
      t.insert(line(t, r).begin, other.substr(from.begin, from.length));
    },
    [](std::string& t, std::string_view, Random& r) { replace(t, line(t, r), ""); },
    [](std::string& t, std::string_view, Random& r) { repeat(t, line(t, r), 1 + below(r, 3)); },
    [](std::string& t, std::string_view, Random& r) {
      repeat(t, token(t, r), std::size_t{1} << below(r, 17));
    },
    [](std::string& t, std::string_view, Random& r) {
      repeat(t, {below(r, t.size() + 1), 1}, std::size_t{1} << below(r, 17));
    },
    [](std::string& t, std::string_view, Random& r) {
      if (!t.empty()) t[below(r, t.size())] = static_cast<char>(r());
    },
    [](std::string& t, std::string_view, Random& r) { t.resize(below(r, t.size() + 1)); },
};

}  // namespace

std::string mutated(const std::string& text, std::string_view other, Random& random) {
  std::string result = text;
  for (std::size_t left = 1 + below(random, 4); left > 0 && result.size() < largest_text; --left)
    changes[below(random, std::size(changes))](result, other, random);
  return result;
}

}  // namespace foldproof::test
