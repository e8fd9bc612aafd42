// The preprocessor directives that are found in a text, and the flags that are like them.
#include "contracts/directives.h"

#include <string>

#include "catch.h"

using namespace foldproof;

TEST_CASE("an #include counts the macros before its last occurrence") {
  const Directives found = directives_of(
      "#include <a.h>\n#define ONE\n  #  include \"b.h\" // twice\n#define TWO(x) x\n#include \"b.h\"\n");
  REQUIRE(found.macros.size() == 2);
  CHECK(found.macros[1].name == "TWO");
  CHECK(found.macros[1].has_parameters());
  CHECK(found.includes == std::map<IncludedName, std::size_t>{{{"a.h", false}, 0}, {{"b.h", true}, 2}});
  CHECK_FALSE(found.includes_macro);
}

TEST_CASE("a directive continues after a backslash, and ends at any kind of line break") {
  const Directives found =
      directives_of("#define A \\\r\n  1 \\\n  2\r#define B\r\n#inclu\\\nde NAME\n#define C\\");
  REQUIRE(found.macros.size() == 3);
  CHECK(found.macros[0].text == "   1   2");
  CHECK(found.macros[1].text.empty());
  CHECK(found.macros[2].text == "\\");
  CHECK(found.includes_macro);
}

TEST_CASE("names in conditions are found in every kind of condition") {
  const Directives found =
      directives_of("#if defined(A) && B > 1\n#elif C\n#elifdef D\n#endif\n#ifndef E\n#endif\n");
  CHECK(found.conditions == std::set<std::string, std::less<>>{"A", "B", "C", "D", "E", "defined"});
}

TEST_CASE("a line of a hundred thousand continued lines takes linear time") {
  std::string text = "#define A";
  for (int i = 0; i < 100'000; ++i) text += " x\\\n";
  text += " y\n";
  CHECK(directives_of(text).macros.at(0).text.size() == 200'002);
}

TEST_CASE("flags define macros and include files in all their spellings") {
  const PreprocessorFlags found =
      preprocessor_flags({"-DA", "--define-macro=B=2=3", "-DC(x)=x", "-std=c++17", "-I/one",
                          "--include-path=/two", "-isystem=/three", "-include=/four.h", "-UA"});
  REQUIRE(found.macros.size() == 3);
  CHECK(found.macros[0].text == " 1");
  CHECK(found.macros[1].name == "B");
  CHECK(found.macros[1].text == " 2=3");
  CHECK(found.macros[2].text == "(x) x");
  CHECK(found.folders == std::vector<std::filesystem::path>{"/one", "/two", "/three"});
  CHECK(found.files == std::vector<std::filesystem::path>{"/four.h"});
}
