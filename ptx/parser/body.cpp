// Scopes, labels, declarations, instructions and calls.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ptx/parser/grammar.h"
#include "ptx/parser/limits.h"
#include "ptx/types.h"

namespace foldproof::ptx {

namespace {

// Each inlined or unrolled copy of inline assembly repeats its declarations in its own scope. They are kept
// per function, so only equal declarations may share a label.
bool are_alike(const std::vector<Variable>& a, const std::vector<Variable>& b) {
  return std::ranges::equal(a, b, [](const Variable& x, const Variable& y) {
    return x.space == y.space && x.type == y.type && x.vector == y.vector && x.alignment == y.alignment &&
           x.extents == y.extents;
  });
}
bool are_alike(const Prototype& a, const Prototype& b) {
  return are_alike(a.returns, b.returns) && are_alike(a.parameters, b.parameters);
}
bool are_alike(const std::vector<std::string>& a, const std::vector<std::string>& b) { return a == b; }

/// Stores the declaration of `label`; returns false if the function has a different declaration for it.
template <class Declared>
bool keep(std::map<std::string, Declared>& known, const std::string& label, Declared declared) {
  const auto entry = known.find(label);
  if (entry != known.end()) return are_alike(entry->second, declared);
  known.emplace(label, std::move(declared));
  return true;
}

class BodyParser {
 public:
  BodyParser(Cursor& cursor, LineTable& lines, Function& function, std::vector<UnknownDirective>& unknown)
      : cursor_(cursor), lines_(lines), function_(function), unknown_(unknown) {}

  std::unique_ptr<Scope> scope(unsigned depth) {
    const Token open = cursor_.peek();
    cursor_.expect_symbol("{", "to open the body");
    if (depth == limits::scope_depth)
      cursor_.fail(open,
                   fmt::format("the braces nest deeper than {} levels; flatten them", limits::scope_depth));
    auto scope = std::make_unique<Scope>();
    while (!cursor_.accept_symbol("}")) {
      if (cursor_.at_end())
        cursor_.fail_expected(
            fmt::format("'}}' to close the brace of line {} in {}", open.line, quoted(function_.name)));
      item(*scope, depth);
    }
    return scope;
  }

 private:
  void item(Scope& parent, unsigned depth) {
    cursor_.count_nodes();
    if (cursor_.at_symbol("{"))
      parent.items.emplace_back(scope(depth + 1));
    else if (cursor_.at(Token::Kind::dotted))
      directive(parent);
    else if (cursor_.at(Token::Kind::name) && cursor_.peek_second().kind == Token::Kind::symbol &&
             cursor_.peek_second().text == ":")
      label(parent);
    else if (cursor_.at(Token::Kind::name) || cursor_.at_symbol("@"))
      instruction(parent);
    else
      cursor_.fail_expected("an instruction, a label or a directive");
  }

  void directive(Scope& scope) {
    if (cursor_.accept_dotted("loc")) return lines_.parse_loc(cursor_);
    if (cursor_.accept_dotted("file")) return lines_.parse_file(cursor_);
    if (cursor_.accept_dotted("pragma")) return skip_pragma(cursor_);
    if (!space_of(cursor_.peek().text))
      return unknown_.push_back(parse_unknown(cursor_, UnknownDirective::Where::function_body,
                                              cursor_.begin_of_next(), function_.name));
    for (Variable& variable : parse_variables(cursor_, false, cursor_.begin_of_next())) {
      count_registers(variable);
      scope.items.emplace_back(std::move(variable));
    }
  }

  void count_registers(const Variable& variable) {
    registers_ += variable.register_count.value_or(0);
    if (registers_ > limits::registers)
      cursor_.fail(cursor_.peek(), fmt::format("the function {} declares more than {} registers; split it",
                                               quoted(function_.name), limits::registers));
  }

  void label(Scope& scope) {
    const Token name = cursor_.take();
    cursor_.take();  // the colon seen by item()
    if (cursor_.accept_dotted("callprototype")) return prototype(std::string(name.text));
    if (cursor_.accept_dotted("branchtargets"))
      return targets(std::string(name.text), function_.branch_targets);
    if (cursor_.accept_dotted("calltargets")) return targets(std::string(name.text), function_.call_targets);
    scope.items.emplace_back(Label{std::string(name.text), name.line});
  }

  // (.param .b32 _) _ (.param .b32 _, .param .b64 _) .noreturn;
  void prototype(const std::string& label) {
    const Token start = cursor_.peek();
    Prototype parsed;
    parsed.returns = parse_parameters(cursor_);
    if (!cursor_.at_name("_")) cursor_.fail_expected("'_' in place of the function's name");
    cursor_.take();
    parsed.parameters = parse_parameters(cursor_);
    skip_prototype_attributes(cursor_);
    cursor_.expect_symbol(";", "after .callprototype");
    if (!keep(function_.prototypes, label, std::move(parsed)))
      cursor_.fail(start,
                   fmt::format("the prototype {} is declared twice in {} with different contents; rename one",
                               quoted(label), quoted(function_.name)));
  }

  void targets(const std::string& label, std::map<std::string, std::vector<std::string>>& lists) {
    const Token start = cursor_.peek();
    std::vector<std::string> names;
    do {
      cursor_.count_nodes();
      names.emplace_back(cursor_.expect(Token::Kind::name, "a label or a function as the target").text);
    } while (cursor_.accept_symbol(","));
    cursor_.expect_symbol(";", "after the targets");
    if (!keep(lists, label, std::move(names)))
      cursor_.fail(
          start,
          fmt::format("the targets {} are declared twice in {} with different contents; rename one list",
                      quoted(label), quoted(function_.name)));
  }

  void instruction(Scope& scope) {
    Location at{cursor_.peek().line, lines_.current()};
    const std::uint32_t begin = cursor_.begin_of_next();
    std::optional<Name> guard;
    bool negated = false;
    if (cursor_.accept_symbol("@")) {
      negated = cursor_.accept_symbol("!");
      guard = parse_name(cursor_, "a predicate after '@'");
    }
    const auto add = [&](auto&& parsed) {
      parsed.at = at;
      parsed.extent = {begin, cursor_.end_of_last()};
      parsed.guard = std::move(guard);
      parsed.guard_negated = negated;
      scope.items.emplace_back(std::forward<decltype(parsed)>(parsed));
    };
    if (cursor_.at_name("call"))
      add(call());
    else
      add(statement());
  }

  Statement statement() {
    Statement parsed;
    parsed.opcode = cursor_.expect(Token::Kind::name, "an instruction").text;
    while (cursor_.at(Token::Kind::dotted)) {
      cursor_.count_nodes();
      parsed.suffixes.emplace_back(cursor_.take().text);
    }
    if (!cursor_.at_symbol(";")) parsed.operands = parse_operands(cursor_);
    if (!cursor_.accept_symbol(";"))
      cursor_.fail_expected(fmt::format("';' after the operands of {}", quoted(parsed.opcode)));
    return parsed;
  }

  // call{.uni} {(returns),} target {, (arguments)} {, prototype};
  CallStatement call() {
    CallStatement parsed;
    cursor_.take();
    cursor_.accept_dotted("uni");
    if (cursor_.at_symbol("(")) {
      parsed.returns = call_operands();
      cursor_.expect_symbol(",", "after the results of 'call'");
    }
    parsed.target = parse_name(cursor_, "the function that is called, or a register");
    bool more = cursor_.accept_symbol(",");
    if (more && cursor_.at_symbol("(")) {
      parsed.arguments = call_operands();
      more = cursor_.accept_symbol(",");
    }
    if (more) parsed.prototype = cursor_.expect(Token::Kind::name, "the label of a .callprototype").text;
    cursor_.expect_symbol(";", "after 'call'");
    return parsed;
  }

  std::vector<Operand> call_operands() {
    cursor_.expect_symbol("(", "to open the list");
    if (cursor_.accept_symbol(")")) return {};
    std::vector<Operand> operands = parse_operands(cursor_);
    cursor_.expect_symbol(")", "to close the list");
    return operands;
  }

  Cursor& cursor_;
  LineTable& lines_;
  Function& function_;
  std::vector<UnknownDirective>& unknown_;
  std::uint64_t registers_ = 0;
};

}  // namespace

std::unique_ptr<Scope> parse_body(Cursor& cursor, LineTable& lines, Function& function,
                                  std::vector<UnknownDirective>& unknown) {
  lines.begin_function();
  return BodyParser(cursor, lines, function, unknown).scope(0);
}

}  // namespace foldproof::ptx
