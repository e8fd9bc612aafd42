// Operands and additional outputs in a contract.
#include "catch.h"
#include "workshop.h"

namespace foldproof {
namespace {

std::string contract(const std::string& op, const std::string& rest, const std::string& more = "") {
  return "format = 1\n[reduction]\noperator = \"" + op +
         "\"\ninput = \"f32\"\nresult = \"rows\"\n[domain]\ncolumns = \"1 .. 9\"\nrows = \"1 .. 9\"\n"
         "count = \"rows * columns\"\n" +
         rest + "[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 32\n" + more;
}

std::string operand(const std::string& role, const std::string& type) {
  return "[[operand]]\nname = \"y\"\nrole = \"" + role + "\"\ntype = \"" + type + "\"\n";
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST_CASE("the role of an operand determines how many values it has") {
  const Workshop workshop;
  const Variables sizes{{"columns", 3}, {"rows", 4}, {"count", 12}};
  const auto count = [&](const std::string& op, const std::string& role, const std::string& type) {
    return workshop.load(contract(op, operand(role, type)))
        .instances.at(0)
        .operands.at(0)
        .count.evaluate(sizes);
  };
  CHECK(count("dot", "second", "f32") == 12);
  CHECK(count("layer-norm", "weights", "f16") == 3);
  CHECK(count("cross-entropy", "targets", "u32") == 4);
}

TEST_CASE("an input without rows is one row for the operands") {
  const Workshop workshop;
  const auto count = [&](const std::string& op, const std::string& result, const std::string& operand) {
    const std::string text =
        "format = 1\n[reduction]\noperator = \"" + op + "\"\ninput = \"f32\"\nresult = \"" + result +
        "\"\n[domain]\ncount = \"0 .. 9\"\n" + operand + "[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 32\n";
    return workshop.load(text).instances.at(0).operands.at(0).count.evaluate({{"count", 7}});
  };
  CHECK(count("cross-entropy", "value", operand("targets", "u32")) == 1);
  CHECK(count("layer-norm", "array", operand("weights", "f32")) == 7);
}

TEST_CASE("scales are shared by groups") {
  const Workshop workshop;
  const Instance instance =
      workshop.load(contract("sum", operand("scales", "u8") + "group = 5\n")).instances.at(0);
  CHECK(instance.operands.at(0).count.evaluate({{"count", 12}}) == 3);
}

TEST_CASE("a missing operand is reported with its role") {
  CHECK(says(load_error(contract("dot", "")), "dot requires an [[operand]] with role = \"second\""));
  CHECK(says(load_error(contract("cross-entropy", "")), "requires an [[operand]] with role = \"targets\""));
}

TEST_CASE("an operand that the operator does not have is refused") {
  CHECK(says(load_error(contract("sum", operand("weights", "f32"))), "sum has no operand \"weights\""));
  CHECK(
      says(load_error(contract("sum", operand("offsets", "u64"))), "offsets require result = \"segments\""));
  CHECK(says(load_error(contract("dot", operand("third", "f32"))), "\"role\" cannot be \"third\""));
}

TEST_CASE("the type of an operand must match its role") {
  CHECK(says(load_error(contract("dot", operand("second", "f64"))), "it must have the type of the elements"));
  CHECK(says(load_error(contract("cross-entropy", operand("targets", "u8"))),
             "an integer type of 32 or 64 bits"));
  CHECK(says(load_error(contract("sum", operand("scales", "f32"))), "scales must be e4m3, or u8 for E8M0"));
}

TEST_CASE("an additional output is in a buffer and has that buffer's type") {
  const Workshop workshop;
  const std::string buffer = "[[buffer]]\nname = \"means\"\ntype = \"f64\"\ncount = \"rows\"\n";
  const std::string further = "[[additional_output]]\nbuffer = \"means\"\noperator = \"mean\"\n";
  const Instance instance = workshop.load(contract("variance", buffer + further)).instances.at(0);
  REQUIRE(instance.additional_outputs.size() == 1);
  CHECK(instance.additional_outputs[0].reduction.op == Operator::mean);
  CHECK(instance.additional_outputs[0].reduction.output == Element::f64);
  CHECK(instance.additional_outputs[0].reduction.result == ResultShape::rows);
  CHECK(says(load_error(contract("variance", further)), "unknown [[buffer]] \"means\""));
}

TEST_CASE("an additional output needs the same variables and operands as a result") {
  const auto error = [&](const std::string& op, const std::string& result) {
    return load_error(
        "format = 1\n[reduction]\noperator = \"sum\"\ninput = \"f32\"\n[domain]\ncount = \"0 .. 9\"\n"
        "[[buffer]]\nname = \"more\"\ntype = \"f32\"\ncount = 1\n"
        "[[additional_output]]\nbuffer = \"more\"\noperator = \"" +
        op + "\"\nresult = \"" + result + "\"\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 32\n");
  };
  CHECK(says(error("sum", "columns"), "[domain] must specify \"columns\""));
  CHECK(says(error("sum", "segments"), "[domain] must specify \"segments\""));
  CHECK(says(error("dot", "value"), "dot requires an [[operand]] with role = \"second\""));
}

TEST_CASE("a claim for the operator of an additional output is accepted") {
  const Workshop workshop;
  const std::string ties = "[claims]\nties = \"first\"\n";
  const std::string buffer = "[[buffer]]\nname = \"at\"\ntype = \"u32\"\ncount = \"rows\"\n";
  const std::string index = "[[additional_output]]\nbuffer = \"at\"\noperator = \"argmax\"\n";
  CHECK(workshop.load(contract("mean", buffer + index + ties)).instances.at(0).claims.ties == Ties::first);
  CHECK(says(load_error(contract("mean", buffer + ties)),
             "\"ties\" applies to argmin and argmax, not to mean"));
}

TEST_CASE("a buffer may start with the identity of its own result, which must have one") {
  const Workshop workshop;
  const auto holding = [](const std::string& op) {
    return "[[buffer]]\nname = \"other\"\ntype = \"f32\"\ncount = \"rows\"\ninitial = \"identity\"\n"
           "[[additional_output]]\nbuffer = \"other\"\noperator = \"" +
           op + "\"\n";
  };
  CHECK(operator_of(workshop.load(contract("variance", holding("max"))).instances.at(0), "other") ==
        Operator::max);
  CHECK(
      says(load_error(contract("variance", holding("mean"))), "mean has no identity to initialize a buffer"));
}

TEST_CASE("a ranking operator has k outputs per row") {
  const Workshop workshop;
  const Contract ranked = workshop.load(
      "format = 1\n[reduction]\noperator = \"top-k\"\ninput = \"f32\"\noutput = \"u32\"\nresult = "
      "\"rows\"\nk = 2\n"
      "[domain]\ncolumns = \"2 .. 9\"\nrows = \"1 .. 9\"\ncount = \"rows * columns\"\n[[launch]]\nentry = "
      "\"k\"\n"
      "grid = 1\nblock = 32\n");
  CHECK(ranked.instances.at(0).output_count.evaluate({{"columns", 5}, {"rows", 3}, {"count", 15}}) == 6);
}

TEST_CASE("a value of \"epsilon\" that is negative or not a number is refused") {
  const auto with_epsilon = [](const std::string& epsilon) {
    return "format = 1\n[reduction]\noperator = \"rms-norm\"\ninput = \"f32\"\nresult = \"rows\"\n"
           "epsilon = \"" +
           epsilon +
           "\"\n[domain]\ncolumns = 3\ncount = \"columns\"\n[[launch]]\nentry = "
           "\"k\"\ngrid = 1\nblock = 32\n";
  };
  CHECK(
      says(load_error(with_epsilon("tiny")), "\"epsilon\" must be a number such as \"1e-5\", not \"tiny\""));
  CHECK(says(load_error(with_epsilon("-1e-5")), "\"epsilon\" must not be negative"));
}

}  // namespace
}  // namespace foldproof
