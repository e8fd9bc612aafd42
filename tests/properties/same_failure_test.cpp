#include "properties/shrinking/shrink.h"

#include <algorithm>
#include <cmath>

#include "base/temporary_folders.h"
#include "catch.h"
#include "storing.h"

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

TEST_CASE("a wrong infinity does not hide a wrong number: each has its own smallest case") {
  const TemporaryFolder folder;
  const Contract contract = fake::contract_at(folder.path() / "fake.toml");
  const auto loses_infinities_and_element_40 = [](const fake::Launch& launch) {
    auto values = launch.elements<float>();
    if (values.size() > 40) values.erase(values.begin() + 40);
    std::erase_if(values, [](float x) { return std::isinf(x); });
    launch.store(fake::random_tree_sum(values, 1));
  };
  AuditOptions options = fake::storing_in(folder.path());
  options.cases = 200;
  const KernelReport report = fake::audit(contract, loses_infinities_and_element_40, options);
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].replay != report.findings[1].replay);
  const auto holds = [&](std::string_view part) {
    return std::ranges::count_if(report.findings, [&](const Finding& finding) {
      return finding.case_text.find(part) != std::string::npos;
    });
  };
  CHECK(holds("count=41 ") == 1);
  CHECK(holds("count=1 ") == 1);
}
