#include "contracts/declarations.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "contracts/signature.h"

namespace foldproof {
namespace {

/// Words, string literals and single characters; comments and preprocessor lines are skipped.
std::vector<std::string_view> tokens_of(std::string_view source) {
  std::vector<std::string_view> tokens;
  const auto skip_past = [&](std::size_t at, std::string_view end) {
    const std::size_t found = source.find(end, at);
    return found == std::string_view::npos ? source.size() : found + end.size();
  };
  for (std::size_t i = 0; i < source.size();) {
    const char c = source[i];
    if (source.substr(i).starts_with("//") || c == '#') {
      i = skip_past(i, "\n");
    } else if (source.substr(i).starts_with("/*")) {
      i = skip_past(i + 2, "*/");
    } else if (c == '"') {
      std::size_t end = i + 1;
      while (end < source.size() && source[end] != '"' && source[end] != '\n')
        end += source[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, source.size());
      tokens.push_back(source.substr(i, end - i));
      i = end;
    } else if (is_word(c)) {
      std::size_t end = i;
      while (end < source.size() && is_word(source[end])) ++end;
      tokens.push_back(source.substr(i, end - i));
      i = end;
    } else {
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') tokens.push_back(source.substr(i, 1));
      ++i;
    }
  }
  return tokens;
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

/// Scans the tokens and keeps track of the open namespaces.
class Reader {
 public:
  explicit Reader(std::string_view source) : tokens_(tokens_of(source)) {}

  std::vector<DeclaredKernel> kernels() {
    std::vector<DeclaredKernel> found;
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      if (tokens_[at_] == "__global__") {
        if (auto kernel = declaration();
            kernel && std::ranges::find(found, kernel->name, &DeclaredKernel::name) == found.end())
          found.push_back(std::move(*kernel));
        if (at_ >= tokens_.size()) break;
      }
      follow(tokens_[at_]);
    }
    return found;
  }

 private:
  void follow(std::string_view token) {
    if (token == "namespace") {
      const bool named = at_ + 1 < tokens_.size() && is_word(tokens_[at_ + 1].front());
      pending_ = named ? std::string(tokens_[at_ + 1]) + "::" : "";
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
  std::size_t behind(std::size_t open, std::string_view opening, std::string_view closing) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      if (tokens_[i] == opening) ++depth;
      if (tokens_[i] == closing && --depth == 0) return i + 1;
    }
    return tokens_.size();
  }

  std::vector<std::string> template_parameters() const {
    for (std::size_t i = statement_; i + 1 < at_; ++i) {
      if (tokens_[i] != "template" || tokens_[i + 1] != "<") continue;
      return split_list(joined(tokens_, i + 2, behind(i + 1, "<", ">") - 1));
    }
    return {};
  }

  /// Reads "__global__ … name(parameters)"; skips attributes such as __launch_bounds__(256).
  std::optional<DeclaredKernel> declaration() {
    DeclaredKernel kernel;
    kernel.template_parameters = template_parameters();
    std::string_view word;
    while (++at_ < tokens_.size() && tokens_[at_] != ";" && tokens_[at_] != "{") {
      if (is_word(tokens_[at_].front())) word = tokens_[at_];
      if (tokens_[at_] != "(") continue;
      const std::size_t end = behind(at_, "(", ")");
      if (!word.empty() && !word.starts_with("__")) {
        for (const std::string& scope : scopes_) kernel.name += scope;
        kernel.name += word;
        kernel.parameters = split_list(joined(tokens_, at_ + 1, end - 1));
        at_ = end;
        return kernel;
      }
      at_ = end - 1;
    }
    return std::nullopt;
  }

  std::vector<std::string_view> tokens_;
  std::size_t at_ = 0;
  std::size_t statement_ = 0;  ///< index where the current statement begins
  std::string pending_;        ///< the namespace whose opening brace has not been reached
  std::vector<std::string> scopes_;
};

}  // namespace

std::vector<DeclaredKernel> kernels_declared(std::string_view source) { return Reader(source).kernels(); }

std::string declared_name(std::string_view parameter) {
  parameter = parameter.substr(0, parameter.find_first_of("=["));
  std::size_t end = parameter.size();
  while (end > 0 && !is_word(parameter[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word(parameter[begin - 1])) --begin;
  // A type alone, such as "int" or "float*", has no name.
  const std::string_view before = parameter.substr(0, begin);
  const bool follows_type = before.find_first_not_of(' ') != std::string_view::npos;
  return end == parameter.size() && follows_type ? std::string(parameter.substr(begin, end - begin)) : "";
}

}  // namespace foldproof
