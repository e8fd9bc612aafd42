#include "contracts/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <set>

#include "base/text.h"
#include "ptx/query.h"

namespace foldproof {
namespace {

/// The position of the parenthesis that is closed at the end of `text`; npos if there is none.
std::size_t opening_of_last(std::string_view text) {
  if (!text.ends_with(')')) return std::string_view::npos;
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// Where the name begins in "void ns::sum<float>": after the return type, which only templates have.
std::size_t name_in(std::string_view function) {
  int depth = 0;
  for (std::size_t i = function.size(); i-- > 0;) {
    if (function[i] == '>' || function[i] == ')') ++depth;
    if (function[i] == '<' || function[i] == '(') --depth;
    if (function[i] == ' ' && depth == 0) return i + 1;
  }
  return 0;
}

bool is_number(std::string_view word) { return is_digit(word[0]); }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == i) ++end;
    if (text[i] != ' ') words.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

/// The number of words, starting at `at`, of a cast before a literal, "(unsigned int)128", or of "(anonymous
/// namespace)::".
std::size_t decoration(const std::vector<std::string>& words, std::size_t at) {
  if (words[at] != "(") return 0;
  std::size_t close = at + 1;
  while (close < words.size() && words[close] != ")" && words[close] != "(") ++close;
  if (close + 1 >= words.size() || words[close] == "(") return 0;
  const bool anonymous = words[at + 1] == "anonymous" && close == at + 3 && close + 2 < words.size();
  if (anonymous) return 6;  // "(", "anonymous", "namespace", ")", ":", ":"
  const std::string& next = words[close + 1];
  const bool literal =
      is_number(next) || (next == "-" && close + 2 < words.size() && is_number(words[close + 2]));
  return literal ? close + 1 - at : 0;
}

/// lax: literals have neither suffixes nor casts, and anonymous namespaces are left out.
enum class Precision : std::uint8_t { exact, lax };

std::string normalised_literal(std::string word, Precision precision) {
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (precision == Precision::lax) word.resize(std::min(word.find_first_of("ul"), word.size()));
  return word;
}

/// One spelling for everything that C++ can spell in several ways: spaces only between words, suffixes of
/// literals in lower case, "unsigned" in full.
std::string normalised(std::string_view spelling, Precision precision) {
  const std::vector<std::string> words = words_of(spelling);
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (precision == Precision::lax) i += decoration(words, i);
    if (i >= words.size()) break;
    std::string word = is_number(words[i]) ? normalised_literal(words[i], precision) : words[i];
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    if (word == "unsigned" && next != "int" && next != "char" && next != "short" && next != "long")
      word += " int";
    text += (!text.empty() && is_word(text.back()) && is_word(word[0]) ? " " : "") + word;
  }
  return text;
}

/// The position of the first '*' or '&' outside brackets; npos if there is none.
std::size_t declarator_in(std::string_view type) {
  int depth = 0;
  for (std::size_t i = 0; i < type.size(); ++i) {
    if (type[i] == '<' || type[i] == '(') ++depth;
    if (type[i] == '>' || type[i] == ')') --depth;
    if (depth == 0 && (type[i] == '*' || type[i] == '&')) return i;
  }
  return std::string_view::npos;
}

/// "float const*" for "const float*", as the demangler writes it. The qualifiers of "const int" do not belong
/// to a signature.
std::string with_qualifiers_last(std::string_view type) {
  std::string qualifiers;
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view word : {"const ", "volatile "}) {
      if (!type.starts_with(word)) continue;
      qualifiers += fmt::format(" {}", word);
      type = trimmed(type.substr(word.size()));
      more = true;
    }
  }
  const std::size_t end = declarator_in(type);
  if (end == std::string_view::npos) return std::string(type);
  return fmt::format("{}{}{}", type.substr(0, end), qualifiers, type.substr(end));
}

bool has_parameters(const EntrySignature& signature) { return signature.lowered != signature.spelled; }

/// A signature in the form in which signatures are compared.
struct SpelledForm {
  std::string name;
  std::optional<std::vector<std::string>> parameters;  ///< nothing if they are not spelled
  bool operator==(const SpelledForm&) const = default;
};

SpelledForm form_of(const EntrySignature& signature, Precision precision) {
  SpelledForm form{normalised(signature.spelled, precision), {}};
  if (!has_parameters(signature)) return form;
  form.parameters.emplace();
  for (const std::string& type : signature.parameters)
    form.parameters->push_back(normalised(with_qualifiers_last(type), precision));
  return form;
}

/// The form of a spelling, in which "::" at the beginning has no meaning.
SpelledForm exact_form(const std::string& spelling) {
  SpelledForm form = form_of(signature_of_spelling(spelling), Precision::exact);
  if (form.name.starts_with("::")) form.name.erase(0, 2);
  return form;
}

/// Whether `full` only adds template arguments to `spelled`, as "sum<float,64>" does to "sum<float>".
bool begins_with_arguments(std::string_view full, std::string_view spelled) {
  const std::string_view open = spelled.substr(0, spelled.size() - 1);
  return spelled.ends_with('>') && full.starts_with(open) && full.substr(open.size()).starts_with(',');
}

/// Whether a name matches if leading namespaces or trailing template arguments are omitted.
bool fits(std::string_view full, std::string_view spelled) {
  const std::size_t open = spelled.find('<');
  std::string_view name = full;
  for (;;) {
    if (name == spelled) return true;
    const bool arguments_left_out = open == std::string_view::npos ? name.substr(0, name.find('<')) == spelled
                                                                   : begins_with_arguments(name, spelled);
    if (arguments_left_out) return true;
    const std::size_t colons = name.find("::");
    if (colons == std::string_view::npos || colons > name.find('<')) return false;
    name.remove_prefix(colons + 2);
  }
}

bool is_equal(std::string_view full, std::string_view spelled) { return full == spelled; }

/// A rule by which a spelling refers to entries.
struct Rule {
  Precision precision;
  bool (*are_names)(std::string_view full, std::string_view spelled);
};

/// The strictest first.
constexpr Rule rules[] = {{Precision::exact, is_equal}, {Precision::lax, is_equal}, {Precision::lax, fits}};

bool matches(SpelledForm entry, const SpelledForm& wished, const Rule& rule) {
  if (wished.name.starts_with("::")) entry.name.insert(0, "::");
  return rule.are_names(entry.name, wished.name) &&
         (!wished.parameters || wished.parameters == entry.parameters);
}

/// The names by which a user can tell the entries apart, in a list.
std::string listed(const std::vector<const EntrySignature*>& entries) {
  std::multiset<std::string> all;
  for (const EntrySignature* entry : entries) all.insert(with_parameters(*entry));
  const auto name = [&](const EntrySignature* entry) {
    const std::string full = with_parameters(*entry);
    return all.count(full) == 1 ? full : entry->lowered;
  };
  return fmt::format("{}", fmt::join(entries | std::views::transform(name), ", "));
}

/// The length of the list in brackets, such as the template arguments "<float, (3 > 2)>", at the beginning of
/// `text`; 0 if it is not closed.
std::size_t list_length(std::string_view text) {
  std::string open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool in_parentheses = !open.empty() && open.back() != '<';
    if (c == ';' || c == '\n' || c == '\r') return 0;
    if (c == '(' || c == '[' || c == '{' || (c == '<' && !in_parentheses)) open += c;
    if (c == ')' || c == ']' || c == '}' || (c == '>' && !in_parentheses)) {
      constexpr std::string_view openers = "([{<", closers = ")]}>";
      if (open.back() != openers[closers.find(c)]) return 0;
      open.pop_back();
    }
    if (open.empty()) return i + 1;
  }
  return 0;
}

/// A character of names in C++ and PTX; bytes above ASCII belong to UTF-8 letters.
bool is_name_character(char c) {
  return is_word(c) || c == '$' || c == '%' || static_cast<unsigned char>(c) >= 0x80;
}

/// The length of a name without its namespaces, including template arguments; 0 if there is none.
std::size_t component_length(std::string_view text) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  if (text.starts_with(anonymous)) return anonymous.size();
  std::size_t end = 0;
  while (end < text.size() && is_name_character(text[end])) ++end;
  if (end == 0 || is_digit(text[0])) return 0;
  const std::size_t open = std::min(text.find_first_not_of(' ', end), text.size());
  if (!text.substr(open).starts_with('<')) return end;
  const std::size_t arguments = list_length(text.substr(open));
  return arguments == 0 ? 0 : open + arguments;
}

/// Without quotes and comments, which could hide a bracket.
bool is_parameter_list(std::string_view text) {
  const auto is_in_types = [](char c) {
    return is_name_character(c) || std::string_view(" ,*&:<>()[]-").find(c) != std::string_view::npos;
  };
  return text.starts_with('(') && list_length(text) == text.size() && std::ranges::all_of(text, is_in_types);
}

bool spells_entry(std::string_view text) {
  if (text.starts_with("::")) text.remove_prefix(2);
  for (;;) {
    const std::size_t length = component_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
    if (text.empty()) return true;
    if (!text.starts_with("::")) return is_parameter_list(trimmed(text));
    text.remove_prefix(2);
  }
}

}  // namespace

std::string_view unqualified(std::string_view spelling) {
  spelling = spelling.substr(0, spelling.find('<'));
  const std::size_t colon = spelling.rfind(':');  // "(anonymous namespace)::sum" contains a space
  if (colon != std::string_view::npos) spelling.remove_prefix(colon + 1);
  return spelling.substr(0, spelling.find(' '));
}

/// The parameters of a list, without spaces before them.
std::vector<std::string> parameters_in(std::string_view list) {
  std::vector<std::string> parameters;
  for (const std::string_view parameter : split_list(list, "<({[", ">)}]"))
    if (!trimmed(parameter).empty())
      parameters.emplace_back(parameter.substr(parameter.find_first_not_of(' ')));
  return parameters;
}

EntrySignature signature_of(const std::string& lowered) {
  EntrySignature signature = signature_of_spelling(demangled(lowered));
  signature.lowered = lowered;
  return signature;
}

EntrySignature signature_of_spelling(const std::string& spelling) {
  const std::string text(trimmed(spelling));
  EntrySignature signature{text, text, {}};
  const std::size_t open = opening_of_last(text);
  if (open == std::string::npos) return signature;
  const std::string_view function = trimmed(std::string_view(text).substr(0, open));
  signature.spelled = function.substr(name_in(function));
  signature.parameters = parameters_in(std::string_view(text).substr(open + 1, text.size() - open - 2));
  return signature;
}

std::string with_parameters(const EntrySignature& entry) {
  if (!has_parameters(entry)) return entry.spelled;  // C linkage
  return fmt::format("{}({})", entry.spelled, fmt::join(entry.parameters, ", "));
}

std::vector<EntrySignature> entries_of(const ptx::Module& module) {
  std::vector<EntrySignature> signatures;
  for (const ptx::Function* entry : ptx::entries(module)) signatures.push_back(signature_of(entry->name));
  return signatures;
}

std::vector<const EntrySignature*> matching_entries(const std::vector<EntrySignature>& entries,
                                                    std::string_view spelling) {
  const EntrySignature wished = signature_of_spelling(std::string(spelling));
  const auto lowered = std::ranges::find(entries, wished.lowered, &EntrySignature::lowered);
  const bool has_c_linkage = lowered != entries.end() && lowered->spelled == lowered->lowered;
  if (lowered != entries.end() && !has_c_linkage) return {&*lowered};
  std::vector<const EntrySignature*> matching;
  for (const Rule& rule : rules) {
    const SpelledForm form = form_of(wished, rule.precision);
    for (const EntrySignature& entry : entries)
      if (matches(form_of(entry, rule.precision), form, rule)) matching.push_back(&entry);
    if (!matching.empty()) break;
  }
  return matching;
}

const EntrySignature* find_entry(const std::vector<EntrySignature>& entries, std::string_view spelling) {
  const auto matching = matching_entries(entries, spelling);
  return matching.size() == 1 ? matching.front() : nullptr;
}

std::string ambiguity(std::string_view spelling, const std::vector<const EntrySignature*>& matching) {
  return fmt::format("\"{}\" matches several kernels: {}", spelling, listed(matching));
}

std::string why_not_found(const std::vector<EntrySignature>& entries, std::string_view spelling,
                          const std::string& file) {
  const auto matching = matching_entries(entries, spelling);
  if (!matching.empty()) return ambiguity(spelling, matching);
  if (entries.empty())
    return fmt::format("kernel \"{}\" not found in {}, which contains no kernel", spelling, file);
  std::vector<const EntrySignature*> all;
  for (const EntrySignature& entry : entries) all.push_back(&entry);
  return fmt::format("kernel \"{}\" not found in {}, which contains: {}", spelling, file, listed(all));
}

std::string identifying_name(const std::vector<EntrySignature>& entries, const EntrySignature& entry) {
  for (const std::string& name : {without_anonymous_namespaces(entry.spelled), with_parameters(entry)})
    if (const EntrySignature* found = find_entry(entries, name);
        found != nullptr && found->lowered == entry.lowered)
      return name;
  return entry.lowered;
}

bool is_same_spelling(const std::string& left, const std::string& right) {
  return exact_form(left) == exact_form(right);
}

bool instantiates(const std::string& spelling, const std::string& name) {
  const SpelledForm instance = exact_form(spelling), wished = exact_form(name);
  return !instance.parameters && !wished.parameters && instance.name.ends_with('>') &&
         instance.name.substr(0, instance.name.find('<')) == wished.name;
}

std::vector<const EntrySignature*> named_by(const std::string& entry,
                                            const std::vector<EntrySignature>& kernels) {
  std::vector<const EntrySignature*> named;
  for (const auto matches : {is_same_spelling, instantiates}) {
    for (const EntrySignature& kernel : kernels)
      if (matches(kernel.spelled, entry)) named.push_back(&kernel);
    if (!named.empty()) return named;
  }
  return named;
}

std::string address_of_entry(const std::string& spelling) {
  const EntrySignature entry = signature_of_spelling(without_anonymous_namespaces(demangled(spelling)));
  if (!has_parameters(entry)) return "&" + entry.spelled;
  return fmt::format("static_cast<void (*)({})>(&{})", fmt::join(entry.parameters, ", "), entry.spelled);
}

std::string without_anonymous_namespaces(std::string text) {
  constexpr std::string_view anonymous = "(anonymous namespace)::";
  for (std::size_t at = text.find(anonymous); at != std::string::npos; at = text.find(anonymous))
    text.erase(at, anonymous.size());
  return text;
}

std::optional<std::string> why_no_entry(std::string_view text) {
  if (spells_entry(trimmed(text))) return std::nullopt;
  return fmt::format(
      "\"{}\" is not the name of a kernel; write it as C++ does, such as \"sum\", \"ns::sum<float, 128>\" or "
      "\"sum(const float*, int)\"",
      text);
}

std::string plain_name(std::string_view spelled) {
  return without_anonymous_namespaces(std::string(spelled.substr(0, spelled.find('<'))));
}

}  // namespace foldproof
