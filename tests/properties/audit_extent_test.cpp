// What an audit tries, when it ends early, and when its cases show too little for a verdict.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "audited.h"
#include "base/interrupts.h"
#include "catch.h"
#include "fake_kernel.h"

namespace foldproof {
namespace {

using fake::allowed;
using fake::audit;
using fake::Launch;
using fake::many_cases;
using fake::only_finding;
using fake::sum_in_a_tree;

TEST_CASE("a claim beyond the tried range is reported") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  const auto kernel = [](const Launch& l) { l.store(sum_in_a_tree<float>(l)); };
  auto& count =
      *std::ranges::find(contract.instances[0].domain, "count", &std::pair<std::string, Range>::first);
  count.second = Range::parse("0 .. 2^33", {});
  CHECK(audit(contract, kernel, many_cases(40)).untried_above ==
        std::map<std::string, std::int64_t>{{"count", 4096}});
  count.second = Range::parse("0 .. 20", {});
  CHECK(audit(contract, kernel, many_cases(40)).untried_above.empty());
  contract.instances[0].domain.insert(contract.instances[0].domain.begin(),
                                      {"spare", Range::parse("1 .. 2^20", {})});
  contract.instances[0].tried = {{"spare", Range::parse("1 .. 3", {})}};
  CHECK(audit(contract, kernel, many_cases(40)).untried_above ==
        std::map<std::string, std::int64_t>{{"spare", 3}});
}

TEST_CASE("a grid that was not tried is reported, although its claim limits it to nothing smaller") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  const auto kernel = [](const Launch& l) { l.store(sum_in_a_tree<float>(l)); };
  contract.instances[0].domain = {{"count", Range::parse("0 .. 4096", {})},
                                  {"block", Range::parse("256", {})},
                                  {"grid", Range::parse("1 .. 1024", {})}};
  // One block more than 4096 elements fill.
  CHECK(audit(contract, kernel, many_cases(40)).untried_above ==
        std::map<std::string, std::int64_t>{{"grid", 17}});
}

TEST_CASE("the same seed gives the same audit, and another seed a different one") {
  std::vector<std::size_t> counts[3];
  for (std::size_t run = 0; run < 3; ++run) {
    AuditOptions options;
    options.seed = run == 2 ? 5 : 4;
    audit(
        fake::contract(Operator::sum, Element::f32),
        [&](const Launch& l) {
          counts[run].push_back(l.count);
          l.store(sum_in_a_tree<float>(l));
        },
        options);
  }
  CHECK(counts[0] == counts[1]);
  CHECK(counts[0] != counts[2]);
}

TEST_CASE("forty cases sample every class, and five report what they missed") {
  const auto kernel = [](const Launch& l) { l.store(sum_in_a_tree<float>(l)); };
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  const KernelReport full = audit(contract, kernel);
  for (const std::string& note : full.notes) UNSCOPED_INFO(note);
  CHECK(std::ranges::none_of(full.notes, [](const std::string& n) { return n.find("not sampled") == 0; }));
  AuditOptions few;
  few.cases = 5;
  CHECK(std::ranges::any_of(audit(contract, kernel, few).notes,
                            [](const std::string& n) { return n.find("not sampled: distributions") == 0; }));
}

TEST_CASE("an audit in which every case ends with an accepted finding has checked nothing and is not clean") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.allows = {allowed(Kind::out_of_bounds, "sum.cu")};
  const auto report_of = [&](bool always) {
    return audit(contract, [always](const Launch& l) {
      l.store(sum_in_a_tree<float>(l));
      if (!always && l.count < 100) return;
      Finding found;
      found.kind = Kind::out_of_bounds;
      found.at = {"sum.cu", 7, 1};
      l.findings->push_back(found);
    });
  };
  const KernelReport nothing = report_of(true);
  CHECK(nothing.verdict == Verdict::unchecked);
  CHECK(nothing.reason.find("that had a result: the run stopped at a finding") != std::string::npos);
  CHECK(report_of(false).verdict == Verdict::clean);
}

TEST_CASE("an accepted wrong value counts as not checked") {
  Contract contract = fake::contract(Operator::sum, Element::i32);
  contract.allows = {allowed(Kind::wrong_value, "fake.cu")};
  const auto report_of = [&](bool always) {
    return audit(contract, [always](const Launch& l) {
      std::uint32_t sum = always || l.count > 2000 ? 7 : 0;
      for (const std::uint32_t x : l.elements<std::uint32_t>()) sum += x;
      l.store(sum);
    });
  };
  const KernelReport nothing = report_of(true);
  CHECK(nothing.verdict == Verdict::unchecked);
  CHECK(nothing.reason.find("wrong values are accepted until a date") != std::string::npos);
  CHECK(report_of(false).verdict == Verdict::clean);
}

TEST_CASE("an audit in which every case has an empty input is not clean") {
  const auto reason_for = [](const std::string& count) {
    Contract contract = fake::contract(Operator::sum, Element::f32);
    contract.instances[0].domain = {{"a", Range::parse("0 .. 1000", {})},
                                    {"count", Range::parse(count, {})},
                                    {"block", Range::parse("1 .. 1024", {})}};
    const KernelReport report = audit(contract, [](const Launch& l) { l.store(sum_in_a_tree<float>(l)); });
    CHECK(report.verdict == (report.reason.empty() ? Verdict::clean : Verdict::unchecked));
    return report.reason;
  };
  CHECK(reason_for("(a == 77) * 64").find("every case had an empty input") == 0);
  CHECK(reason_for("a * 100000").find("only the empty input was tried: all others have more") == 0);
  CHECK(reason_for("a * 64").empty());
  CHECK(reason_for("0").empty());
}

TEST_CASE("an audit of inputs without elements is clean only if the contract says what they result in") {
  Contract contract = fake::contract(Operator::argmin, Element::i32);
  Instance& instance = contract.instances[0];
  std::ranges::find(instance.domain, "count", &std::pair<std::string, Range>::first)->second =
      Range::parse("0", {});
  const auto verdict_for = [&](EmptyPolicy empty) {
    instance.claims.empty = empty;
    return audit(contract, [](const Launch&) {}).verdict;
  };
  CHECK(verdict_for(EmptyPolicy::unspecified) == Verdict::unchecked);
  CHECK(verdict_for(EmptyPolicy::identity) == Verdict::unchecked);  // no index is an identity
  CHECK(verdict_for(EmptyPolicy::untouched) == Verdict::clean);
}

TEST_CASE("an audit of inputs without elements is not clean if their results have none either") {
  for (const auto& [op, result] : {std::pair{Operator::softmax, ResultShape::array},
                                   {Operator::sum, ResultShape::scan},
                                   {Operator::sum, ResultShape::partials}}) {
    Contract contract = fake::contract(op, Element::f32);
    Instance& instance = contract.instances[0];
    instance.reduction->result = result;
    instance.output_count = Expression::parse("count", {});
    std::ranges::find(instance.domain, "count", &std::pair<std::string, Range>::first)->second =
        Range::parse("0", {});
    const KernelReport report = audit(contract, [](const Launch&) {});
    CHECK(report.verdict == Verdict::unchecked);
    CHECK(report.reason == "the contract claims only empty inputs, whose result has no elements");
  }
}

TEST_CASE("an output without elements is not checked, and an audit that had no other is not clean") {
  const auto audited = [](const std::string& ranks) {
    Contract contract = fake::contract(Operator::sum, Element::i32);
    Instance& instance = contract.instances[0];
    instance.domain.emplace_back("ranks", Range::parse(ranks, {}));
    instance.output_count = Expression::parse("ranks", {});
    const auto stores_for_every_rank = [](const Launch& l) {
      for (std::size_t rank = 0; rank < l.output.size() / 4; ++rank) l.store(sum_in_a_tree<int>(l), rank);
    };
    return audit(contract, stores_for_every_rank, many_cases(400));
  };
  const KernelReport nothing = audited("0 .. 0");
  CHECK(nothing.verdict == Verdict::unchecked);
  CHECK(nothing.reason == "the output had no elements in any case, so no result was checked");
  CHECK(audited("0 .. 4").verdict == Verdict::clean);
}

TEST_CASE("an output whose length does not fit the shape of its result is refused") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  Instance& instance = contract.instances[0];
  instance = fake::with_domain(
      {{"columns", "0 .. 3"}, {"rows", "0 .. 3"}, {"count", "rows * columns"}, {"block", "1 .. 32"}});
  const auto error = [&] {
    try {
      audit(contract, [](const Launch&) {});
      return std::string("no error");
    } catch (const InputError& wrong) {
      return wrong.sentence();
    }
  };
  instance.reduction->result = ResultShape::columns;
  instance.output_count = Expression::parse("max(columns, 1)", {});
  CHECK_THAT(error(),
             tests::contains_text("[output] has 1 elements for a count of 0, but a \"columns\" result"));

  instance.output_count = Expression::parse("columns", {});
  BufferContract& buffer = instance.buffers.emplace_back();
  buffer.name = "more";
  buffer.type = Element::f32;
  buffer.count = Expression::parse("rows + 1", {});
  AdditionalOutput additional{"more", *instance.reduction};
  additional.reduction.result = ResultShape::rows;
  instance.additional_outputs = {additional};
  CHECK_THAT(error(), tests::contains_text("[[buffer]] \"more\" has "));
}

TEST_CASE("an interrupt while a finding is confirmed or shrunk does not lose the finding") {
  // The first case with elements takes at most 10 launches; confirming and shrinking it takes more than 60.
  for (std::uint64_t last = 11; last < 60; ++last) {
    INFO("interrupted at launch " << last << " with elements");
    std::uint64_t launches = 0;
    const auto kernel = [&](const Launch& l) {
      if (l.count != 0 && ++launches > last) throw Interrupted{};
      l.store(l.count == 0 ? 0.0F : sum_in_a_tree<float>(l) + 1);
    };
    CHECK(only_finding(audit(fake::contract(Operator::sum, Element::f32), kernel)).kind == Kind::wrong_value);
  }
}

TEST_CASE("a kernel that does not end is run only for one case and its smaller ones") {
  std::uint64_t launches = 0;
  const KernelReport report = audit(fake::contract(Operator::sum, Element::f32), [&](const Launch& l) {
    ++launches;
    Finding found;
    found.kind = Kind::timeout;
    l.findings->push_back(found);
  });
  CHECK(only_finding(report).kind == Kind::timeout);
  CHECK(report.notes == std::vector<std::string>{"the audit stopped at the first case that did not end"});
  CHECK(report.cases == 1);
  CHECK(launches < 20);
}

/// Returns no results after the third job that ends its process, like the runner of a worker.
class LosingProcesses final : public Runner {
 public:
  explicit LosingProcesses(const fake::Kernel& kernel) : inner_(kernel) {}
  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    return inner_.entries(image);
  }
  Capabilities capabilities() const override { return {.observes_launches = false, .jobs_together = 16}; }
  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results;
    for (std::size_t j = 0, lost = 0; j < jobs.size() && lost < 3; ++j, ++jobs_run) {
      results.push_back(inner_.run({jobs[j]}).front());
      if (!results.back().findings.empty()) results.back().completed = false, ++lost;
    }
    return results;
  }
  std::uint64_t jobs_run = 0;

 private:
  fake::FakeRunner inner_;
};

TEST_CASE("an audit ends when too many lost processes leave the remaining cases without results") {
  LosingProcesses runner([](const Launch& l) {
    l.store(sum_in_a_tree<float>(l));
    Finding found;
    found.kind = Kind::crash;
    if (l.count > 1) l.findings->push_back(found);
  });
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  AuditOptions options = many_cases(40);
  options.shrinks = false;
  const auto image = std::make_shared<const Image>(Image{"fake.ptx", ""});
  const KernelReport report = audit_instance(contract, contract.instances.front(), image, runner, options);
  CHECK(only_finding(report).kind == Kind::crash);
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0] == std::to_string(40 - report.cases) +
                               " cases were skipped because earlier cases had crashed the worker process");
  CHECK(report.cases < 10);
  CHECK(runner.jobs_run < 16);
}

/// For a case whose relation needs two parts of its input, the first part does not end and the second is not
/// run.
class EndlessFirstPart final : public Runner {
 public:
  explicit EndlessFirstPart(const fake::Kernel& kernel) : inner_(kernel) {}
  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    return inner_.entries(image);
  }
  Capabilities capabilities() const override { return {.jobs_together = 16}; }
  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<JobResult> results;
    const auto is_part = [&](std::size_t j) {
      const auto whole = std::ranges::find(jobs, jobs[j].group, &Job::group);
      return jobs[j].buffers[0].bytes < whole->buffers[0].bytes;
    };
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      results.push_back(inner_.run({jobs[j]}).front());
      if (j + 1 == jobs.size() || jobs[j].group != jobs[j + 1].group || !is_part(j) || !is_part(j + 1))
        continue;
      results.back().completed = false;
      results.back().findings.emplace_back().kind = Kind::timeout;
      return results;
    }
    return results;
  }

 private:
  fake::FakeRunner inner_;
};

TEST_CASE("a relation's input that does not end is a timeout of its case") {
  EndlessFirstPart runner([](const Launch& l) { l.store(sum_in_a_tree<float>(l)); });
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  AuditOptions options = many_cases(40);
  options.shrinks = false;
  const auto image = std::make_shared<const Image>(Image{"fake.ptx", ""});
  const KernelReport report = audit_instance(contract, contract.instances.front(), image, runner, options);
  CHECK(only_finding(report).kind == Kind::timeout);
  CHECK(report.notes == std::vector<std::string>{"the audit stopped at the first case that did not end"});
}

TEST_CASE("a defect whose audit does not finish is not found as announced") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.expected = {{Kind::wrong_value, {"fake.cu", 1, 0}, false}};
  std::optional<KernelReport> so_far;
  AuditOptions options;
  options.so_far = [&](const KernelReport& report) { so_far = report; };
  const KernelReport whole = audit(
      contract, [](const Launch& l) { l.store(1e30F); }, options);
  CHECK(whole.expected);
  REQUIRE(so_far);
  CHECK_FALSE(so_far->expected);
  CHECK(so_far->verdict == Verdict::skipped);
  CHECK_FALSE(so_far->findings.empty());
}

TEST_CASE("an exhausted budget ends the audit and is reported") {
  AuditOptions options;
  options.budget = std::chrono::milliseconds(0);
  const KernelReport report = audit(
      fake::contract(Operator::sum, Element::f32), [](const Launch&) {}, options);
  CHECK(report.cases == 0);
  CHECK(report.notes.front() == "after 0 of 40 cases, its share of the time budget was exhausted");
}

/// Sums correctly, in more time than the budget of a test.
KernelReport audit_beyond_its_budget(const AuditOptions& options) {
  return audit(
      fake::contract(Operator::sum, Element::f32),
      [](const Launch& l) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        l.store(sum_in_a_tree<float>(l));
      },
      options);
}

TEST_CASE("an audit whose budget cuts off cases shows nothing unless fewer cases are enough") {
  AuditOptions options;
  options.budget = std::chrono::milliseconds(60);
  options.cases = 4000;
  const KernelReport report = audit_beyond_its_budget(options);
  CHECK(report.verdict == Verdict::skipped);
  CHECK(report.reason ==
        fmt::format("its share of the time budget was exhausted after {} of 4000 cases; use --min-cases "
                    "to accept fewer",
                    report.cases));
  options.least_cases = 1;
  CHECK(audit_beyond_its_budget(options).verdict == Verdict::clean);
}

TEST_CASE("a large case of a guess that reaches the limit of instructions is only a warning") {
  Contract guess = fake::contract(Operator::sum, Element::f32);
  guess.file.clear();
  const auto audited = [&](std::size_t least, const std::string& message) {
    const auto kernel = [&](const Launch& l) {
      const std::vector<float> values = l.elements<float>();
      l.store(fake::random_tree_sum(values, 1));
      if (values.size() >= least) l.findings->push_back({.kind = Kind::timeout, .message = message});
    };
    return audit(guess, kernel);
  };
  const std::string limit = fmt::format("{} 10 warp instructions", end_was_not_reached);
  CHECK(audited(5000, limit).findings.at(0).severity == Severity::warning);
  CHECK(audited(1, limit).findings.at(0).severity == Severity::error);
  CHECK(audited(5000, "the kernel never ends").findings.at(0).severity == Severity::error);
}

}  // namespace
}  // namespace foldproof
