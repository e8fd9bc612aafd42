// Kernels whose contracts say what they compute by a formula: gradients, and statistics about a given mean.
#include <string>

#include "catch.h"
#include "cli/program.h"
#include "cli/refused.h"
#include "nvcc.h"

using namespace foldproof::test;
using foldproof::tests::contains_text;

namespace {

/// One thread does the work of each kernel. Wrong variants: MEAN, GAIN, SIGN.
constexpr const char* kernels_with_formulas = R"cuda(
template <int MEAN>
__global__ void gain_gradient(const float* dy, const float* x, const float* mean, const float* rstd, float* dgain,
                              float* dbias, int rows, int columns) {
  for (int c = 0; c < columns; ++c) {
    float gain = 0, bias = 0;
    for (int r = 0; r < rows; ++r) {
      const float d = dy[r * columns + c];
      gain += d * (x[r * columns + c] - mean[MEAN == 0 ? r : r / 2]) * rstd[r];
      bias += d;
    }
    dgain[c] = gain;
    dbias[c] = bias;
  }
}
template __global__ void gain_gradient<0>(const float*, const float*, const float*, const float*, float*, float*, int, int);
template __global__ void gain_gradient<1>(const float*, const float*, const float*, const float*, float*, float*, int, int);

template <int LAST>
__global__ void softmax_gradient(const float* y, const float* dy, float* dx, int columns) {
  if (threadIdx.x != 0) return;
  y += blockIdx.x * columns, dy += blockIdx.x * columns, dx += blockIdx.x * columns;
  float dot = 0;
  for (int i = 0; i < columns - LAST; ++i) dot += y[i] * dy[i];
  for (int i = 0; i < columns; ++i) dx[i] = y[i] * (dy[i] - dot);
}
template __global__ void softmax_gradient<0>(const float*, const float*, float*, int);
template __global__ void softmax_gradient<1>(const float*, const float*, float*, int);
)cuda";

Folder& folder_of_formulas() {
  static Folder shared("formulas");
  shared.file("k.cu", kernels_with_formulas);
  return shared;
}

std::string gradient_contract(const std::string& formula, const std::string& entry) {
  return "format = 1\n[source]\npath = \"k.cu\"\n[reduction]\noperator = \"formula\"\nformula = \"" +
         formula +
         "\"\ninput = \"f32\"\nresult = \"columns\"\n[domain]\nrows = \"1 .. 40\"\ncolumns = \"1 .. 9\"\n"
         "count = \"rows * columns\"\n[output]\ncount = \"columns\"\n"
         "[[operand]]\nname = \"dy\"\nrole = \"variable\"\ntype = \"f32\"\n"
         "[[operand]]\nname = \"mean\"\nrole = \"variable\"\ntype = \"f32\"\n"
         "[[operand]]\nname = \"rstd\"\nrole = \"variable\"\ntype = \"f32\"\n"
         "[[buffer]]\nname = \"dbias\"\ntype = \"f32\"\ncount = \"columns\"\n"
         "[[additional_output]]\nbuffer = \"dbias\"\noperator = \"formula\"\nformula = \"sum(dy)\"\n"
         "[[launch]]\nentry = \"" +
         entry +
         "\"\ngrid = 1\nblock = 1\n"
         "arguments = [\"dy\", \"input\", \"mean\", \"rstd\", \"output\", \"dbias\", \"rows\", "
         "\"columns\"]\n";
}

Ran audited_formula(const std::string& contract) {
  folder_of_formulas().file("k.toml", contract);
  return run({"audit", folder_of_formulas().path("k.toml")});
}

constexpr const char* gain = "sum(dy * (x - mean[row]) * rstd[row])";

}  // namespace

TEST_CASE("the gradient of a gain is checked against its formula, as is another output", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Ran right = audited_formula(gradient_contract(gain, "gain_gradient<0>"));
  INFO(right.out << right.err);
  CHECK(right.status == 0);
  const Ran wrong = audited_formula(gradient_contract(gain, "gain_gradient<1>"));
  CHECK(wrong.status == 1);
  CHECK_THAT(wrong.out, contains_text("but the exact value of the formula is"));
}

TEST_CASE("a reference contract has the formula that --as names, for parameters of these names", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const auto as_gradient = [](const std::string& entry, const std::string& formula, const std::string& map) {
    return run({"audit", folder_of_formulas().path("k.cu"), "--entry", entry, "--cases", "12", "--as",
                "element-formula:rows,formula=" + formula, "--map", map});
  };
  const Ran right = as_gradient("softmax_gradient<0>", "x * (dy - sum(x * dy))", "x=y,y=dx");
  INFO(right.out << right.err);
  CHECK(right.status == 0);
  CHECK(as_gradient("softmax_gradient<1>", "x * (dy - sum(x * dy))", "x=y,y=dx").status == 1);
  CHECK(as_gradient("softmax_gradient<0>", "x * (g - sum(x * g))", "x=y,y=dx,g=dy").status == 0);
  const Ran unnamed = as_gradient("softmax_gradient<0>", "x * (g - sum(x * g))", "x=y,y=dx");
  CHECK(unnamed.status == 3);
  CHECK_THAT(unnamed.out + unnamed.err, contains_text("is called \"g\"; name one with --map g=PARAMETER"));
}

TEST_CASE("a formula that does not fit its contract is refused in a sentence") {
  const auto refuse = [](const std::string& contract, const std::string& part) {
    folder_of_formulas().file("k.toml", contract);
    refused({"audit", folder_of_formulas().path("k.toml")}, part);
  };
  refuse(gradient_contract("x * sum(dy) + mean[row] * rstd[row]", "gain_gradient<0>"),
         "write operator = \"element-formula\"");
  refuse(gradient_contract("sum(dy * (x - mean[row]))", "gain_gradient<0>"),
         "does not contain the operand \"rstd\"");
  refuse(gradient_contract("sum(dy * (x - mean[row]) * rstd[row] * w)", "gain_gradient<0>"),
         "requires an [[operand]] with name = \"w\" and role = \"variable\"");
  refuse(gradient_contract("sum(dy * ", "gain_gradient<0>"), "something is missing at the end");
  refused({"audit", folder_of_formulas().path("k.cu"), "--as", "formula:columns"},
          "formula requires a formula");
  refused({"audit", folder_of_formulas().path("k.cu"), "--as", "formula:columns,formula=sum(("},
          "missing at the end");
}
