#include "base/error.h"

#include "catch.h"

using namespace foldproof;

TEST_CASE("a position leaves out what is unknown") {
  CHECK(to_string(Position{"k.cu", 3, 7}) == "k.cu:3:7");
  CHECK(to_string(Position{"k.cu", 3, 0}) == "k.cu:3");
  CHECK(to_string(Position{"k.cu", 0, 7}) == "k.cu");
}

TEST_CASE("an error is a sentence after its position, and tells both apart") {
  const InputError wrong("the key is unknown", {"k.toml", 2, 0});
  CHECK(std::string(wrong.what()) == "k.toml:2: the key is unknown");
  CHECK(wrong.sentence() == "the key is unknown");
  CHECK(wrong.position() == Position{"k.toml", 2, 0});
  CHECK(std::string(Unsupported("there is no GPU").what()) == "there is no GPU");
}
