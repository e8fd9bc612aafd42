#include "contracts/contract.h"

#include <algorithm>

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

/// A contract that is valid except for the given lines.
std::string with_top(const std::string& line) {
  return "format = 1\n" + line + "\n[domain]\ncount = 4\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n";
}
std::string with_end(const std::string& lines) { return with_top("") + lines + "\n"; }

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
  CHECK(contract.arch == "compute_90");
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

TEST_CASE("the size of the output follows from the shape of the result") {
  const Workshop workshop;
  const std::string reduction = "[reduction]\noperator = \"sum\"\ninput = \"f32\"\nresult = ";
  CHECK(workshop.load(with_end(reduction + "\"scan\"")).instances[0].output_count.text() == "count");
  CHECK(load_error(with_end(reduction + "\"partials\"")) ==
        "k.toml:9:1: the result \"partials\" requires the key \"count\" in [output]: the number of elements");
  CHECK(workshop.load(with_end(reduction + "\"partials\"\n[output]\ncount = \"2 * count\""))
            .instances[0]
            .output_count.evaluate({{"count", 4}}) == 8);
}

TEST_CASE("a result that the operator does not have is refused with those that it has") {
  const auto error = [](const std::string& op, const std::string& result) {
    return load_error(with_end("[reduction]\noperator = \"" + op + "\"\ninput = \"f32\"\n" + result));
  };
  CHECK(error("softmax", "result = \"value\"") ==
        "k.toml:12:11: softmax has no result \"value\"; write result = \"rows\" or \"array\" in [reduction]");
  CHECK(error("softmax", "") ==
        "k.toml:9:1: softmax has no result \"value\", which is the default; write result = \"rows\" or "
        "\"array\" in [reduction]");
  CHECK(error("histogram", "").find("which is the default; write result = \"bins\" in [reduction]") !=
        std::string::npos);
  CHECK(error("argmax", "result = \"scan\"")
            .find("argmax has no result \"scan\"; write result = \"value\" or \"rows\"") !=
        std::string::npos);
}

TEST_CASE("a key for other operators is refused unless it has its default value") {
  const auto error = [](const std::string& op, const std::string& lines) {
    return load_error(with_end("[reduction]\noperator = \"" + op + "\"\ninput = \"f32\"\n" + lines));
  };
  CHECK(error("sum", "functions = \"library\"") ==
        "k.toml:12:14: \"functions\" applies to log-sum-exp, cross-entropy and softmax, not to sum");
  CHECK(error("max", "method = \"shares\"") ==
        "k.toml:12:11: \"method\" applies to sum, mean, norm, variance and layer-norm, not to max");
  CHECK(error("mean", "method = \"two-pass\"") ==
        "k.toml:12:11: the method of mean must be unspecified, welford or shares");
  CHECK(error("variance", "method = \"shares\"") ==
        "k.toml:12:11: the method of variance must be unspecified, two-pass, textbook, shifted or welford");
  CHECK(error("mean", "scan = \"exclusive\"") ==
        "k.toml:12:9: \"scan\" applies to sum, prod, min, max, and, or, xor and custom, not to mean");
  CHECK(error("sum", "[claims]\nmasked = \"zero\"") ==
        "k.toml:13:11: \"masked\" applies to log-sum-exp and softmax, not to sum");
  CHECK(error("sum", "[claims]\nties = \"first\"") ==
        "k.toml:13:9: \"ties\" applies to argmin and argmax, not to sum");
  CHECK(error("softmax", "result = \"array\"\n[claims]\nheight = \"1\"")
            .find("and max-ratio, not to softmax") != std::string::npos);
  CHECK(error("sum", "functions = \"fast\"\n[claims]\nties = \"any\"\nheight = \"9\"").empty());
  CHECK(error("variance", "method = \"welford\"\n[claims]\nheight = \"9\"").empty());
}

TEST_CASE("only the operator's own methods are accepted") {
  const Workshop workshop;
  const auto text = [](const std::string& op, const std::string& method) {
    return with_end("[reduction]\noperator = \"" + op + "\"\ninput = \"f32\"\nmethod = \"" + method + "\"");
  };
  CHECK(workshop.load(text("sum", "double-float")).instances[0].reduction->sum == SumMethod::double_float);
  CHECK(workshop.load(text("sum", "unspecified")).instances[0].reduction->sum == SumMethod::plain);
  CHECK(workshop.load(text("variance", "textbook")).instances[0].reduction->moment_method ==
        MomentMethod::textbook);
  CHECK(load_error(text("sum", "two-pass")).find("k.toml:12:11: ") == 0);
  CHECK(load_error(text("variance", "kahan")).find("k.toml:12:11: ") == 0);
  CHECK(load_error(text("sum", "kahan\"\nresult = \"partials\"\n[output]\ncount = \"2"))
            .find(": partial results are rounded individually") != std::string::npos);
}

TEST_CASE("same_for_every_launch needs a deterministic result whose shape does not depend on the launch") {
  const auto error = [](const std::string& result, const std::string& claims) {
    return load_error(with_end("[reduction]\noperator = \"sum\"\ninput = \"f32\"\nresult = \"" + result +
                               "\"\n[output]\ncount = 1\n[claims]\nsame_for_every_launch = true\n" + claims));
  };
  CHECK(error("value", "deterministic = true").empty());
  CHECK(
      error("value", "") ==
      "k.toml:16:25: a result that is the same for every launch is deterministic; add deterministic = true");
  CHECK(error("partials", "deterministic = true") ==
        "k.toml:16:25: partial results depend on the launch; \"same_for_every_launch\" applies to all other "
        "results");
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

TEST_CASE("a wrong contract is refused in one sentence with file, line and column") {
  CHECK(load_error("id = \"x\"\n") ==
        "k.toml:1:1: the top of the contract lacks the key \"format\": The version of this format: 1.");
  CHECK(load_error("format = 2\n") == "k.toml:1:10: format 2 is unknown; this program reads format 1");
  CHECK(load_error("format = 1\n") ==
        "k.toml:1:1: the contract has no [[launch]]; add one with entry, grid, block and arguments");
  CHECK(load_error(with_top("summry = \"x\"")) ==
        "k.toml:2:1: unknown key \"summry\" in the top of the contract; did you mean \"summary\"?");
  CHECK(load_error(with_end("grids = 1")) ==
        "k.toml:9:1: unknown key \"grids\" in [[launch]]; did you mean \"grid\"?");
  CHECK(load_error(with_top("id = 5")) ==
        "k.toml:2:6: \"id\" in the top of the contract must be a string, not an integer");
  CHECK(load_error(with_end("cooperative = \"yes\"")) ==
        "k.toml:9:15: \"cooperative\" in [[launch]] must be true or false, not a string");
  CHECK(load_error(with_end("shared = \"4 * blocks\"")) ==
        "k.toml:9:11: unknown name \"blocks\" in the expression \"4 * blocks\" (known: count)");
  CHECK(load_error(with_end("shared = \"4 * (count\"")) ==
        "k.toml:9:21: expected \")\", found the end in the expression \"4 * (count\"");
  CHECK(load_error(with_end("[launch]\nentry = 1")).find("k.toml:9:1: this is not valid TOML") == 0);
  CHECK(load_error(with_end("[[buffer]]\nname = \"b\"\ntype = \"f31\"\ncount = 1")) ==
        "k.toml:11:9: unknown type \"f31\"; did you mean \"f32\"?");
}

namespace {

std::string with_custom(const std::string& combine, const std::string& identity = "identity = \"0\"") {
  return "format = 1\n[reduction]\noperator = \"custom\"\ninput = \"i32\"\ncombine = \"" + combine + "\"\n" +
         identity + "\n[domain]\ncount = 4\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n";
}

}  // namespace

TEST_CASE("a custom operator must be associative and have an identity") {
  const Contract contract = Workshop().load(with_custom("a + b + a * b"));
  const Reduction& reduction = *contract.instances[0].reduction;
  CHECK(reduction.op == Operator::custom);
  CHECK(reduction.custom->combine(2, 3) == 11);
  CHECK(reduction.custom->identity == 0);
  // (0 * 0 + 1) * 1 + 1 = 2, and 0 * (0 * 1 + 1) + 1 = 1.
  CHECK(load_error(with_custom("a * b + 1")) ==
        "k.toml:5:12: \"a * b + 1\" is not associative in i32: for 0, 0 and 1 it gives 2 if the first two "
        "are combined first, and 1 if the last two are; a kernel that combines partial results requires an "
        "associative operator");
  CHECK(load_error(with_custom("a + b", "identity = \"1\"")) ==
        "k.toml:5:12: 1 is not an identity of \"a + b\" in i32: combined with it, 0 becomes 1 as the first "
        "operand and 1 as the second; specify the value that changes nothing");
  CHECK(load_error(with_custom("a + b", "identity = \"2^32\"")) ==
        "k.toml:6:13: the identity 2^32 is not a value of i32");
  CHECK(load_error(with_custom("a / b")).find("other than +, - and *") != std::string::npos);
  CHECK(load_error(with_custom("a + c")).find("unknown name \"c\"") != std::string::npos);
  CHECK(load_error(with_custom("a + b", "")).find("requires the key \"identity\"") != std::string::npos);
}

TEST_CASE("an equivalent-mutant annotation covers at least one statement") {
  const auto with_statements = [](const std::string& number) {
    return with_end(
        "[[equivalent]]\nmutation = \"delete-barrier\"\nfile = \"k.cu\"\ncode = \"x\"\nreason = \"r\"\n"
        "statements = " +
        number);
  };
  const Workshop workshop;
  CHECK(workshop.load(with_statements("2")).equivalents.at(0).statements == 2);
  CHECK(load_error(with_statements("0")) == "k.toml:14:14: \"statements\" must be at least 1, not 0");
  CHECK(load_error(with_statements("-1")) == "k.toml:14:14: \"statements\" must be at least 1, not -1");
}

TEST_CASE("a renamed key is refused with its new name") {
  CHECK(load_error(with_end("[[equivalent]]\nmutation = \"delete-barrier\"\nat = \"k.cu:1\"\ncode = \"x\"\n"
                            "reason = \"r\"")) ==
        "k.toml:11:1: \"at\" in [[equivalent]] has been renamed to \"file\", without a line: \"code\" quotes "
        "the statement");
}

TEST_CASE("placeholders without values are refused at their position") {
  CHECK(load_error(with_end("shared = \"2 * {X}\"")) ==
        "k.toml:9:15: the placeholder {X} has no values, since the contract has no types");
  CHECK(load_error(with_top("types = { TY = [\"f32\"] }") + "shared = \"{TT}\"\n") ==
        "k.toml:9:11: unknown placeholder {TT}; did you mean \"TY\"?");
}

TEST_CASE("names must be unused where they are declared and known where they are used") {
  CHECK(load_error(with_end("[[buffer]]\nname = \"output\"\ntype = \"f32\"\ncount = 1"))
            .find("is already used") != std::string::npos);
  CHECK(load_error(with_end("[[buffer]]\nname = \"a b\"\ntype = \"f32\"\ncount = 1"))
            .find("cannot name a buffer") != std::string::npos);
  CHECK(load_error(with_end("arguments = [\"partials\"]")).find("unknown name \"partials\"") !=
        std::string::npos);
  CHECK(load_error(with_end("arguments = [\"{input, count}\"]")).find("such as \"i32:count\"") !=
        std::string::npos);
  CHECK(load_error(with_end("arguments = [\"f33:1\"]"))
            .find("unknown type \"f33\" before \":\"; did you mean \"f32\"?") != std::string::npos);
  CHECK(load_error(with_end("arguments = [\"f32:one\"]"))
            .find("\"one\" is not a number; write one such as 1.5") != std::string::npos);
  CHECK(load_error(with_end("arguments = [\"input - 1\"]")).find("only \"+ elements\" may follow") !=
        std::string::npos);
}

TEST_CASE("an invalid argument is refused with the syntax of arguments") {
  const auto argument = [](const std::string& text) {
    return load_error(with_end("arguments = [\"" + text + "\"]"));
  };
  CHECK(argument("{input, }").find("an argument is empty; write a buffer, an expression, a typed number") !=
        std::string::npos);
  CHECK(argument("{input").find("lacks its closing \"}\"; write it after the last member") !=
        std::string::npos);
  CHECK(argument("{{{{{{{{{input}}}}}}}}}").find("replace the inner ones by their members") !=
        std::string::npos);
}

TEST_CASE("a domain must be a range that is not empty") {
  const auto domain = [](const std::string& lines) {
    return load_error("format = 1\n[domain]\n" + lines +
                      "\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n");
  };
  CHECK(domain("count = \"5 .. 4\"") == "k.toml:3:10: the range \"5 .. 4\" is empty");
  CHECK(domain("count = \"1 .. grid\"\ngrid = 3").find("unknown name \"grid\"") != std::string::npos);
  CHECK(domain("count = [1, 2]").find("must be an integer or a range in a string") != std::string::npos);
  CHECK(domain("input = 1").find("\"input\" cannot name a variable") != std::string::npos);
  CHECK(domain("seed = 1").find("\"seed\" cannot name a variable") != std::string::npos);
}

TEST_CASE("[tried] accepts only variables of the domain, with ranges that are not empty") {
  const auto tried = [](const std::string& line) {
    return load_error("format = 1\n[domain]\ncount = \"0 .. 9\"\n[tried]\n" + line +
                      "\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n");
  };
  CHECK(tried("count = \"0 .. 5\"").empty());
  CHECK(tried("grid = 5") == "k.toml:5:1: \"grid\" in [tried] is not a variable of [domain] (known: count)");
  CHECK(tried("count = \"5 .. 4\"") == "k.toml:5:10: the range \"5 .. 4\" is empty");
  CHECK(tried("count = [1]").find("must be an integer or a range in a string") != std::string::npos);
}

TEST_CASE("suppressions need a kind, a place, a reason and a date") {
  const std::string allow = "[[allow]]\nkind = \"shared-race\"\nat = \"k.cu\"\n";
  CHECK(load_error(with_end(allow + "reason = \"r\"")).find("lacks the key \"until\"") != std::string::npos);
  CHECK(load_error(with_end(allow + "until = 2027-01-01")).find("lacks the key \"reason\"") !=
        std::string::npos);
  CHECK(
      load_error(with_end(allow + "reason = \"r\"\nuntil = \"2027-01-01\"")) ==
      "k.toml:13:9: \"until\" in [[allow]] must be a date such as 2027-01-01, without quotes, not a string");
  CHECK(load_error(with_end(allow + "reason = \"\"\nuntil = 2027-01-01"))
            .find("must specify the finding (kind, at), a reason") != std::string::npos);
}

TEST_CASE("the source must exist") {
  const Workshop workshop;
  const auto file = workshop.write("lonely.toml", with_top(""));
  CHECK(error_of([&] {
          load_contract(file, Trust::full);
        }).find("lonely.cu does not exist; name it with \"path\"") != std::string::npos);
  CHECK(error_of([&] { load_contract(workshop.path() / "none.toml", Trust::full); }) ==
        "none.toml: the file does not exist");
  CHECK(error_of([&] { load_contract(workshop.path(), Trust::full); }).find("not a regular file") !=
        std::string::npos);
}

TEST_CASE("without trust, a source outside the contract's folder is refused, also through a link") {
  const Workshop workshop;
  workshop.write("other/k.cu", "");
  const auto named = [&](const std::string& path) {
    return workshop.write("contracts/k.toml", with_top("[source]\npath = \"" + path + "\"\n"));
  };
  workshop.write("contracts/below/k.cu", "");
  std::filesystem::create_symlink(workshop.path() / "other" / "k.cu",
                                  workshop.path() / "contracts" / "link.cu");
  for (const std::string path : {"../other/k.cu", "link.cu", "below/../../other/k.cu", "/etc/passwd"}) {
    const auto file = named(path);
    CHECK(error_of([&] { load_contract(file, Trust::limited); }).find("is outside the contract's folder") !=
          std::string::npos);
    CHECK_NOTHROW(load_contract(file, Trust::full));
  }
  CHECK_NOTHROW(load_contract(named("below/k.cu"), Trust::limited));
}

TEST_CASE("without trust, host functions are refused") {
  const Workshop workshop;
  const std::string host = "format = 1\n[[launch]]\nentry = \"clear\"\nhost = true\narguments = []\n";
  CHECK(error_of([&] { workshop.load(host, "", Trust::limited); }) ==
        "k.toml:4:8: \"host\" compiles C++ and runs it on this machine; pass --trust to allow it");
  CHECK_NOTHROW(workshop.load(host, "", Trust::full));
}

TEST_CASE("a call replaces launches and needs types") {
  const std::string source = "[source]\ncall = \"f(x)\"\n";
  CHECK(load_error(with_end(source)).find("either a \"call\" or launches") != std::string::npos);
  CHECK(load_error("format = 1\n" + source).find("requires a [reduction]") != std::string::npos);
  const std::string reduction = "[reduction]\noperator = \"sum\"\ninput = \"f32\"\n";
  CHECK(load_error("format = 1\n" + source + reduction).find("must specify \"block\", the block sizes") !=
        std::string::npos);
  CHECK(load_error("format = 1\n" + source + "lanes = \"0; evil\"\n" + reduction).find("a thread number") !=
        std::string::npos);
}
