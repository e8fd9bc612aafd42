// Relations find faults that a single input does not show, and hold for correct kernels.
#include <bit>
#include <cfloat>
#include <cmath>
#include <functional>
#include <numeric>

#include "catch.h"
#include "fake_kernel.h"
#include "properties/distributions.h"
#include "properties/relations/relations.h"

namespace foldproof {
namespace {

using fake::adding_ptx;

Contract claimed_deterministic(Operator op = Operator::sum, Element element = Element::f32) {
  Contract contract = fake::contract(op, element);
  contract.instances[0].claims.deterministic = true;
  return contract;
}

/// The report for one case with one relation.
KernelReport tried(const Contract& contract, const fake::Kernel& kernel, const std::string& words,
                   std::int64_t count, const std::string& relation, std::uint64_t seed = 1) {
  Case c;
  read_steps(words, c.input);
  c.input.seed = seed;
  c.variables = {{"count", count}, {"block", 32}};
  c.relation = relation;
  fake::FakeRunner runner(kernel);
  AuditOptions options;
  options.store = "/nowhere/cases";
  return replay_case(contract, contract.instances.front(),
                     std::make_shared<const Image>(Image{"fake.ptx", adding_ptx}), runner, c, options);
}

float sum(const std::vector<float>& values) { return std::accumulate(values.begin(), values.end(), 0.0F); }

float maximum(const std::vector<float>& values) {
  float result = -INFINITY;
  for (const float x : values) result = std::max(result, x);
  return result;
}

/// A reduction that is correct except for inputs of one kind, where it is off by one.
fake::Kernel wrong_where(Operator op, const std::function<bool(const std::vector<float>&)>& fault) {
  return [op, fault](const fake::Launch& l) {
    const auto values = l.elements<float>();
    l.store((op == Operator::max ? maximum(values) : sum(values)) + (fault(values) ? 1 : 0));
  };
}

bool is_sorted(const std::vector<float>& values) {
  return std::ranges::is_sorted(values, [](float a, float b) { return std::fabs(a) < std::fabs(b); });
}

TEST_CASE("relations find faults that the case's own input does not show") {
  using Values = std::vector<float>;
  struct Row {
    std::string relation, words;
    Operator op;
    std::function<bool(const Values&)> fault;
  };
  const Row rows[] = {
      {"permuted", "integers+ascending", Operator::sum, [](const Values& v) { return !is_sorted(v); }},
      {"padded", "integers", Operator::sum, [](const Values& v) { return v.size() > 8; }},
      {"duplicated", "uniform", Operator::max, [](const Values& v) { return v.size() == 9; }},
      {"opposites", "integers", Operator::sum, [](const Values& v) { return v.size() == 10; }},
      {"split", "integers", Operator::sum, [](const Values& v) { return v.size() < 8; }},
      {"copies", "integers", Operator::sum, [](const Values& v) { return v[0] == v[5]; }},
      {"negated", "negative", Operator::sum, [](const Values& v) { return v[0] > 0; }},
  };
  for (const Row& row : rows) {
    INFO(row.relation);
    const Contract contract = claimed_deterministic(row.op);
    REQUIRE(tried(contract, wrong_where(row.op, row.fault), row.words, 8, "").findings.empty());
    const KernelReport report = tried(contract, wrong_where(row.op, row.fault), row.words, 8, row.relation);
    REQUIRE(report.findings.size() == 1);
    const Finding& finding = report.findings.front();
    CHECK(is_about_values(finding.kind));
    CHECK(finding.message.find("; the relation \"" + row.relation + "\" was checked (") != std::string::npos);
    CHECK(finding.message.find("): for [") != std::string::npos);
    CHECK(finding.message.find(", and for ") != std::string::npos);
    CHECK(finding.case_text.find("relation=" + row.relation) != std::string::npos);
  }
}

/// How many of `seeds` cases, which differ in their seeds, violate the relation.
int broken(const fake::Kernel& kernel, const std::string& words, const std::string& relation, int seeds,
           const Contract& contract = claimed_deterministic()) {
  int findings = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const KernelReport report =
        tried(contract, kernel, words, 1000, relation, static_cast<std::uint64_t>(seed));
    for (const Finding& finding : report.findings) {
      CHECK(finding.kind == Kind::wrong_value);
      CHECK(finding.message.find("the relation \"" + relation + "\"") == 0);
      ++findings;
    }
  }
  return findings;
}

TEST_CASE("a sum that rounds by its magnitude violates \"scaled\" within its bound") {
  const auto kernel = [](const fake::Launch& l) {
    const float s = sum(l.elements<float>());
    l.store(std::fabs(s) > 1 ? std::nextafter(s, INFINITY) : s);
  };
  CHECK(broken(kernel, "uniform", "", 20) == 0);
  CHECK(broken(kernel, "uniform+scale:-5", "scaled", 20) > 0);
  Contract unclaimed = fake::contract(Operator::sum, Element::f32);
  CHECK(broken(kernel, "uniform+scale:-5", "scaled", 20, unclaimed) == 0);
}

TEST_CASE("a sum that is rounded upwards violates \"negated\" within its bound") {
  const auto kernel = [](const fake::Launch& l) {
    l.store(std::nextafter(sum(l.elements<float>()), INFINITY));
  };
  CHECK(broken(kernel, "uniform", "", 5) == 0);
  CHECK(broken(kernel, "uniform", "negated", 5) == 5);
}

TEST_CASE("a sum that falls when an element is raised violates \"raised\" within its bound") {
  const auto kernel = [](const fake::Launch& l) {
    const auto values = l.elements<float>();
    std::uint32_t parity = 0;
    for (const float x : values) parity ^= std::bit_cast<std::uint32_t>(x) >> 20;
    l.store(sum(values) + ((parity & 1) != 0 ? 0.004F : -0.004F));
  };
  CHECK(broken(kernel, "uniform+scale:-2", "", 50) == 0);
  CHECK(broken(kernel, "uniform+scale:-2", "raised", 200) > 0);
}

TEST_CASE("an exact sum satisfies every relation, although its partial sums are rounded, too") {
  Contract contract = claimed_deterministic();
  contract.instances[0].reduction->sum = SumMethod::exact;
  const auto kernel = [](const fake::Launch& l) {  // sums of these values are exact in double
    const auto values = l.elements<float>();
    l.store(static_cast<float>(std::accumulate(values.begin(), values.end(), 0.0)));
  };
  const std::vector<std::string> all = relations_of(contract.instances[0]);
  CHECK(std::ranges::count(all, "split") == 1);
  for (const std::string& relation : all) CHECK(broken(kernel, "uniform", relation, 20, contract) == 0);
}

/// One output per element.
Contract elementwise(Operator op, ResultShape shape, Element element = Element::f32) {
  Contract contract = claimed_deterministic(op, element);
  contract.instances[0].reduction->result = shape;
  contract.instances[0].output_count = Expression::parse("count", {});
  return contract;
}

/// The message of the relation's only finding; empty if there is none.
std::string message_of(const Contract& contract, const fake::Kernel& kernel, const std::string& words,
                       const std::string& relation) {
  const KernelReport report = tried(contract, kernel, words, 9, relation);
  REQUIRE(report.findings.size() <= 1);
  return report.findings.empty() ? "" : report.findings.front().message;
}

TEST_CASE("an index that does not move with its element violates \"moved\"") {
  Contract contract = claimed_deterministic(Operator::argmax);
  contract.instances[0].reduction->output = Element::u32;
  const auto argmax = [](std::uint32_t least) {
    return [least](const fake::Launch& l) {
      const auto values = l.elements<float>();
      const auto at = static_cast<std::uint32_t>(std::ranges::max_element(values) - values.begin());
      l.store(std::max(at, least));
    };
  };
  const std::string rising =
      "positive+ascending";  // the largest of nine elements is at 8, and at 0 after reversal
  CHECK(message_of(contract, argmax(0), rising, "moved").empty());
  CHECK(message_of(contract, argmax(3), rising, "").empty());
  CHECK_FALSE(message_of(contract, argmax(3), rising, "moved").empty());
}

TEST_CASE("an index among elements that are flushed to zero need not move with its element") {
  Contract contract = claimed_deterministic(Operator::argmax);
  contract.instances[0].reduction->output = Element::u32;
  contract.instances[0].claims.flushes_subnormals = true;
  const auto argmax = [](const fake::Launch& l) {
    auto values = l.elements<float>();
    for (float& x : values)
      if (std::fabs(x) < FLT_MIN) x = 0;
    l.store(static_cast<std::uint32_t>(std::ranges::max_element(values) - values.begin()));
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    CHECK(tried(contract, argmax, "subnormals", 9, "moved", seed).findings.empty());
}

TEST_CASE("a scan that starts differently for shorter inputs violates \"prefix\"") {
  const auto scan = [](std::size_t lost_below) {
    return [lost_below](const fake::Launch& l) {
      const auto values = l.elements<float>();
      float sum = values.size() < lost_below ? 1 : 0;
      for (std::size_t i = 0; i < values.size(); ++i) l.store(sum += values[i], i);
    };
  };
  const Contract contract = elementwise(Operator::sum, ResultShape::scan);
  CHECK(message_of(contract, scan(0), "integers", "prefix").empty());
  CHECK(message_of(contract, scan(6), "integers", "").empty());
  CHECK_FALSE(message_of(contract, scan(6), "integers", "prefix").empty());
}

TEST_CASE("a histogram that loses an element of its halves violates \"joined\"") {
  const auto histogram = [](std::size_t lost_below) {
    return [lost_below](const fake::Launch& l) {
      const auto values = l.elements<std::uint8_t>();
      std::vector<std::uint8_t> bins(256);
      for (std::size_t i = values.size() < lost_below ? 1 : 0; i < values.size(); ++i) ++bins[values[i]];
      for (std::size_t bin = 0; bin < bins.size(); ++bin) l.store(bins[bin], bin);
    };
  };
  Contract contract = elementwise(Operator::histogram, ResultShape::bins, Element::u8);
  contract.instances[0].output_count = Expression::constant(256);
  CHECK(message_of(contract, histogram(0), "codes", "joined").empty());
  CHECK(message_of(contract, histogram(8), "codes", "").empty());
  CHECK_FALSE(message_of(contract, histogram(8), "codes", "joined").empty());
}

TEST_CASE("a softmax that changes with a common shift violates \"shifted\" within its bound") {
  const auto softmax = [](bool about_maximum) {
    return [about_maximum](const fake::Launch& l) {
      const auto values = l.elements<float>();
      const float origin = about_maximum ? maximum(values) : 1.0F;
      float sum = 0;
      for (const float x : values) sum += std::exp(x - origin);
      for (std::size_t i = 0; i < values.size(); ++i) l.store(std::exp(values[i] - origin) / sum, i);
    };
  };
  Contract contract = elementwise(Operator::softmax, ResultShape::array);
  CHECK(message_of(contract, softmax(false), "uniform", "shifted").empty());  // exp2f(x log2(e) - m log2(e))
  contract.instances[0].reduction->functions = MathFunctions::library;
  CHECK(message_of(contract, softmax(true), "uniform", "shifted").empty());
  CHECK(message_of(contract, softmax(false), "uniform", "").empty());
  CHECK(message_of(contract, softmax(false), "uniform", "shifted")
            .starts_with("the relation \"shifted\" is violated (adding a constant to every element does not "
                         "change a softmax): for "));
}

TEST_CASE("correct kernels satisfy all relations, with any order, NaN, infinities and zeros") {
  AuditOptions options;
  options.cases = 2000;
  options.largest_count = 2000;
  for (const Operator op : {Operator::sum, Operator::max}) {
    const KernelReport report = fake::audit(
        claimed_deterministic(op),
        [op](const fake::Launch& l) {
          float result = op == Operator::max ? -INFINITY : -0.0F;
          for (const float x : l.elements<float>()) {
            if (op == Operator::sum)
              result += x;
            else
              result = std::isnan(x) || std::isnan(result) ? NAN : std::max(result, x);
          }
          l.store(result);
        },
        options, adding_ptx);
    for (const Finding& finding : report.findings) UNSCOPED_INFO(finding.message << finding.case_text);
    CHECK(report.findings.empty());
  }
  const KernelReport integers = fake::audit(
      claimed_deterministic(Operator::prod, Element::i64),
      [](const fake::Launch& l) {
        std::uint64_t product = 1;
        for (const auto x : l.elements<std::uint64_t>()) product *= x;
        l.store(product);
      },
      options);
  CHECK(integers.findings.empty());
}

TEST_CASE("an audit finds a fault that only a relation shows and shrinks it with the relation") {
  AuditOptions options;
  options.cases = 400;
  const KernelReport report = fake::audit(
      claimed_deterministic(),
      [](const fake::Launch& l) {
        const auto values = l.elements<float>();
        const float s = sum(values);
        // Otherwise the bound may be smaller, or the sum may overflow.
        const bool all_matter = std::ranges::count(values, 0.0F) == 0 && std::fabs(s) < 1e30F;
        const bool rounds = std::accumulate(values.begin(), values.end(), 0.0) != static_cast<double>(s);
        l.store(values.size() > 20 && all_matter && rounds ? std::nextafter(s, INFINITY) : s);
      },
      options, adding_ptx);
  for (const Finding& finding : report.findings) UNSCOPED_INFO(finding.message << " | " << finding.case_text);
  REQUIRE(report.findings.size() == 1);
  const Finding& finding = report.findings.front();
  CHECK(finding.kind == Kind::wrong_value);
  CHECK(finding.message.find(
            "the relation \"negated\" is violated (negating the elements negates the sum): for ") == 0);
  CHECK(finding.case_text.find("count=21 ") == 0);
  CHECK(finding.case_text.find("relation=negated") != std::string::npos);
}

TEST_CASE("an instance has the relations that its operator and claims allow") {
  const auto of = [](const Contract& contract) { return relations_of(contract.instances.front()); };
  using Names = std::vector<std::string>;
  CHECK(of(fake::contract(Operator::sum, Element::f32)) ==
        Names{"permuted", "padded", "opposites", "split", "copies"});
  CHECK(of(claimed_deterministic()) ==
        Names{"permuted", "padded", "opposites", "split", "copies", "scaled", "negated", "raised"});
  CHECK(of(fake::contract(Operator::max, Element::f32)) ==
        Names{"permuted", "padded", "duplicated", "split", "copies", "scaled", "raised"});
  CHECK(of(fake::contract(Operator::sum, Element::u32)) ==
        Names{"permuted", "padded", "opposites", "split", "copies", "scaled", "negated"});
  CHECK(of(fake::contract(Operator::prod, Element::i32)) == Names{"permuted", "padded", "split", "copies"});
  CHECK(of(elementwise(Operator::sum, ResultShape::scan)) == Names{"prefix"});
  CHECK(of(elementwise(Operator::softmax, ResultShape::array)) == Names{"shifted"});
  CHECK(of(elementwise(Operator::sum, ResultShape::rows)).empty());
}

TEST_CASE("a relation does not apply if it derives elements that callers do not pass") {
  Contract contract = claimed_deterministic();
  Instance& instance = contract.instances.front();
  const relations::RelationSubject subject{instance, true, false};
  Case c;
  c.variables = {{"count", 4}, {"block", 32}, {"grid", 1}};
  const float ones[] = {1, 1, 1, 1};
  const auto derived = [&](const char* relation) {
    c.relation = relation;
    return relations::derive(subject, c, std::as_bytes(std::span(ones)));
  };
  CHECK_FALSE(derived("negated").empty());
  instance.reduction->values = Range::parse("0 .. 9", {});
  CHECK(derived("negated").empty());
  CHECK_FALSE(derived("permuted").empty());
}

TEST_CASE("an unknown relation is refused with the known ones") {
  CHECK_THROWS_WITH(
      tried(fake::contract(Operator::sum, Element::f32), wrong_where(Operator::sum, is_sorted), "equal", 3,
            "padding"),
      "unknown relation \"padding\"; choose one of permuted, padded, duplicated, opposites, split, "
      "copies, scaled, "
      "negated, raised, moved, prefix, joined, shifted");
}

}  // namespace
}  // namespace foldproof
