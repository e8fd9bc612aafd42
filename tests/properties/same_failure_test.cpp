#include "properties/shrinking/shrink.h"

#include "catch.h"

using namespace foldproof;

namespace {

Finding race_at(unsigned line, unsigned other) {
  Finding finding;
  finding.kind = Kind::shared_race;
  finding.at = {"kernel.cu", line, 1};
  finding.other = Position{"kernel.cu", other, 1};
  return finding;
}

}  // namespace

TEST_CASE("a race between two accesses is the same finding in either order") {
  CHECK(is_like(race_at(4, 6), race_at(6, 4)));
  CHECK(is_like(race_at(4, 6), race_at(4, 9)));
  CHECK_FALSE(is_like(race_at(4, 6), race_at(6, 9)));
}
