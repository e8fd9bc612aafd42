// .version, .target, .address_size, and what is allowed between tokens.
#include "ptx/documents.h"

using namespace foldproof::ptx;
using foldproof::tests::contains_text;

TEST_CASE("A module names its version, target and address size", "[ptx][header]") {
  const Module module = parse(".version 8.7\n.target sm_100a, debug\n.address_size 64\n", "test.ptx");
  CHECK(module.version_major == 8);
  CHECK(module.version_minor == 7);
  CHECK(module.target == "sm_100a");
  CHECK(module.address_size == 64);
  CHECK(module.locs.size() == 1);  // entry 0 means "none"
}

TEST_CASE("Comments and line markers are white space", "[ptx][header]") {
  const Module module = parse(
      "// first\n# 1 \"kernel.cu\"\n/* over\n lines */ .version /**/ 9.0 // \xc3\xa4 };\n.target sm_75\n"
      ".global .b32 /* a */ x; // the end",
      "test.ptx");
  REQUIRE(module.variables.size() == 1);
  CHECK(module.variables[0].ptx_line == 6);
}

TEST_CASE("Text that is not a PTX module is refused at its first wrong word", "[ptx][header][errors]") {
  CHECK_THAT(refusal_of(""), contains_text("test.ptx:1:1: PTX text starts with .version"));
  CHECK_THAT(refusal_of("int main() {}"), contains_text("not with 'int'"));
  CHECK_THAT(refusal_of(".version nine"), contains_text("expected a version such as 9.0"));
  CHECK_THAT(refusal_of(".version 9"), contains_text("'9' is not a PTX version"));
  CHECK_THAT(refusal_of(".version 99999999999.0"), contains_text("is not a PTX version"));
  CHECK_THAT(refusal_of(".version 9.0 .entry"), contains_text("expected .target after .version"));
  CHECK_THAT(refusal_of(".version 9.0 .target debug ."),
             contains_text("names no architecture") || contains_text("must be followed directly"));
  CHECK_THAT(refusal_of(".version 9.0 .target sm_90 .address_size 48"), contains_text("must be 64"));
}

TEST_CASE("Characters without a meaning are escaped in the message", "[ptx][header][errors]") {
  CHECK_THAT(refusal_of(".version 9.0 \x01"), contains_text("unexpected character '\\x01'"));
  CHECK_THAT(refusal_of(std::string(".version 9.0 .target sm_90 \0", 28)), contains_text("'\\x00'"));
  CHECK_THAT(refusal_in_module("/* never closed"), contains_text("unterminated comment"));
  CHECK_THAT(refusal_in_module(".file 1 \"open\n"), contains_text("unterminated string"));
  CHECK_THAT(refusal_in_module("\n  .global .b32 3x;"), contains_text("test.ptx:3:16: '3x' is not a number"));
}
