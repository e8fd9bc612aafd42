// Module scope: .version, .target, variables and functions (PTX ISA 9.0, sections 11.1 to 11.4 and 11.6).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "ptx/parse.h"
#include "ptx/parser/grammar.h"
#include "ptx/types.h"

namespace foldproof::ptx {

namespace {

/// The directives between a function's parameters and its body, the most numbers that each accepts, and
/// whether ptxas refuses 0 among them.
struct FunctionDirective {
  std::string_view word;
  unsigned most;
  bool positive = false;
};
constexpr FunctionDirective function_directives[] = {{"maxntid", 3, true},
                                                     {"reqntid", 3, true},
                                                     {"minnctapersm", 1, true},
                                                     {"maxnctapersm", 1},
                                                     {"maxnreg", 1, true},
                                                     {"reqnctapercluster", 3},
                                                     {"explicitcluster", 0},
                                                     {"maxclusterrank", 1},
                                                     {"blocksareclusters", 0},
                                                     {"noreturn", 0},
                                                     {"unified", 0},
                                                     {"abi_preserve", 1},
                                                     {"abi_preserve_control", 1}};

/// The index of `name`; appends a new element if the name is unknown.
template <class Element>
std::size_t slot(std::unordered_map<std::string, std::size_t>& known, std::vector<Element>& elements,
                 const std::string& name) {
  const auto [entry, is_new] = known.emplace(name, elements.size());
  if (is_new) elements.emplace_back();
  return entry->second;
}

class ModuleParser {
 public:
  ModuleParser(std::string_view text, const std::string& name) : cursor_(text, name) {}

  std::string header() {
    version();
    target();
    return module_.target;
  }

  Module parse() {
    header();
    while (!cursor_.at_end()) directive();
    lines_.finish(module_);
    return std::move(module_);
  }

 private:
  // .version 9.0
  void version() {
    if (!cursor_.accept_dotted("version"))
      cursor_.fail(cursor_.peek(),
                   fmt::format("PTX text starts with .version, not with {}; pass the text that "
                               "'nvcc -ptx' writes",
                               quoted(cursor_.peek())));
    const Token number = cursor_.expect(Token::Kind::number, "a version such as 9.0");
    const char *text = number.text.data(), *end = text + number.text.size();
    const auto [dot, major_error] = std::from_chars(text, end, module_.version_major);
    const bool dotted = major_error == std::errc() && dot != end && *dot == '.';
    if (!dotted || std::from_chars(dot + 1, end, module_.version_minor).ptr != end)
      cursor_.fail(number, fmt::format("{} is not a PTX version; write one such as 9.0", quoted(number)));
  }

  // .target sm_90a, debug
  void target() {
    if (!cursor_.accept_dotted("target")) cursor_.fail_expected(".target after .version");
    do {
      const Token word = cursor_.expect(Token::Kind::name, "a target such as sm_90");
      if (word.text.starts_with("sm_") && module_.target.empty()) module_.target = word.text;
    } while (cursor_.accept_symbol(","));
    if (module_.target.empty())
      cursor_.fail(cursor_.peek(), "the .target names no architecture; add one such as sm_90");
  }

  void address_size() {
    const Token number = cursor_.peek();
    module_.address_size = static_cast<std::uint32_t>(parse_count(cursor_, 64, "the address size"));
    if (module_.address_size != 32 && module_.address_size != 64)
      cursor_.fail(number, "the address size must be 64 (or 32); compile with 'nvcc -m64'");
  }

  // .alias name, function;
  void alias() {
    const Token name = cursor_.expect(Token::Kind::name, "the name of the alias");
    cursor_.expect_symbol(",", "after the alias");
    const Token function = cursor_.expect(Token::Kind::name, "the function of the alias");
    module_.aliases[std::string(name.text)] = {std::string(function.text), name.line};
    cursor_.expect_symbol(";", "after .alias");
  }

  void directive() {
    if (!cursor_.at(Token::Kind::dotted)) cursor_.fail_expected("a directive such as .visible or .global");
    cursor_.count_nodes();
    if (cursor_.accept_dotted("address_size")) return address_size();
    if (cursor_.accept_dotted("file")) return lines_.parse_file(cursor_);
    if (cursor_.accept_dotted("section")) return lines_.parse_section(cursor_);
    if (cursor_.accept_dotted("pragma")) return skip_pragma(cursor_);
    if (cursor_.accept_dotted("alias")) return alias();

    const std::uint32_t begin = cursor_.begin_of_next();
    const bool is_extern = cursor_.accept_dotted("extern");
    // Linkage to other modules has no effect within a single module.
    if (!is_extern && !cursor_.accept_dotted("visible") && !cursor_.accept_dotted("weak"))
      cursor_.accept_dotted("common");
    if (cursor_.accept_dotted("entry")) return function(true, is_extern, begin);
    if (cursor_.accept_dotted("func")) return function(false, is_extern, begin);
    if (!cursor_.at(Token::Kind::dotted)) cursor_.fail_expected("a directive such as .func or .global");
    if (space_of(cursor_.peek().text)) return variables(is_extern, begin);
    module_.unknown.push_back(parse_unknown(cursor_, UnknownDirective::Where::module, begin, ""));
  }

  void variables(bool is_extern, std::uint32_t begin) {
    const Token start = cursor_.peek();
    if (start.text == "reg" || start.text == "param" || start.text == "local")
      cursor_.fail(start, fmt::format("{} belongs inside a function; move the declaration", quoted(start)));
    for (Variable& variable : parse_variables(cursor_, is_extern, begin)) keep(std::move(variable), start);
  }

  // .func {.attribute(…)} {(returns)} name {(parameters)} directives {body} or ;
  void function(bool is_entry, bool is_extern, std::uint32_t begin) {
    Function function;
    function.is_entry = is_entry;
    function.is_extern = is_extern;
    while (cursor_.accept_dotted("attribute")) skip_attribute(cursor_);
    function.returns = parse_parameters(cursor_);
    const Token name = cursor_.expect(Token::Kind::name, "the name of the function");
    if (is_entry && !function.returns.empty())
      cursor_.fail(name, fmt::format("the entry {} cannot return values; make it a .func", quoted(name)));
    function.name = name.text;
    function.ptx_line = name.line;
    function.parameters = parse_parameters(cursor_);
    function_directives_of(function);
    if (!cursor_.accept_symbol(";")) function.body = parse_body(cursor_, lines_, function, module_.unknown);
    function.extent = {begin, cursor_.end_of_last()};
    keep(std::move(function), name);
  }

  void function_directives_of(Function& function) {
    while (cursor_.at(Token::Kind::dotted)) {
      const std::string_view word = cursor_.peek().text;
      const auto* row = std::ranges::find(function_directives, word, &FunctionDirective::word);
      if (row == std::end(function_directives) && word != "pragma") {
        module_.unknown.push_back(parse_unknown(cursor_, UnknownDirective::Where::function_head,
                                                cursor_.begin_of_next(), function.name));
        continue;
      }
      cursor_.take();
      if (word == "pragma")
        skip_pragma(cursor_);
      else
        function_directive(function, *row);
    }
  }

  void function_directive(Function& function, const FunctionDirective& row) {
    std::vector<std::uint32_t>& numbers = function.directives[std::string(row.word)];
    numbers.clear();
    if (row.most == 0) return;
    do {
      if (numbers.size() == row.most)
        cursor_.fail(cursor_.peek(),
                     fmt::format(".{} takes at most {} numbers; remove the rest", row.word, row.most));
      const Token at = cursor_.peek();
      numbers.push_back(parse_count32(cursor_, fmt::format("the number of .{}", row.word)));
      if (row.positive && numbers.back() == 0)
        cursor_.fail(at, fmt::format(".{} takes positive numbers, not 0", row.word));
    } while (cursor_.accept_symbol(","));
  }

  // A declaration (.extern) may be repeated, before or after the definition.
  void keep(Variable&& variable, const Token& at) {
    Variable& kept = module_.variables[slot(variables_, module_.variables, variable.name)];
    const bool is_known = !kept.name.empty();
    if (is_known && variable.is_extern) return;
    if (is_known && !kept.is_extern)
      cursor_.fail(at, fmt::format("the variable {} is defined twice; rename one", quoted(variable.name)));
    kept = std::move(variable);
  }

  void keep(Function&& function, const Token& at) {
    Function& kept = module_.functions[slot(functions_, module_.functions, function.name)];
    const bool is_known = !kept.name.empty();
    std::vector<Extent> declarations = std::move(kept.declarations);
    if (!function.body) declarations.push_back(function.extent);
    if (is_known && function.body && kept.body)
      cursor_.fail(at, fmt::format("the function {} is defined twice; rename one", quoted(function.name)));
    if (!is_known || function.body) kept = std::move(function);
    kept.declarations = std::move(declarations);
  }

  Cursor cursor_;
  LineTable lines_;
  Module module_;
  std::unordered_map<std::string, std::size_t> variables_, functions_;  ///< name → index in module_
};

}  // namespace

Module parse(std::string_view text, const std::string& name) { return ModuleParser(text, name).parse(); }

std::string parse_target(std::string_view text, const std::string& name) {
  return ModuleParser(text, name).header();
}

}  // namespace foldproof::ptx
