// Audits of reductions with known faults: each is found and shrunk to a readable case, and correct reductions
// are never rejected.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "audited.h"
#include "catch.h"
#include "devices/undefined_fill.h"
#include "fake_kernel.h"

namespace foldproof {
namespace {

using fake::audit;
using fake::Launch;
using fake::many_cases;
using fake::only_finding;
using fake::require_clean;
using fake::sum_in_a_tree;

float maximum_from(const Launch& launch, float start) {
  float result = start;
  for (const float x : launch.elements<float>())
    result = std::isnan(x) || std::isnan(result) ? NAN : std::max(result, x);
  return result;
}

TEST_CASE("correct sums in any order are never rejected") {
  require_clean(audit(
      fake::contract(Operator::sum, Element::f32), [](const Launch& l) { l.store(sum_in_a_tree<float>(l)); },
      many_cases(3000)));
  require_clean(audit(
      fake::contract(Operator::sum, Element::f64), [](const Launch& l) { l.store(sum_in_a_tree<double>(l)); },
      many_cases(3000)));
  require_clean(audit(
      fake::contract(Operator::sum, Element::i32),
      [](const Launch& l) { l.store(sum_in_a_tree<std::uint32_t>(l)); }, many_cases(1000)));
}

TEST_CASE("a correct maximum is never rejected") {
  const auto kernel = [](const Launch& l) { l.store(maximum_from(l, -INFINITY)); };
  require_clean(audit(fake::contract(Operator::max, Element::f32), kernel, many_cases(2000)));
}

TEST_CASE("a correct product is never rejected") {
  const auto kernel = [](const Launch& l) {
    float product = 1;
    for (const float x : l.elements<float>()) product *= x;
    l.store(product);
  };
  require_clean(audit(fake::contract(Operator::prod, Element::f32), kernel, many_cases(2000)));
}

TEST_CASE("a sum that loses its last element is a wrong value, shown with a single element") {
  const auto kernel = [](const Launch& l) {
    auto values = l.elements<float>();
    if (!values.empty()) values.pop_back();
    l.store(fake::random_tree_sum(values, 1));
  };
  const KernelReport report = audit(fake::contract(Operator::sum, Element::f32), kernel);
  const Finding& finding = only_finding(report);
  CHECK(finding.kind == Kind::wrong_value);
  CHECK(finding.case_text == "count=1 block=1 zeros seed=0 schedule=converging x[0]=0x1p+0");
  CHECK(finding.message.find("the result is 0 but the sum is 1") == 0);
  CHECK(finding.message.find("the input is 1") != std::string::npos);
}

TEST_CASE("an uninitialized output is reported as a wrong value after the undefined behaviour") {
  const auto kernel = [](const Launch& l) {
    const std::vector<float> values = l.elements<float>();
    const std::uint32_t poison = UndefinedFill::poison;
    if (values.empty()) return l.store(poison);
    l.store(l.stale<float>() + fake::random_tree_sum(values, 1));
    Finding found;
    found.kind = Kind::uninitialized_read;
    l.findings->push_back(found);
  };
  const KernelReport report = audit(fake::contract(Operator::sum, Element::f32), kernel);
  REQUIRE(report.findings.size() >= 2);
  CHECK(report.findings[0].kind == Kind::uninitialized_read);
  CHECK(std::ranges::any_of(report.findings, [](const Finding& finding) {
    return finding.message.find(
               "; the input is empty; element 0 of the output was never written; a kernel that accumulates "
               "into its output needs `initial` in [output]") != std::string::npos;
  }));
}

TEST_CASE("an output that is not written is wrong although it holds a NaN and should be one") {
  const auto kernel = [](const Launch& l) {
    const float sum = fake::random_tree_sum(l.elements<float>(), 1);
    if (std::isnan(sum)) return l.store(std::uint32_t{UndefinedFill::poison});
    l.store(sum);
  };
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances.at(0).claims.nan = NanPolicy::propagate;
  const KernelReport report = audit(contract, kernel);
  REQUIRE_FALSE(report.findings.empty());
  CHECK(report.findings[0].kind == Kind::wrong_value);
  CHECK(report.findings[0].message.find(
            "the result is right only because of the previous contents of the output") == 0);
  CHECK(report.findings[0].message.find("; element 0 of the output was never written") != std::string::npos);
}

TEST_CASE("an element counted twice after the first warp is shrunk to the smallest count that shows it") {
  const auto kernel = [](const Launch& l) {
    auto values = l.elements<std::int32_t>();
    if (values.size() > 32) values.push_back(values[32]);
    l.store(static_cast<std::int32_t>(
        fake::random_tree_sum(std::vector<std::uint32_t>(values.begin(), values.end()), 1)));
  };
  const Finding finding = only_finding(audit(fake::contract(Operator::sum, Element::i32), kernel));
  CHECK(finding.kind == Kind::wrong_value);
  CHECK(finding.case_text == "count=33 block=1 zeros seed=0 schedule=converging x[32]=0x1");
}

TEST_CASE("a maximum that starts from zero is found with one negative element") {
  const Finding finding =
      only_finding(audit(fake::contract(Operator::max, Element::f32),
                         [](const Launch& l) { l.store(l.count == 0 ? -INFINITY : maximum_from(l, 0)); }));
  CHECK(finding.kind == Kind::wrong_value);
  CHECK(finding.case_text.find("count=1 ") == 0);
  CHECK(finding.message.find("x[0]") == std::string::npos);
}

TEST_CASE("a maximum that starts from the lowest finite value is found with an input of infinities") {
  const Finding finding =
      only_finding(audit(fake::contract(Operator::max, Element::f32), [](const Launch& l) {
        l.store(l.count == 0 ? -INFINITY : maximum_from(l, std::numeric_limits<float>::lowest()));
      }));
  CHECK(finding.kind == Kind::wrong_value);
  CHECK(finding.case_text.find("count=1 ") == 0);
}

TEST_CASE("an error below a tolerance of 1e-5 is found") {
  const Finding finding =
      only_finding(audit(fake::contract(Operator::sum, Element::f32),
                         [](const Launch& l) { l.store(sum_in_a_tree<float>(l) * (1 + 0x1p-17f)); }));
  CHECK(finding.kind == Kind::wrong_value);
}

TEST_CASE("a fault of blocks that are not powers of two is shrunk to such a block") {
  const auto kernel = [](const Launch& l) {
    auto values = l.elements<float>();
    if (l.block >= 32 && (l.block & (l.block - 1)) != 0 && values.size() > 20) values.resize(20);
    l.store(fake::random_tree_sum(values, 1));
  };
  const Finding finding = only_finding(audit(fake::contract(Operator::sum, Element::f32), kernel));
  CHECK(finding.case_text.find("count=21 block=33 ") == 0);
}

TEST_CASE("values are shortened to the fewest digits that still fail") {
  const auto kernel = [](const Launch& l) {
    float sum = 0;
    for (const float x : l.elements<float>())
      if (!(std::abs(x) >= 3) || std::isinf(x)) sum += x;
    l.store(sum);
  };
  const Finding finding = only_finding(audit(fake::contract(Operator::sum, Element::f32), kernel));
  const std::size_t planted = finding.case_text.find("]=");
  REQUIRE(planted != std::string::npos);
  CHECK(finding.case_text.find('.', planted) == std::string::npos);  // one binary digit, such as 0x1p+2
}

TEST_CASE("a kernel that changes its input violates its contract") {
  const Finding finding =
      only_finding(audit(fake::contract(Operator::sum, Element::f32), [](const Launch& l) {
        l.store(sum_in_a_tree<float>(l));
        if (l.count > 2) l.writable_input[4] ^= std::byte{1};
      }));
  CHECK(finding.kind == Kind::contract_violation);
  CHECK(finding.message.find("element 1 changed from") != std::string::npos);
  CHECK(finding.case_text.find("count=3 ") == 0);
}

TEST_CASE("an empty input is checked as the contract says") {
  const auto kernel = [](const Launch& l) {
    if (l.count != 0) l.store(sum_in_a_tree<float>(l));
  };
  Contract contract = fake::contract(Operator::sum, Element::f32);
  CHECK(only_finding(audit(contract, kernel)).case_text.find("count=0 ") == 0);
  contract.instances[0].claims.empty = EmptyPolicy::untouched;
  require_clean(audit(contract, kernel));
  contract.instances[0].claims.empty = EmptyPolicy::unspecified;
  require_clean(audit(contract, kernel));
  contract.instances[0].claims.empty = EmptyPolicy::untouched;
  const KernelReport report = audit(contract, [](const Launch& l) { l.store(sum_in_a_tree<float>(l)); });
  CHECK(only_finding(report).kind == Kind::contract_violation);
}

TEST_CASE("the worst error of several outputs counts, regardless of its position") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].output_count = Expression::constant(2);
  const auto worst_with_precise_at = [&](std::size_t precise) {
    return audit(contract, [&](const Launch& l) {
      const auto values = l.elements<float>();
      l.store(static_cast<float>(std::accumulate(values.begin(), values.end(), 0.0)), precise);
      l.store(std::accumulate(values.begin(), values.end(), 0.0F), 1 - precise);
    });
  };
  const KernelReport first = worst_with_precise_at(0), last = worst_with_precise_at(1);
  require_clean(first);
  REQUIRE(first.worst_error_over_bound);
  CHECK(first.worst_error_over_bound == last.worst_error_over_bound);
  CHECK(first.worst_case == last.worst_case);
}

TEST_CASE("partial results are combined exactly before they are checked") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].reduction->result = ResultShape::partials;
  contract.instances[0].output_count = Expression::constant(4);
  const auto partial_sums = [](const Launch& l, std::size_t parts) {
    const auto values = l.elements<float>();
    for (std::size_t part = 0; part < 4; ++part) {
      float sum = 0;
      for (std::size_t i = part; i < values.size(); i += parts) sum += values[i];
      l.store(sum, part);
    }
  };
  require_clean(audit(
      contract, [&](const Launch& l) { partial_sums(l, 4); }, many_cases(500)));
  CHECK(only_finding(audit(contract, [&](const Launch& l) {
          partial_sums(l, 5);
        })).case_text.find("count=5 ") == 0);
}

TEST_CASE("flushing is allowed if the launched entry itself uses flushing instructions") {
  const auto flushing = [](const Launch& l) {
    auto values = l.elements<float>();
    for (float& x : values)
      if (std::fpclassify(x) == FP_SUBNORMAL) x = 0;
    const float sum = fake::random_tree_sum(values, 1);
    l.store(std::fpclassify(sum) == FP_SUBNORMAL ? 0.0f : sum);
  };
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  AuditOptions options = many_cases(1000);
  const auto ptx = [](const std::string& launched, const std::string& other) {
    const auto entry = [](const std::string& name, const std::string& opcode) {
      return ".visible .entry " + name + "()\n{\n.reg .f32 %f<4>;\n" + opcode + " %f1, %f2, %f3;\nret;\n}\n";
    };
    return ".version 8.0\n.target sm_90\n.address_size 64\n" + entry("kernel", launched) +
           entry("other", other);
  };
  CHECK_FALSE(audit(contract, flushing, options, ptx("add.f32", "add.f32")).findings.empty());
  CHECK_FALSE(audit(contract, flushing, options, ptx("add.f32", "add.ftz.f32")).findings.empty());
  require_clean(audit(contract, flushing, options, ptx("add.ftz.f32", "add.f32")));
}

TEST_CASE("a misaligned input is tried unless the domain excludes it") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  const auto kernel = [](const Launch& l) { l.store(l.offset % 16 == 0 ? sum_in_a_tree<float>(l) : 77.0f); };
  CHECK(only_finding(audit(contract, kernel)).case_text.find("offset=") != std::string::npos);
  contract.instances[0].domain.emplace_back("offset", Range::parse("0", {}));
  require_clean(audit(contract, kernel));
}

TEST_CASE("a kernel without a reduction is checked only by the device") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].reduction.reset();
  contract.instances[0].domain.erase(contract.instances[0].domain.begin());
  contract.instances[0].buffers.resize(2);
  contract.instances[0].buffers[0].name = "input";
  contract.instances[0].buffers[1].name = "output";
  for (BufferContract& buffer : contract.instances[0].buffers) buffer.count = Expression::constant(4);
  contract.instances[0].launches[0].arguments[2].value = Expression::constant(4);
  const auto race_in_large_blocks = [](const Launch& l) {
    Finding found;
    found.kind = Kind::shared_race;
    if (l.block > 32) l.findings->push_back(found);
  };
  const Finding finding = only_finding(audit(contract, race_in_large_blocks));
  CHECK(finding.kind == Kind::shared_race);
  CHECK(finding.case_text.find("block=33 ") == 0);
}

TEST_CASE("a result shape that cannot be checked is refused") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].reduction->result = ResultShape::bins;
  CHECK_THROWS_AS(audit(contract, [](const Launch&) {}), InputError);
  contract.instances[0].reduction->result = ResultShape::value;
  contract.instances[0].reduction->accumulator = Element::i32;
  CHECK_THROWS_AS(audit(contract, [](const Launch&) {}), InputError);
}

}  // namespace
}  // namespace foldproof
