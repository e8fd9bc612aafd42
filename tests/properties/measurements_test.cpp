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

}  // namespace foldproof
