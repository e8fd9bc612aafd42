// Text from outside, made safe for each output format.
#include "base/printable.h"

#include "base/error.h"
#include "catch.h"

using namespace foldproof;

TEST_CASE("control characters are shown as escapes; line breaks and tabs become spaces") {
  CHECK(printable("a\tb\x1b[1m\nc\x7f µ") == "a b\\x1b[1m c\\x7f µ");
  CHECK(printable("\x07\r") == "\\x07\\x0d");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\u009b31m");
}

TEST_CASE("line breaks and tabs of several lines remain") {
  CHECK(printable_lines("a\tb\n\x1b[31mc\r\n") == "a\tb\n\\x1b[31mc\\x0d\n");
}

TEST_CASE("characters that change the direction of text are shown as escapes") {
  CHECK(printable("\u202a\u202e\u2066\u2069") == "\\u202a\\u202e\\u2066\\u2069");
  CHECK(printable("\u200e\u200f\u061c\u2028\u2029") == "\\u200e\\u200f\\u061c\\u2028\\u2029");
  CHECK(printable("\u200a\u2027\u2030\u2070") == "\u200a\u2027\u2030\u2070");
}

TEST_CASE("characters that hide text are shown as escapes") {
  CHECK(printable("a\u200bb\u2060c\ufeffd\U000e0041") == "a\\u200bb\\u2060c\\ufeffd\\U000e0041");
  CHECK(printable("a\u00adb\u200cc\u2064d\u3164e\ufe0ff") == "a\\u00adb\\u200cc\\u2064d\\u3164e\\ufe0ff");
}

TEST_CASE("bytes that are not UTF-8 are shown as escapes, one by one") {
  CHECK(printable("a\xff") == "a\\xff");
  CHECK(printable("\xe2\x80") == "\\xe2\\x80");                    // cut short
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");                    // longer than necessary
  CHECK(printable("\xe0\x80\x9b") == "\\xe0\\x80\\x9b");           // longer than necessary
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond Unicode
  CHECK(printable("\xf0\x9f\x8c\x8d é") == "\xf0\x9f\x8c\x8d é");
}

TEST_CASE("characters that XML forbids are shown as escapes") {
  CHECK(printable("\uffff\ufffe") == "\\uffff\\ufffe");
  CHECK(printable("\xf0\x9f\xbf\xbf") == "\\U0001ffff");
}

TEST_CASE("text in XML has no markup") {
  CHECK(xml_text("</svg><script x=\"'&\x1b") == "&lt;/svg&gt;&lt;script x=&quot;&#39;&amp;\\x1b");
}

TEST_CASE("text in Markdown has no markup and stays in its cell") {
  CHECK(markdown_text("a | `b` <b> [c](d) *e* _f_ \\ &lt;\n\u202e") ==
        "a \\| \\`b\\` \\<b\\> \\[c\\](d) \\*e\\* \\_f\\_ \\\\ \\&lt; \\\\u202e");
}

TEST_CASE("an underscore inside a word needs no escape in Markdown") {
  CHECK(markdown_text("block_atomic _a b_ c__d") == "block_atomic \\_a b\\_ c\\_\\_d");
}

TEST_CASE("a code span in Markdown contains any text") {
  CHECK(markdown_code("log2_ceil(n) * 2") == "`log2_ceil(n) * 2`");
  CHECK(markdown_code("a || b") == "`a \\|\\| b`");
  CHECK(markdown_code("`a``") == "``` `a`` ```");
  CHECK(markdown_code("\x1b") == "`\\x1b`");
}

TEST_CASE("the target of a link in Markdown has no markup") {
  CHECK(markdown_target("tree/k-1.cu") == "tree/k-1.cu");
  CHECK(markdown_target("a b)|\n<µ") == "a%20b%29%7C%0A%3C%C2%B5");
}

TEST_CASE("valid UTF-8 is distinguished from other bytes") {
  CHECK(is_utf8("aµ\u202e\x1b"));
  CHECK_FALSE(is_utf8("a\xff"));
  CHECK_FALSE(is_utf8("\xc2"));
}

TEST_CASE("a long sentence is cut at a character boundary, with a note") {
  CHECK(shortened(std::string(2000, 'x')) == std::string(2000, 'x'));
  std::string text = "x";
  while (text.size() < 1'000'000) text += "µ";
  const std::string cut = shortened(text);
  CHECK(cut.size() <= 2000);
  CHECK(cut.find("µ… (truncated to the first 1939 of 1000001 bytes)") != std::string::npos);
  CHECK(shortened(cut) == cut);
  CHECK(shortened(std::string(3000, '\x80')).size() <= 2000);
}

TEST_CASE("the sentence of an error is cut, and its position remains") {
  const InputError error("a" + std::string(1'000'000, 'b'), {"k.cu", 3, 1});
  CHECK(error.sentence().size() <= longest_sentence);
  CHECK(error.what() == "k.cu:3:1: " + error.sentence());
  CHECK(Unsupported(std::string(1'000'000, 'b')).sentence().size() <= longest_sentence);
}

TEST_CASE("columns are counted and cut by characters") {
  CHECK(columns_of("aµ…") == 3);
  CHECK(first_columns("aµ…b", 2) == "aµ");
  CHECK(first_columns("aµ", 5) == "aµ");
  CHECK(first_columns("aµ", 0).empty());
}

TEST_CASE("a line that a CI service would take for a command begins with an escape") {
  CHECK(without_commands("::add-mask::x\n \t::error::y\na ::b\n") ==
        "\\x3a:add-mask::x\n \t\\x3a:error::y\na ::b\n");
  CHECK(without_commands("\n\n::a") == "\n\n\\x3a:a");
  CHECK(without_commands("\u00a0\u3000::a") == "\u00a0\u3000\\x3a:a");
  CHECK(without_commands("12 |   ::cub::Sum()\n:a\n:") == "12 |   ::cub::Sum()\n:a\n:");
  CHECK(without_commands("") == "");
}

TEST_CASE("a tag that ctest interprets begins with an escape") {
  CHECK(without_commands("a <CTestMeasurementFile type=\"file\">") ==
        "a \\x3cCTestMeasurementFile type=\"file\">");
  CHECK(without_commands("<CTestLabel><DartMeasurement") == "\\x3cCTestLabel>\\x3cDartMeasurement");
  CHECK(json_without_commands("{\"a\": \"<CTestDetails>\"}") == "{\"a\": \"\\u003cCTestDetails>\"}");
  CHECK(without_commands("sum<CT>") == "sum<CT>");
}

TEST_CASE("a command in brackets is broken by an escape, wherever it is") {
  CHECK(without_commands("a ##vso[task.setvariable]b") == "a #\\x23vso[task.setvariable]b");
  CHECK(without_commands("##[group]a ###[x]") == "#\\x23[group]a ##\\x23[x]");
  CHECK(without_commands("## title, a##b, ##") == "## title, a##b, ##");
  CHECK(json_without_commands(R"({"a": "##vso[b]"})") == R"({"a": "#\u0023vso[b]"})");
}
