#include "contracts/guessing/structs.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "contracts/guessing/guesses.h"
#include "contracts/signature.h"

namespace foldproof {
namespace {

class StructBody {
 public:
  StructBody(const SourceText& source, std::size_t open) : source_(source), open_(open) {}

  /// Nothing if some member is not a number.
  std::optional<std::vector<StructMember>> members() {
    for (std::size_t at = open_ + 1, end = source_.closing(open_); at < end;) {
      const bool is_label =
          is_any_of(source_.token(at), {"public", "private", "protected"}) && source_.token(at + 1) == ":";
      if (is_label || source_.token(at) == ";") {
        at += is_label ? 2 : 1;
        continue;
      }
      // The object has more than its members, or a declaration is not understood.
      if (is_any_of(source_.token(at), {"virtual", "alignas", "__align__", "__attribute__", "decltype"}))
        return std::nullopt;
      const TokenRange statement{at, end_of_statement(at, end)};
      at = statement.end;
      if (points_to_function_) return std::nullopt;
      const bool has_no_storage = is_any_of(
          source_.token(statement.begin), {"static", "using", "typedef", "friend", "template", "constexpr"});
      if (!is_function_ && !has_no_storage && !add(statement)) return std::nullopt;
    }
    return std::move(members_);
  }

 private:
  /// The index after it. Sets whether it declares or defines a function.
  std::size_t end_of_statement(std::size_t at, std::size_t end) {
    is_function_ = false;
    bool has_value = false;
    while (at < end && source_.token(at) != ";") {
      const bool is_body = is_function_ && source_.token(at) == "{";
      has_value |= source_.token(at) == "=";
      is_function_ |= source_.token(at) == "(" && !has_value;
      points_to_function_ |= source_.token(at) == "(" && source_.token(at + 1) == "*";
      at = source_.after(at);
      if (is_body) return at;
    }
    return std::min(at + 1, end);
  }

  /// "int rows, columns = 1;"
  bool add(TokenRange statement) {
    std::string type;
    std::size_t at = statement.begin;
    const auto is_last_word = [&](std::size_t i) { return is_any_of(source_.token(i + 1), {",", ";", "="}); };
    for (; at < statement.end && !is_last_word(at); ++at) {
      const std::string_view word = source_.token(at);
      if (!is_name(word) || is_any_of(word, {"struct", "class", "union", "enum"}))
        return false;  // a pointer, an array, …
      if (!is_any_of(word, {"const", "volatile", "mutable"}))
        type += (type.empty() ? "" : " ") + std::string(word);
    }
    const std::string number = number_type(type);
    if (number.empty()) return false;
    for (; at < statement.end && source_.token(at) != ";"; ++at) {
      if (!is_name(source_.token(at))) return false;
      members_.push_back({number, std::string(source_.token(at))});
      ++at;
      if (source_.token(at) == "=")
        while (at < statement.end && !is_any_of(source_.token(at), {",", ";"})) at = source_.after(at);
      if (!is_any_of(source_.token(at), {",", ";"})) return false;
      if (source_.token(at) == ";") break;
    }
    return true;
  }

  /// What the type is, if it is a number or a typedef of one; otherwise an empty text.
  std::string number_type(std::string type) const {
    constexpr int longest_chain = 4;
    for (int i = 0; i < longest_chain; ++i) {
      if (bytes_of_type(type) != 0) return type;
      type = aliased(type);
    }
    return "";
  }

  /// The type in "typedef TYPE NAME;" or "using NAME = TYPE;"; empty if there is none, or if it is not made
  /// of words.
  std::string aliased(const std::string& name) const {
    for (const std::size_t at : source_.places_of(name)) {
      if (source_.token(at + 1) == ";") {
        std::size_t begin = at;
        while (begin > 0 && is_name(source_.token(begin - 1)) && source_.token(begin) != "typedef") --begin;
        if (source_.token(begin) == "typedef") return words({begin + 1, at});
      }
      if (at > 0 && source_.token(at - 1) == "using" && source_.token(at + 1) == "=") {
        std::size_t end = at + 2;
        while (is_name(source_.token(end))) ++end;
        if (source_.token(end) == ";") return words({at + 2, end});
      }
    }
    return "";
  }

  std::string words(TokenRange range) const {
    std::string all;
    for (std::size_t i = range.begin; i < range.end; ++i)
      all += (all.empty() ? "" : " ") + std::string(source_.token(i));
    return all;
  }

  const SourceText& source_;
  std::size_t open_;
  bool is_function_ = false, points_to_function_ = false;
  std::vector<StructMember> members_;
};

/// The brace that opens the definition whose name is there: "struct NAME {" or "typedef struct … {…} NAME;".
std::optional<std::size_t> opening_brace(const SourceText& source, std::size_t at) {
  if (at == 0) return std::nullopt;
  if (is_any_of(source.token(at - 1), {"struct", "class"}) && source.token(at + 1) == "{") return at + 1;
  if (source.token(at - 1) != "}" || source.token(at + 1) != ";") return std::nullopt;
  std::size_t open = at - 1;
  while (open > 0 && source.closing(open) != at - 1) --open;
  const bool has_tag = open > 1 && is_name(source.token(open - 1)) && source.token(open - 1) != "struct";
  const std::size_t keyword = open - (has_tag ? 2 : 1);
  return open > 1 && source.token(keyword) == "struct" && source.token(keyword - 1) == "typedef"
             ? std::optional(open)
             : std::nullopt;
}

}  // namespace

std::optional<std::vector<StructMember>> members_of_struct(const SourceText& source,
                                                           const std::string& name) {
  std::optional<std::size_t> found;
  for (const std::size_t at : source.places_of(unqualified(name))) {
    const auto open = opening_brace(source, at);
    if (!open) continue;
    if (found && *found != *open) return std::nullopt;
    found = open;
  }
  return found ? StructBody(source, *found).members() : std::nullopt;
}

}  // namespace foldproof
