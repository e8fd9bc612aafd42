// Small PTX documents for tests of the parser, without the three lines that start every module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "catch.h"
#include "ptx/parse.h"
#include "ptx/query.h"

namespace foldproof::ptx {

/// The module with these lines after a header; the first of them is line 1.
inline Module module_of(const std::string& lines) {
  return parse(".version 9.0 .target sm_90 .address_size 64 " + lines, "test.ptx");
}

/// The first function of `.visible .entry k() { lines }`.
inline Function function_of(const std::string& lines) {
  Module module = module_of(".visible .entry k() {" + lines + "}");
  return std::move(module.functions.at(0));
}

/// The items of a body of one kind, without nested scopes.
template <class Kind>
std::vector<const Kind*> all(const Scope& scope) {
  std::vector<const Kind*> found;
  for (const Item& item : scope.items)
    if (const auto* kind = std::get_if<Kind>(&item)) found.push_back(kind);
  return found;
}

/// The only operand of `mov.b64 %rd1, TEXT;` besides its target.
inline Operand operand_of(const std::string& text) {
  const Function function = function_of("mov.b64 %rd1, " + text + ";");
  const auto statements = all<Statement>(*function.body);
  REQUIRE(statements.size() == 1);
  REQUIRE(statements[0]->operands.size() == 2);
  return statements[0]->operands[1];
}

inline Literal literal_of(const std::string& text) { return std::get<Literal>(operand_of(text).value); }
inline std::string text_of(const Operand& operand) { return std::get<Name>(operand.value).text; }

/// The message with which a text is refused, by the parser or by readers that must know every directive; the
/// test fails if the text is accepted.
inline std::string refusal_of(const std::string& text) {
  try {
    refuse_unknown(parse(text, "test.ptx"), "test.ptx");
  } catch (const InputError& error) {
    CHECK(error.position().file == "test.ptx");
    CHECK(error.position().line > 0);
    CHECK(error.position().column > 0);
    return error.what();
  }
  FAIL("The text was accepted: " << text.substr(0, 200));
  return {};
}

inline std::string refusal_in_module(const std::string& lines) {
  return refusal_of(".version 9.0 .target sm_90 .address_size 64\n" + lines);
}
inline std::string refusal_in_body(const std::string& lines) {
  return refusal_in_module(".entry k() {\n" + lines + "\n}");
}

}  // namespace foldproof::ptx
