// What an audit says about how its results were checked.
#include "properties/execution/measurements.h"

#include "catch.h"
#include "fake_kernel.h"

namespace foldproof {

TEST_CASE("an additional output that is not checked in most cases is named") {
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  Measurements measurements(contract.instances.front());
  Evaluation run;
  run.evidence = CheckResult::Evidence::bound;
  run.additional = {{"[[buffer]] \"means\"", CheckResult::Evidence::bound, ""},
                    {"[[buffer]] \"variances\"", CheckResult::Evidence::exact, ""}};
  measurements.take({}, run);
  run.additional[1] = {"[[buffer]] \"variances\"", CheckResult::Evidence::nothing, "it has no bound"};
  measurements.take({}, run);
  CHECK(measurements.why_unchecked().empty());
  measurements.take({}, run);
  CHECK(measurements.why_unchecked() ==
        "[[buffer]] \"variances\" was not checked in 2 of the 3 cases that had one: it has no bound");
}

TEST_CASE("stored cases do not show that the values of an audit are checked") {
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  Measurements measurements(contract.instances.front());
  Evaluation checked, unchecked;
  checked.evidence = CheckResult::Evidence::exact;
  checked.additional = {{"[[buffer]] \"means\"", CheckResult::Evidence::exact, ""}};
  unchecked.evidence = CheckResult::Evidence::nothing;
  unchecked.why_not = "it has no bound";
  for (int k = 0; k < 60; ++k) measurements.take({}, checked, {.is_stored = true});
  for (int k = 0; k < 40; ++k) measurements.take({}, unchecked);
  CHECK(measurements.why_unchecked() ==
        "the value was not checked in 40 of the 40 cases that had a result: it has no bound");
  checked.additional[0].evidence = CheckResult::Evidence::nothing;
  for (int k = 0; k < 40; ++k) measurements.take({}, checked);
  CHECK(measurements.why_unchecked() ==
        "[[buffer]] \"means\" was not checked in 40 of the 40 cases that had one: ");
}

}  // namespace foldproof
