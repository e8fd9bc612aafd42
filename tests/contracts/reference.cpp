// Reference contracts: how they are named, and which parameters of a kernel become which of their parts.
#include "contracts/reference.h"

#include <algorithm>

#include "base/error.h"
#include "catch.h"
#include "contracts/guessed.h"
#include "contracts/workshop.h"

using namespace foldproof;
using foldproof::tests::contains_text;

namespace {

/// The PTX of a kernel with these parameter types, as mangled by the Itanium ABI, that reads its block index.
std::string ptx_of(const std::string& mangled, int parameters) {
  std::string list;
  for (int i = 0; i < parameters; ++i)
    list += (i == 0 ? "" : ", ") + std::string(".param .u64 ") + mangled + "_param_" + std::to_string(i);
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry " + mangled + "(" + list +
         ")\n{\n\t.reg .b32 %r<2>;\n\t.reg .b64 %rd<2>;\n\t.reg .f32 %f<2>;\n\t.reg .pred %p<2>;\n"
         "\tmov.u32 %r1, %ctaid.x;\n$loop:\n\tld.global.f32 %f1, [%rd1];\n\tsetp.ne.u32 %p1, %r1, 0;\n"
         "\t@%p1 bra $loop;\n\tret;\n}\n";
}

Contract contract_as(const std::string& name, const std::string& map, const std::string& entry,
                     const std::string& ptx) {
  const Workshop workshop;
  return likeliest_contracts(workshop.write("k.ptx", ptx), entry, {}, reference_named(name, map)).at(0);
}

Instance as(const std::string& name, const std::string& map, const std::string& entry,
            const std::string& ptx) {
  return contract_as(name, map, entry, ptx).instances.at(0);
}

/// Pointers are named by their buffers, numbers by their expressions.
std::vector<std::string> arguments_of(const Instance& instance) {
  std::vector<std::string> all;
  for (const ArgumentContract& argument : instance.launches.at(0).arguments)
    all.push_back(argument.form == ArgumentContract::Form::pointer ? argument.buffer : argument.value.text());
  return all;
}

std::string domain_of(const Instance& instance, const std::string& variable) {
  for (const auto& [name, range] : instance.domain)
    if (name == variable) return range.low.text() + " .. " + range.high.text();
  return "";
}

// k(float const*, float const*, float*, int, int)
const std::string five = ptx_of("_Z1kPKfS0_Pfii", 5);

}  // namespace

TEST_CASE("a reference contract is named by its problem, its shape and its keys") {
  const Reference reference = reference_named("rms-norm:rows,epsilon=1e-6,nan=propagate", "x=1,rows=n");
  CHECK(reference.op == Operator::rms_norm);
  CHECK(reference.result == ResultShape::rows);
  CHECK(reference.keys ==
        std::vector<std::pair<std::string, std::string>>{{"epsilon", "1e-6"}, {"nan", "propagate"}});
  CHECK(reference.parameters.at("x") == "1");
  CHECK(reference.parameters.at("rows") == "n");
}

TEST_CASE("without a shape, the whole input is reduced, except for rankings") {
  CHECK(reference_named("sum", "").result == ResultShape::value);
  CHECK(reference_named("softmax", "").result == ResultShape::array);
  CHECK(reference_named("cumulative-sum", "").result == ResultShape::scan);
  CHECK(reference_named("top-k,k=3", "").result == ResultShape::rows);
}

TEST_CASE("names and values that no reference contract has are refused, with the nearest ones") {
  CHECK_THROWS_WITH(reference_named("sofmax", ""), contains_text("did you mean \"softmax\"?"));
  CHECK_THROWS_WITH(reference_named("top-k:columns", ""),
                    "--as: top-k does not support \"columns\"; choose one of rows");
  CHECK_THROWS_WITH(reference_named("rms-norm,epsilo=1", ""), contains_text("did you mean \"epsilon\"?"));
  CHECK_THROWS_WITH(reference_named("sum,k", ""), "--as: \"k\" must have the form NAME=VALUE");
  CHECK_THROWS_WITH(reference_named("sum,operator=max", ""), contains_text("sum has no key \"operator\""));
  CHECK_THROWS_WITH(reference_named("sum:rows", "row=1"), contains_text("did you mean \"rows\"?"));
  CHECK_THROWS_WITH(reference_named("sum", "x=0,x=1"), "--map: \"x\" has two parameters");
  CHECK_THROWS_WITH(reference_named("sum:rows", "count=1"),
                    contains_text("its parts are x, y, rows, columns"));
  CHECK_THROWS_WITH(reference_named("sum,nan=ignore,nan=propagate", ""), "--as: \"nan\" is given twice");
  CHECK_THROWS_WITH(reference_named("cumulative-sum,scan=exclusive", ""),
                    "--as: cumulative-sum has scan=inclusive already");
  for (const char* k : {"0", "-1", "1+1", "columns", "1 .. 2", "99999999999"})
    CHECK_THROWS_WITH(reference_named(std::string("top-k,k=") + k, ""),
                      contains_text("\"k\" must be an integer from 1 to 2^32 - 1"));
  for (const char* wrong : {"", ":", ",", "sum:", "sum:,", "sum,=1", "sum,k="})
    CHECK_THROWS_AS(reference_named(wrong, ""), InputError);
}

TEST_CASE(
    "a value that the key cannot have, or a key of another operator, is refused when the kernel is known") {
  const auto error = [](const std::string& name) {
    try {
      as(name, "", "_Z1kPKfPfii", ptx_of("_Z1kPKfPfii", 4));
    } catch (const InputError& e) {
      return std::string(e.sentence());
    }
    return std::string();
  };
  CHECK(error("softmax:rows,epsilon=1") ==
        "--as: \"epsilon\" applies to std, rstd, l2-normalize, layer-norm and rms-norm, not to softmax");
  CHECK(error("rms-norm:rows,epsilon=many") ==
        "--as: \"epsilon\" must be a number such as \"1e-5\", not \"many\"");
  CHECK(error("sum:rows,deterministic=maybe") ==
        "--as: \"deterministic\" must be true or false, not \"maybe\"");
  CHECK(error("sum:rows,deterministic=true\n[source]").find("--as: ") == 0);
  CHECK(error("variance:rows,correction=1").empty());
  CHECK(error("variance:rows,correction=1\n[source]") ==
        "--as: \"correction\" must be an integer, not \"1\n[source]\"");
  CHECK(error("sum:rows,nan=\"\n").find("--as: ") == 0);
}

TEST_CASE("rows come before columns among parameters without names, and operands follow the input") {
  const Instance instance = as("rms-norm:rows,epsilon=0", "", "_Z1kPKfS0_Pfii", five);
  CHECK(arguments_of(instance) == std::vector<std::string>{"input", "operand2", "output", "rows", "columns"});
  CHECK(instance.operands.at(0).role == Role::weights);
  CHECK(instance.operands.at(0).count.text() == "columns");
  CHECK(instance.output_count.text() == "count");
}

TEST_CASE("parameters that the user names are those parts, whatever their order") {
  const Instance instance = as("dot:rows", "x=1,second=0,columns=3,rows=4", "_Z1kPKfS0_Pfii", five);
  CHECK(arguments_of(instance) == std::vector<std::string>{"operand1", "input", "output", "columns", "rows"});
  CHECK_THROWS_WITH(as("dot:rows", "x=7", "_Z1kPKfS0_Pfii", five),
                    contains_text("has no parameter \"7\" for \"x\"; it has 5 parameters, counted from 0"));
}

TEST_CASE("a pointer that the operator does not need is not ignored") {
  CHECK(contract_as("sum:rows", "", "_Z1kPKfS0_Pfii", five).no_fit.value().reason ==
        "sum:rows does not fit this kernel, since it reads more than one input");
}

TEST_CASE("a single size is the number of columns, of as many rows as blocks") {
  const Instance instance = as("softmax:rows", "", "_Z1kPKfPfi", ptx_of("_Z1kPKfPfi", 3));
  CHECK(arguments_of(instance) == std::vector<std::string>{"input", "output", "columns"});
}

TEST_CASE("a part that the user names is that parameter and no other, whatever its name or place") {
  const std::string ptx = ptx_of("_Z1kPKfPfii", 4);
  CHECK(arguments_of(as("sum:rows", "columns=2", "_Z1kPKfPfii", ptx)) ==
        std::vector<std::string>{"input", "output", "columns", "rows"});
  CHECK(arguments_of(as("top-k:rows,k=2", "k=2", "_Z1kPKfPiiii", ptx_of("_Z1kPKfPiiii", 5))) ==
        std::vector<std::string>{"input", "output", "2", "rows", "columns"});
}

TEST_CASE("a parameter that cannot be the part is refused, and so is one that is two parts") {
  const auto refused = [](const std::string& map, const std::string& why) {
    CHECK_THROWS_WITH(as("sum:rows", map, "_Z1kPKfPfii", ptx_of("_Z1kPKfPfii", 4)), contains_text(why));
  };
  refused("columns=1", "\"columns\" must be an integer");
  refused("x=2", "\"x\" must be a pointer");
  refused("y=0", "\"y\" must be a pointer to non-const elements");
  refused("rows=2,columns=2", "is mapped to two parts");
}

TEST_CASE("a reference contract does not fit a kernel without an operand that its operator requires") {
  const auto why = [](const std::string& name, const std::string& entry, int parameters) {
    return contract_as(name, "", entry, ptx_of(entry, parameters)).no_fit.value().reason;
  };
  CHECK(
      why("dot", "_Z1kPKfPfi", 3) ==
      "dot does not fit this kernel, since it has no pointer of a suitable type for the operand \"second\", "
      "what each element is multiplied with, divided by or compared with; name one with --map");
  CHECK(why("dot", "_Z1kPKfPKdPfi", 4).find("for the operand \"second\"") != std::string::npos);
  CHECK(why("sum:segments", "_Z1kPKfPfi", 3).find("for the operand \"offsets\"") != std::string::npos);
}

TEST_CASE("an operand need not be a pointer to const") {
  const Instance instance = as("dot", "", "_Z1kPfS_S_i", ptx_of("_Z1kPfS_S_i", 4));
  CHECK(arguments_of(instance) == std::vector<std::string>{"input", "operand2", "output", "count"});
}

TEST_CASE("keys that the user names replace what a reference contract assumes") {
  CHECK(as("sum:rows,empty=identity", "", "_Z1kPKfPfii", ptx_of("_Z1kPKfPfii", 4)).claims.empty ==
        EmptyPolicy::identity);
  CHECK(as("sum:partials", "", "_Z1kPKfPfi", ptx_of("_Z1kPKfPfi", 3)).reduction->result ==
        ResultShape::partials);
}

TEST_CASE("a threshold or an epsilon that is a parameter has the value of the key") {
  const auto number = [](const std::string& name, const std::string& map) {
    const Instance instance = as(name, map, "_Z1kPKfPfif", ptx_of("_Z1kPKfPfif", 4));
    return instance.launches.at(0).arguments.at(3).number;
  };
  CHECK(number("top-p,p=0.75", "p=3") == 0.75);
  CHECK(number("rms-norm,epsilon=0.5", "epsilon=3") == 0.5);
  CHECK(number("rms-norm,epsilon=0", "epsilon=3") == 0);
  CHECK(number("sum", "") == 1);
}

TEST_CASE(
    "an epsilon that only the kernel's caller knows is the usual one, for the kernel and for the oracle") {
  const Instance instance = as("rms-norm", "epsilon=3", "_Z1kPKfPfif", ptx_of("_Z1kPKfPfif", 4));
  CHECK(instance.launches.at(0).arguments.at(3).number == 0x1p-17);
  CHECK(instance.reduction->epsilon == 0x1p-17);
}

TEST_CASE("a row of groups of elements is as long as its groups") {
  const std::string entry = "_Z1kPK6float4Pfii";
  const Instance instance = as("sum:rows", "", entry, ptx_of(entry, 4));
  CHECK(domain_of(instance, "groups") == "1 .. 2^13");
  CHECK(domain_of(instance, "columns") == "groups * 4 .. groups * 4");
  CHECK(arguments_of(instance) == std::vector<std::string>{"input", "output", "rows", "columns"});
}

TEST_CASE("a result for each element may be stored in groups, but not a result for each row") {
  const std::string entry = "_Z1kPK6float4PS_ii";
  CHECK(as("softmax:rows", "", entry, ptx_of(entry, 4)).output_count.text() == "count");
  CHECK(contract_as("sum:rows", "", entry, ptx_of(entry, 4)).no_fit.value().reason ==
        "sum:rows does not fit this kernel, since it is unknown what it stores in each component of a vector "
        "type");
}

TEST_CASE("without a parameter for the rows, a kernel has a block for each row") {
  std::string ptx = ptx_of("_Z1kPKfPfi", 3);
  ptx.insert(ptx.find("$loop"), "\tmov.u32 %r1, %nctaid.x;\n");  // as of a flattened grid
  const Instance instance = as("sum:rows", "", "_Z1kPKfPfi", ptx);
  CHECK(domain_of(instance, "grid") == "rows .. rows");
}
