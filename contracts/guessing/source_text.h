// The tokens of a source, and what surrounds them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

/// The tokens from `begin` up to, but not including, `end`.
struct TokenRange {
  std::size_t begin = 0, end = 0;
};

/// What is between the brackets of a launch.
struct LaunchText {
  TokenRange template_arguments;
  std::vector<TokenRange> configuration;
  /// Instead of a struct that is initialized by a list, "Dim{rows, columns}", the items of the list.
  std::vector<TokenRange> arguments;
  std::size_t end = 0;  ///< the index after it
};

/// 1 for a bracket that opens, -1 for one that closes.
int depth_change(std::string_view token);

/// The tokens of a launch or a definition that are looked at, so that the time is proportional to the length
/// of the source.
constexpr std::size_t longest_part = 256;

class SourceText {
 public:
  /// `source`: text from the preprocessor, which must outlive this.
  explicit SourceText(std::string_view source);

  std::size_t size() const { return tokens_.size(); }
  /// Empty after the end.
  std::string_view token(std::size_t at) const { return at < tokens_.size() ? tokens_[at] : ""; }
  /// Whether three such tokens follow each other, such as those of "<<<".
  bool are(std::size_t at, std::string_view three) const;
  /// How often "<<<" occurs.
  std::size_t launches() const { return launches_; }
  /// Where the word is.
  const std::vector<std::size_t>& places_of(std::string_view word) const;

  /// The index of the bracket that closes the one at that index; nothing if none opens there, or if it is not
  /// closed within a part.
  std::optional<std::size_t> end_of(std::size_t at) const;
  /// The same without a limit; if it is not closed, the end of the source.
  std::size_t closing(std::size_t at) const { return at < size() ? std::min(closing_[at], size()) : size(); }
  /// The index after the token, or after the brackets that it opens.
  std::size_t after(std::size_t at) const { return (depth_change(token(at)) > 0 ? closing(at) : at) + 1; }
  /// The brace that opens the scope of the token; nothing outside of all braces.
  std::optional<std::size_t> brace_around(std::size_t at) const;
  /// The index after the list of template arguments that begins there; the index itself if none does.
  std::size_t end_of_template_arguments(std::size_t at) const;
  /// The launch of a kernel whose name ends before that index, if one is there.
  std::optional<LaunchText> launch_at(std::size_t at) const;
  /// Whether a bracket opens at the beginning of the part and closes at its end.
  bool is_bracketed(TokenRange part) const;
  /// The items of a list.
  std::vector<TokenRange> items(TokenRange list) const;

  /// Whether a type precedes the word, so that it may be a parameter, a member or a variable without a value.
  bool is_declared(std::size_t at) const;
  /// Whether the type before the word may not hold the value.
  bool is_narrow(std::size_t at) const;
  /// What the word is initialized with, or assigned: "256" in "threads = 256", "(256)" in "dim3 block(256)".
  std::optional<TokenRange> definition_at(std::size_t at) const;
  /// Whether the word is the operand of an increment or a compound assignment, or a member of it is assigned.
  bool is_modified(std::size_t at) const;
  /// Whether the statement opened a parenthesis before the token: a parameter, or a loop's variable.
  bool is_in_parentheses(std::size_t at) const;

  /// The declaration to which the word refers if it is written there; nothing if no declaration is visible.
  std::optional<std::size_t> declaration_of(std::string_view word, std::size_t at) const;

 private:
  static constexpr std::size_t nowhere = std::string_view::npos;

  void find_scopes();
  /// The items of the list by which the argument is initialized; itself, if there is none.
  std::vector<TokenRange> members_of(TokenRange argument) const;
  /// What is between the braces of "{a, b}" or "ns::Dim{a, b}".
  std::optional<TokenRange> braced(TokenRange part) const;
  /// "dim3" for "grid" in "dim3 block(64), grid(8)"; empty unless the word follows others in a declaration.
  std::string_view list_type(std::size_t at) const;
  std::size_t scope_of_declaration(std::size_t at) const;
  bool encloses(std::size_t brace, std::size_t at) const;

  std::vector<std::string_view> tokens_;
  std::size_t launches_ = 0;
  std::vector<std::size_t> closing_;  ///< for each bracket that opens
  std::vector<std::size_t> braces_;   ///< for each token: the brace that opens its scope
  std::map<std::string_view, std::vector<std::size_t>> words_;
};

/// Whether it is the name of an arithmetic type, or true or false.
bool is_type(std::string_view word);

/// Whether it may be the name of something.
bool is_name(std::string_view token);

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words);

/// "256" for "256u".
std::string without_suffix(std::string_view token);

}  // namespace foldproof
