#include "base/error.h"

#include "catch.h"

using namespace foldproof;

TEST_CASE("a position omits what is unknown") {
  CHECK(to_string(Position{"k.cu", 3, 7}) == "k.cu:3:7");
  CHECK(to_string(Position{"k.cu", 3, 0}) == "k.cu:3");
  CHECK(to_string(Position{"k.cu", 0, 7}) == "k.cu");
}

TEST_CASE("an error prints its position before its sentence and returns each separately") {
  const InputError wrong("the key is unknown", {"k.toml", 2, 0});
  CHECK(std::string(wrong.what()) == "k.toml:2: the key is unknown");
  CHECK(wrong.sentence() == "the key is unknown");
  CHECK(wrong.position() == Position{"k.toml", 2, 0});
  CHECK(std::string(Unsupported("there is no GPU").what()) == "there is no GPU");
}
