#include "contracts/contract.h"

#include "catch.h"
#include "workshop.h"

using namespace foldproof;

namespace {

const std::string two_level = R"toml(format  = 1
id      = "C1"
summary = "two-level sum"
types   = { T = ["f32", "f64", "i32"], B = [128, 256] }

[source]
flags = ["-std=c++17", "-I../include", "-I", "/opt/x"]

[reduction]
operator    = "sum"
input       = "{T}"
accumulator = "{T}"
output      = "{T}"
result      = "value"

[domain]
count = "0 .. 2^33"
block = "{B}"
grid  = "1 .. ceil_div(count, block)"

[[buffer]]
name    = "partials"
type    = "{T}"
count   = "grid"
reset   = "once"

[[launch]]
entry     = "block_sums<{T}, {B}>"
grid      = "grid"
block     = "block"
shared    = "block * sizeof(T)"
arguments = ["input", "partials", "count"]

[[launch]]
entry     = "block_sums<{T}, {B}>"
grid      = 1
block     = ["block", 2]
shared    = 64
arguments = ["partials + 1", "output", "launch1_grid"]

[claims]
deterministic = true
nan           = "propagate"

[[allow]]
kind   = "unordered-access"
at     = "tail.cuh:40"
reason = "checked by hand: one lane writes"
until  = 2027-01-01
)toml";

std::vector<std::string> labels(const Contract& contract) {
  std::vector<std::string> all;
  for (const Instance& instance : contract.instances) all.push_back(instance.label);
  return all;
}

}  // namespace

TEST_CASE("all parts of a contract are read") {
  const Workshop workshop;
  const Contract contract = workshop.load(two_level);
  CHECK(contract.id == "C1");
  CHECK(contract.summary == "two-level sum");
  CHECK(contract.source == workshop.path() / "k.cu");
  CHECK(contract.arch.empty());
  CHECK(contract.allows.at(0).kind == Kind::unordered_access);
  CHECK(contract.allows.at(0).until == "2027-01-01");
  CHECK(contract.allows.at(0).at == "tail.cuh:40");
}

TEST_CASE("a relative -I is relative to the contract's folder") {
  const Workshop workshop;
  CHECK(workshop.load(two_level).flags ==
        std::vector<std::string>{"-std=c++17", "-I" + (workshop.path().parent_path() / "include").string(),
                                 "-I/opt/x"});
}

TEST_CASE("every combination of the matrix is one instance, in the order of the file") {
  const Workshop workshop;
  CHECK(labels(workshop.load(two_level)) == std::vector<std::string>{"T=f32,B=128", "T=f32,B=256",
                                                                     "T=f64,B=128", "T=f64,B=256",
                                                                     "T=i32,B=128", "T=i32,B=256"});
}

TEST_CASE("a placeholder is a C++ type in an entry and an element type elsewhere") {
  const Workshop workshop;
  const Instance instance = workshop.load(two_level).instances.at(2);
  CHECK(instance.launches.at(0).entry == "block_sums<double, 128>");
  CHECK(instance.reduction->input == Element::f64);
  CHECK(instance.buffers.at(0).type == Element::f64);
  CHECK(instance.launches.at(0).shared.evaluate({{"block", 128}}) == 1024);
}

TEST_CASE("an operator of the matrix is a functor in C++") {
  const Workshop workshop;
  const Contract contract = workshop.load(
      "format = 1\ntypes = { OP = [\"sum\", \"max\"], T = [\"bf16\"] }\n[reduction]\noperator = \"{OP}\"\n"
      "input = \"{T}\"\n[domain]\ncount = 8\n[[launch]]\nentry = \"fold<{OP}, {T}>\"\ngrid = 1\nblock = "
      "32\n");
  CHECK(contract.instances.at(0).launches.at(0).entry == "fold<Sum, __nv_bfloat16>");
  CHECK(contract.instances.at(1).launches.at(0).entry == "fold<Max, __nv_bfloat16>");
  CHECK(contract.instances.at(1).reduction->op == Operator::max);
}

TEST_CASE("{T:wide} is the accumulator type for elements that are widened on load") {
  const Workshop workshop;
  const Contract contract = workshop.load(
      "format = 1\ntypes = { T = [\"e4m3\", \"bf16\", \"f64\", \"u32\"] }\n[reduction]\noperator = \"sum\"\n"
      "input = \"{T}\"\naccumulator = \"{T:wide}\"\n[domain]\ncount = 8\n[[launch]]\n"
      "entry = \"fold<{T}, {T:wide}>\"\ngrid = 1\nblock = 32\nshared = \"sizeof({T:wide})\"\n");
  std::vector<Element> accumulators;
  for (const Instance& instance : contract.instances) accumulators.push_back(instance.reduction->accumulator);
  CHECK(accumulators == std::vector{Element::f32, Element::f32, Element::f64, Element::u32});
  CHECK(contract.instances.at(0).launches.at(0).entry == "fold<__nv_fp8_e4m3, float>");
  CHECK(contract.instances.at(2).launches.at(0).shared.evaluate({}) == 8);
}

TEST_CASE("the domain keeps the order of the file") {
  const Workshop workshop;
  const Instance instance = workshop.load(two_level).instances.at(0);
  REQUIRE(instance.domain.size() == 3);
  CHECK(instance.domain[0].first == "count");
  CHECK(instance.domain[1].first == "block");
  CHECK(instance.domain[2].first == "grid");
  CHECK(instance.domain[2].second.high.evaluate({{"count", 1000}, {"block", 128}}) == 8);
}

TEST_CASE("buffers and claims have documented defaults") {
  const Workshop workshop;
  const Instance instance = workshop.load(two_level).instances.at(0);
  CHECK(instance.buffers.at(0).initial == BufferContract::Initial::undefined);
  CHECK(instance.buffers.at(0).reset == BufferContract::Reset::once);
  CHECK(instance.claims.deterministic);
  CHECK(instance.claims.nan == NanPolicy::propagate);
  CHECK(instance.claims.empty == EmptyPolicy::identity);
  CHECK_FALSE(instance.claims.uses_every_input_once);
  CHECK(instance.output_count.evaluate({}) == 1);
}

TEST_CASE("an extent is an integer, an expression or a list") {
  const Workshop workshop;
  const LaunchContract launch = workshop.load(two_level).instances.at(0).launches.at(1);
  CHECK(launch.grid[0].evaluate({}) == 1);
  CHECK(launch.block[0].evaluate({{"block", 128}}) == 128);
  CHECK(launch.block[1].evaluate({}) == 2);
  CHECK(launch.block[2].evaluate({}) == 1);
  CHECK_FALSE(launch.has_cluster);
}

TEST_CASE("a later launch may refer to the size of an earlier one") {
  const Workshop workshop;
  const LaunchContract launch = workshop.load(two_level).instances.at(0).launches.at(1);
  CHECK(launch.arguments.at(2).value.evaluate({{"grid", 7}}) == 7);
}

TEST_CASE("a cooperative cluster launch with typed arguments and a struct is read") {
  const Workshop workshop;
  const Contract contract =
      workshop.load(with_end("cluster = [2, 1]\ncooperative = true\n"
                             "arguments = [\"input + 4\", \"f32:-1.5\", \"u64:count\", "
                             "\"{output, i32:count, {f64:0x1p-3}}\"]"));
  const LaunchContract& launch = contract.instances.at(0).launches.at(0);
  CHECK(launch.has_cluster);
  CHECK(launch.cooperative);
  CHECK(launch.cluster[0].evaluate({}) == 2);
  using Form = ArgumentContract::Form;
  CHECK(launch.arguments.at(0).form == Form::pointer);
  CHECK(launch.arguments.at(0).buffer == "input");
  CHECK(launch.arguments.at(0).value.evaluate({}) == 4);
  CHECK(launch.arguments.at(1).form == Form::number);
  CHECK(launch.arguments.at(1).number == -1.5);
  CHECK(launch.arguments.at(2).form == Form::integer);
  CHECK(launch.arguments.at(2).type == Element::u64);
  const ArgumentContract& structure = launch.arguments.at(3);
  REQUIRE(structure.form == Form::structure);
  CHECK(structure.members.at(0).buffer == "output");
  CHECK(structure.members.at(1).type == Element::i32);
  CHECK(structure.members.at(2).members.at(0).number == 0.125);
}

TEST_CASE("the output may be initialized before a launch, or be the input") {
  const Workshop workshop;
  const Instance instance =
      workshop.load(with_end("[output]\ninitial = \"zero\"\nin_place = true\nreset = \"once\"")).instances[0];
  CHECK(instance.output_initial == BufferContract::Initial::zero);
  CHECK(instance.output_reset == BufferContract::Reset::once);
  CHECK(instance.in_place);
}

TEST_CASE("a reduction is optional") {
  const Workshop workshop;
  CHECK_FALSE(workshop.load(with_top("")).instances[0].reduction.has_value());
}

TEST_CASE("excluded combinations are not instantiated") {
  const Workshop workshop;
  const std::string axes = "types = { T = [\"f32\", \"f16\"], OP = [\"sum\", \"prod\"] }\n";
  CHECK(labels(workshop.load(
            with_top(axes + "exclude = [ { T = \"f16\", OP = \"prod\", reason = \"overflows\" } ]"))) ==
        std::vector<std::string>{"T=f32,OP=sum", "T=f32,OP=prod", "T=f16,OP=sum"});
  CHECK(labels(workshop.load(with_top(axes + "exclude = [ { OP = [\"sum\"], reason = \"r\" } ]"))) ==
        std::vector<std::string>{"T=f32,OP=prod", "T=f16,OP=prod"});
}

TEST_CASE("invalid exclusions are refused") {
  const std::string axes = "types = { T = [\"f32\", \"f16\"] }\nexclude = ";
  CHECK(load_error(with_top(axes + "[ { T = \"f16\" } ]")).find("requires a \"reason\"") !=
        std::string::npos);
  CHECK(load_error(with_top(axes + "[ { X = \"f16\", reason = \"r\" } ]")).find("\"X\"") !=
        std::string::npos);
  CHECK(load_error(with_top(axes + "[ { T = \"f64\", reason = \"r\" } ]")).find("T=f64") !=
        std::string::npos);
  CHECK(
      load_error(with_top(axes + "[ { T = [\"f16\", \"f32\"], reason = \"r\" } ]")).find("no combination") !=
      std::string::npos);
}

TEST_CASE("a call implies its launch, its count and two results") {
  const Workshop workshop;
  const Contract contract = workshop.load(
      "format = 1\ntypes = { T = [\"i32\"], B = [64] }\n[source]\ncall = \"fold<{B}>(temp, x)\"\n"
      "temp = \"Scratch<{T}>\"\nlanes = \"all\"\n[reduction]\noperator = \"sum\"\ninput = \"{T}\"\n"
      "[domain]\nblock = \"{B}\"\n");
  const Instance& instance = contract.instances.at(0);
  REQUIRE(instance.launches.size() == 1);
  CHECK(instance.domain.at(1).first == "count");
  CHECK(instance.domain.at(1).second.high.text() == "block");
  CHECK(instance.output_count.evaluate({{"block", 64}}) == 128);
  CHECK(contract.call->lanes == "all");
}

TEST_CASE("markers in the source announce findings at their line") {
  const Workshop workshop;
  const Contract contract = workshop.load(with_top(""),
                                          "a;  // finding: shared-race, unordered-access?\n"
                                          "// finding: wrong-value\n"
                                          "\n"
                                          "// a comment\n"
                                          "b;\n");
  const std::string file = (workshop.path() / "k.cu").string();
  CHECK(contract.expected == std::vector<Announced>{{Kind::shared_race, {file, 1, 0}},
                                                    {Kind::unordered_access, {file, 1, 0}, true},
                                                    {Kind::wrong_value, {file, 5, 0}}});
  CHECK(load_error(with_top(""), "x // finding: shared-raise\n") ==
        "k.cu:1:3: a marker announces an unknown kind of finding \"shared-raise\"; did you mean "
        "\"shared-race\"?");
  CHECK(load_error(with_top(""), "x // finding: ?\n").find("an unknown kind of finding \"\"") !=
        std::string::npos);
  CHECK(load_error(with_top(""), "x // finding: \n").find("names no kind") != std::string::npos);
}

TEST_CASE("markers in the source accept findings at their line until a date") {
  const Workshop workshop;
  const Contract contract = workshop.load(
      with_top(""),
      "a;  // foldproof: allow shared-race until 2027-02-28: a stale 0 only delays the exit \r\n"
      "// see foldproof: its documents\n"
      "//Foldproof:allow wrong-value until 2028-02-29 :counted: twice\n"
      "\n"
      "b;\n");
  REQUIRE(contract.allows.size() == 2);
  const Allow &race = contract.allows[0], &value = contract.allows[1];
  CHECK(race.kind == Kind::shared_race);
  CHECK(race.at == "k.cu:1");
  CHECK(race.until == "2027-02-28");
  CHECK(race.reason == "a stale 0 only delays the exit");
  CHECK(value.kind == Kind::wrong_value);
  CHECK(value.at == "k.cu:5");
  CHECK(value.reason == "counted: twice");
}

TEST_CASE("an incomplete marker that accepts a finding is refused") {
  for (const char* marker :
       {"allow", "alow shared-race until 2027-02-28: reason", "", "allow shared-race",
        "allow shared-race: reason", "allow shared-race until tomorrow: reason",
        "allow shared-race until 2027-02-29: reason", "allow shared-race until 2027-02-28",
        "allow shared-race until 2027-02-28:  \r", "allow shared-race until 2027-02-28 reason"})
    CHECK(load_error(with_top(""), fmt::format("\nx  // foldproof: {}\n", marker)) ==
          "k.cu:2:4: this must be \"// foldproof: allow KIND until DATE: REASON\", with a date such as "
          "2027-01-31");
  CHECK(load_error(with_top(""), "// foldproof: allow shared-raise until 2027-02-28: reason\n") ==
        "k.cu:1:1: unknown kind of finding \"shared-raise\"; did you mean \"shared-race\"?");
}
