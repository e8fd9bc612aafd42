#include "base/text.h"

#include <fmt/format.h>

#include <string_view>

#include "catch.h"

using namespace foldproof;

using Words = std::vector<std::string>;

TEST_CASE("a command line is split as a shell splits it") {
  CHECK(split_command("nvcc -DX=\"a b\" -D'Y=$Z' -I/a\\ b  \"\" end") ==
        Words{"nvcc", "-DX=a b", "-DY=$Z", "-I/a b", "", "end"});
  CHECK(split_command("\"open").size() == 1);
}

TEST_CASE("a word without special characters stays unquoted") {
  CHECK(shell_word("--case=k.cases/1:2,3+4@5%_x.toml") == "--case=k.cases/1:2,3+4@5%_x.toml");
}

TEST_CASE("a word with special characters is quoted so that a shell reads it back unchanged") {
  CHECK(shell_word("") == "''");
  CHECK(shell_word("a b") == "'a b'");
  CHECK(shell_word("it's $HOME") == "'it'\\''s $HOME'");
  for (const std::string word : {"", "a b", "it's", "\"\\", "$(x)\n;&"})
    CHECK(split_command(shell_word(word)) == Words{word});
}

TEST_CASE("a TOML string escapes quotes, backslashes and control characters") {
  CHECK(toml_string("a\"b\\c") == R"("a\"b\\c")");
  CHECK(toml_string("tab\there\x7f") == "\"tab\\u0009here\\u007f\"");
  CHECK(toml_string("µ") == "\"µ\"");
  CHECK(toml_string("\u202e\u009b") == "\"\\u202e\\u009b\"");
}

TEST_CASE("text wraps at blanks, and a word that is too long gets its own line") {
  CHECK(wrap("one two three", 0, 2, 9) == "one two\n  three");
  CHECK(wrap("one two", 4, 2, 8) == "one\n  two");
  CHECK(wrap("a  word-that-is-longer \n b", 0, 1, 5) == "a\n word-that-is-longer\n b");
  CHECK(wrap("", 3, 2, 8).empty());
}

TEST_CASE("take_line removes one line at a time from the front of a text") {
  std::string_view text = "one\n\nlast";
  CHECK(take_line(text) == "one");
  CHECK(take_line(text).empty());
  CHECK(take_line(text) == "last");
  CHECK(text.empty());
}

TEST_CASE("a mangled name is demangled; any other name is unchanged") {
  CHECK(demangled("_Z3sumPKf") == "sum(float const*)");
  CHECK(demangled("sum") == "sum");
  CHECK(demangled("_Znonsense") == "_Znonsense");
  CHECK(demangled("_ZN24_INTERNAL_0eff_4_k_cu_0b12_GLOBAL__N_16sharedE") == "(anonymous namespace)::shared");
  CHECK(demangled("_Z15sum_INTERNAL_v2PN2ns1TE") == "sum_INTERNAL_v2(ns::T*)");
  CHECK(demangled("_Z" + std::string(5000, 'P')) == "_Z" + std::string(5000, 'P'));
}

TEST_CASE("a name with many references to its parts is demangled unless it grows without limit") {
  // f(int, A<int, int>, A<A<int, int>, A<int, int>>, …): each type has the one before it twice.
  const auto nested = [](int depth) {
    const std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string name = "_Z1f1AIiiE";
    for (int k = 0; k < depth; ++k) {
      const std::string part = fmt::format("S{}_", digits[static_cast<std::size_t>(k)]);
      name += "S_I" + part + part + "E";
    }
    return name;
  };
  CHECK(demangled(nested(1)) == "f(A<int, int>, A<A<int, int>, A<int, int> >)");
  CHECK(demangled(nested(33)) == nested(33));
  // Packs in packs need few references.
  const std::string packs = "_Z1fIJ" + std::string(400, 'i') + "EEvDpFvT_DpFvT_DpFvT_DpT_EEE";
  CHECK(demangled(packs) == packs);
  CHECK(demangled("_Z1fIJifEEvDpT_") == "void f<int, float>(int, float)");
  std::string flat = "_Z1fP1A";  // f(A*, A*, …)
  std::string expected = "f(A*";
  for (int k = 0; k < 100; ++k) flat += "S0_", expected += ", A*";
  CHECK(demangled(flat) == expected + ")");
}

TEST_CASE("the name of a variable of a function does not include the function") {
  CHECK(demangled_variable("_ZZ3sumPKfE4tile") == "tile");
  CHECK(demangled_variable("_ZN2ns4tileE") == "ns::tile");
  CHECK(demangled_variable("tile") == "tile");
}

TEST_CASE("a misspelled word gets the words that resemble it, and any other word gets all of them") {
  CHECK(suggestion("gridd", {"grid", "block"}) == "; did you mean \"grid\"?");
  CHECK(suggestion("cat", {"car", "bat", "horse"}) == "; did you mean \"car\" or \"bat\"?");
  CHECK(suggestion("xyz", {"grid", "block"}) == " (known: grid, block)");
  CHECK(suggestion(std::string(1000, 'x'), {"grid"}) == " (known: grid)");
  CHECK(suggestion("xyz", {}).empty());
}
