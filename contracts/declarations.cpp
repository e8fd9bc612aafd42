#include "contracts/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "contracts/cuda_tokens.h"
#include "contracts/signature.h"

namespace foldproof {
namespace {

unsigned line_of_token(std::string_view source, std::string_view token) {
  return 1 + static_cast<unsigned>(std::count(source.data(), token.data(), '\n'));
}

std::string joined(const std::vector<std::string_view>& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    const bool words_meet = !text.empty() && is_word(text.back()) && is_word(tokens[i].front());
    const bool spaced =
        words_meet || (!text.empty() && (text.back() == '*' || text.back() == '&' || text.back() == '=') &&
                       is_word(tokens[i].front()));
    text += (spaced ? " " : "") + std::string(tokens[i]);
  }
  return text;
}

/// A parameter without its array bounds and default value.
std::string_view declarator_of(std::string_view parameter) {
  return parameter.substr(0, parameter.find_first_of("=["));
}

/// Where the name begins in a declarator; its end if it has no name, as "int" and "float*".
std::size_t type_length(std::string_view declarator) {
  std::size_t begin = declarator.size();
  while (begin > 0 && is_word(declarator[begin - 1])) --begin;
  const bool follows_type = declarator.substr(0, begin).find_first_not_of(' ') != std::string_view::npos;
  return follows_type ? begin : declarator.size();
}

/// The types alone: "const T*" of "const T* in", and "int" of the template parameter "int N = 4".
std::vector<std::string> types_of(const std::vector<std::string>& parameters) {
  std::vector<std::string> types;
  for (const std::string_view parameter : parameters) {
    const std::string_view declarator = trimmed(declarator_of(parameter));
    types.emplace_back(trimmed(declarator.substr(0, type_length(declarator))));
  }
  return types;
}

/// The same for two declarations of one kernel.
std::string identity_of(const DeclaredKernel& kernel) {
  std::string identity = kernel.name + kernel.specialized_for + '|' + kernel.constraint;
  for (const auto* list : {&kernel.template_parameters, &kernel.parameters}) {
    identity += '|';
    for (const std::string& type : types_of(*list)) identity += type + ',';
  }
  return identity;
}

/// Scans the tokens and keeps track of the open namespaces.
class Reader {
 public:
  Reader(std::string_view source, const KernelMacros& macros)
      : source_(source), macros_(macros), tokens_(tokens_of(source)) {}

  std::vector<DeclaredKernel> kernels() {
    std::vector<DeclaredKernel> found;
    std::map<std::string, std::size_t> known;  // their indices
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      if (is_global()) {
        const bool is_defined = !is_only_declared();
        auto kernel = declaration();
        statement_ = at_;
        if (kernel) {
          const auto [at, is_new] = known.try_emplace(identity_of(*kernel), found.size());
          if (is_new) found.push_back(*std::move(kernel));
          found[at->second].is_defined |= is_defined;
        }
        if (at_ >= tokens_.size()) break;
      }
      follow(tokens_[at_]);
    }
    return found;
  }

  bool defines_any() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      if (macros_.definers.contains(tokens_[at_])) return true;
      if (is_global()) {
        if (is_explicit_instantiation() ? !is_extern() : !is_only_declared()) return true;
        statement_ = at_ + 1;
      }
      follow(tokens_[at_]);
    }
    return false;
  }

 private:
  std::string_view token(std::size_t at) const { return at < tokens_.size() ? tokens_[at] : ""; }

  /// Whether __global__ is here, as written or as the preprocessor leaves it.
  bool is_global() const {
    return tokens_[at_] == "__global__" ||
           (tokens_[at_] == "__attribute__" && token(at_ + 1) == "(" && token(at_ + 2) == "(" &&
            token(at_ + 3) == "global") ||
           (tokens_[at_] == "__location__" && token(at_ + 1) == "(" && token(at_ + 2) == "global") ||
           (!macros_.attributes.empty() && is_attribute_macro());
  }

  /// With arguments, the macro stands for an attribute only if a declaration follows. Their number is
  /// limited, since they may contain the macro again.
  bool is_attribute_macro() const {
    constexpr std::size_t most_tokens = 64;
    if (!macros_.attributes.contains(tokens_[at_])) return false;
    std::size_t end = at_ + 1;
    if (token(end) == "(") {
      int depth = 0;
      const std::size_t limit = std::min(tokens_.size(), end + most_tokens);
      do depth += tokens_[end] == "(" ? 1 : tokens_[end] == ")" ? -1 : 0;
      while (++end < limit && depth > 0);
      if (depth > 0) return false;
    }
    return !token(end).empty() && is_letter(token(end).front());
  }

  /// Whether the current statement begins with "extern".
  bool is_extern() const { return token(statement_) == "extern"; }

  /// Whether a semicolon outside parentheses comes before a brace.
  bool is_only_declared() {
    if (at_ < decided_) return decision_;
    int depth = 0;
    decision_ = false;
    for (decided_ = at_; decided_ < tokens_.size() && tokens_[decided_] != "{"; ++decided_) {
      if (tokens_[decided_] == "(") ++depth;
      if (tokens_[decided_] == ")") --depth;
      if (tokens_[decided_] == ";" && depth == 0) {
        decision_ = true;
        break;
      }
    }
    return decision_;
  }

  /// "a::b::" for "namespace a::inline b {"; empty for a namespace without a name.
  std::string namespaces() const {
    std::string names;
    for (std::size_t i = at_ + 1; i < tokens_.size() && (is_word(tokens_[i].front()) || tokens_[i] == ":");
         ++i)
      if (tokens_[i] != ":" && tokens_[i] != "inline") names += std::string(tokens_[i]) + "::";
    return names;
  }

  void follow(std::string_view token) {
    if (token == "namespace") {
      pending_ = namespaces();
    } else if (token == "{") {
      scopes_.push_back(pending_);
      pending_.clear();
    } else if (token == "}" && !scopes_.empty()) {
      scopes_.pop_back();
    } else if (token == ";") {
      pending_.clear();
    }
    if (token == "{" || token == "}" || token == ";") statement_ = at_ + 1;
  }

  /// The index after the bracket that closes the one at `open`.
  std::size_t end_of_bracket(std::size_t open, std::string_view opening, std::string_view closing) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      if (tokens_[i] == opening) ++depth;
      if (tokens_[i] == closing && --depth == 0) return i + 1;
    }
    return tokens_.size();
  }

  /// The items of a list of these tokens: each is the text between two commas outside brackets.
  std::vector<std::string> items(std::size_t begin, std::size_t end) const {
    std::vector<std::string> found;
    int depth = 0;
    for (std::size_t i = begin; i <= end; ++i) {
      if (i == end || (tokens_[i] == "," && depth == 0)) {
        if (i != begin) found.push_back(joined(tokens_, begin, i));
        begin = i + 1;
      } else if (std::string_view("<({[").find(tokens_[i]) != std::string_view::npos) {
        ++depth;
      } else if (std::string_view(">)}]").find(tokens_[i]) != std::string_view::npos) {
        --depth;
      }
    }
    return found;
  }

  std::vector<std::string> template_parameters() const {
    for (std::size_t i = statement_; i + 1 < at_; ++i) {
      if (tokens_[i] != "template" || tokens_[i + 1] != "<") continue;
      return items(i + 2, end_of_bracket(i + 1, "<", ">") - 1);
    }
    return {};
  }

  /// The words from "requires" on, before the first specifier that may differ between declarations.
  std::string constraint() const {
    constexpr std::string_view specifiers[] = {"static", "inline", "extern", "void", "constexpr"};
    std::size_t begin = statement_, end = at_;
    while (begin < at_ && tokens_[begin] != "requires") ++begin;
    while (end > begin && std::ranges::find(specifiers, tokens_[end - 1]) != std::end(specifiers)) --end;
    return joined(tokens_, begin, end);
  }

  /// Whether the current statement begins with "template" without a list of parameters.
  bool is_explicit_instantiation() const {
    for (std::size_t i = statement_; i < at_; ++i)
      if (tokens_[i] == "template") return token(i + 1) != "<";
    return false;
  }

  /// Reads "__global__ … name(parameters)"; skips attributes such as __launch_bounds__(256).
  std::optional<DeclaredKernel> declaration() {
    DeclaredKernel kernel;
    kernel.template_parameters = template_parameters();
    kernel.constraint = constraint();
    const bool is_declared = !is_explicit_instantiation();
    std::string_view word;
    while (++at_ < tokens_.size() && tokens_[at_] != ";" && tokens_[at_] != "{") {
      if (is_word(tokens_[at_].front())) {
        word = tokens_[at_];
        kernel.specialized_for.clear();  // those were arguments of the type before the name
      } else if (tokens_[at_] == "<") {
        const std::size_t end = end_of_bracket(at_, "<", ">");
        kernel.specialized_for = joined(tokens_, at_, end);
        at_ = end - 1;
      }
      if (at_ >= tokens_.size() || tokens_[at_] != "(") continue;
      const std::size_t end = end_of_bracket(at_, "(", ")");
      if (!word.empty() && !word.starts_with("__")) {
        for (const std::string& scope : scopes_) kernel.name += scope;
        kernel.name += word;
        kernel.line = line_of(word);
        kernel.parameters = items(at_ + 1, end - 1);
        const auto autos = std::count(tokens_.begin() + static_cast<std::ptrdiff_t>(at_),
                                      tokens_.begin() + static_cast<std::ptrdiff_t>(end), "auto");
        kernel.template_parameters.insert(kernel.template_parameters.end(), static_cast<std::size_t>(autos),
                                          "typename");
        at_ = end;
        return is_declared ? std::optional(kernel) : std::nullopt;
      }
      at_ = end - 1;
    }
    return std::nullopt;
  }

  /// The line of a token that no earlier one that was asked for follows.
  unsigned line_of(std::string_view token) {
    const char* const begin = source_.data() + counted_;
    line_ += static_cast<unsigned>(std::count(begin, token.data(), '\n'));
    counted_ = static_cast<std::size_t>(token.data() - source_.data());
    return line_;
  }

  std::string_view source_;
  unsigned line_ = 1;  ///< of the index `counted_`, so that lines are counted once
  std::size_t counted_ = 0;
  const KernelMacros& macros_;
  std::vector<std::string_view> tokens_;
  std::size_t at_ = 0;
  std::size_t statement_ = 0;  ///< index where the current statement begins
  std::size_t decided_ = 0;    ///< is_only_declared() has the same result up to this index
  bool decision_ = false;
  std::string pending_;  ///< the namespace whose opening brace has not been reached
  std::vector<std::string> scopes_;
};

}  // namespace

std::string lines_of_file(std::string_view preprocessed, const std::string& file) {
  // A line marker is # LINE "FILE" FLAGS; flag 1 begins an included file, and flag 2 returns from one.
  const std::string quoted = fmt::format("\"{}\"", file);
  std::string lines;
  std::vector<bool> is_own;  // one per open file
  while (!preprocessed.empty()) {
    const std::string_view line = take_line(preprocessed);
    const std::size_t name = line.find('"'), flags = line.rfind('"');
    const bool is_marker = line.starts_with("# ") && name < flags;
    const std::string_view flag = is_marker ? trimmed(line.substr(flags + 1)).substr(0, 1) : "";
    if (flag == "1") is_own.push_back(line.substr(name, flags + 1 - name) == quoted);
    if (flag == "2" && !is_own.empty()) is_own.pop_back();
    if (!is_marker && !is_own.empty() && is_own.back()) lines.append(line) += '\n';
  }
  return lines;
}

std::vector<DeclaredKernel> kernels_declared(std::string_view source, const KernelMacros& macros) {
  return Reader(source, macros).kernels();
}

bool defines_kernels(std::string_view source, const KernelMacros& macros) {
  return Reader(source, macros).defines_any();
}

unsigned declaration_line(std::string_view source, std::string_view name, bool is_host_function) {
  if (!is_host_function) {
    const auto kernels = kernels_declared(source);
    const auto found = std::ranges::find(
        kernels, name, [](const DeclaredKernel& kernel) { return unqualified(kernel.name); });
    return found == kernels.end() ? 0 : found->line;
  }
  const std::vector<std::string_view> tokens = tokens_of(source);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
    if (tokens[i] == name && tokens[i + 1] == "(") return line_of_token(source, tokens[i]);
  return 0;
}

std::string declared_name(std::string_view parameter) {
  parameter = declarator_of(parameter);
  return std::string(parameter.substr(type_length(parameter)));
}

}  // namespace foldproof
