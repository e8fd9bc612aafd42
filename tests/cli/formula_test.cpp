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
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
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
__global__ void batch_norm_gain_gradient(const float* dout, const float* x, const float* mean, const float* invstd,
                                         float* dgain, int batch, int channels, int spatial) {
  if (threadIdx.x != 0) return;
  const int c = blockIdx.x;
  float gain = 0;
  for (int b = 0; b < batch; ++b)
    for (int i = 0; i < spatial - LAST; ++i) {
      const int at = (b * channels + c) * spatial + i;
      gain += dout[at] * (x[at] - mean[c]) * invstd[c];
    }
  dgain[c] = gain;
}
template __global__ void batch_norm_gain_gradient<0>(const float*, const float*, const float*, const float*, float*, int, int, int);
template __global__ void batch_norm_gain_gradient<1>(const float*, const float*, const float*, const float*, float*, int, int, int);

template <int WRONG>
__global__ void layer_norm_gradient(const float* dy, const float* x, const float* mean, const float* rstd,
                                    const float* gamma, float* dx, int columns) {
  if (threadIdx.x != 0) return;
  const int row = blockIdx.x;
  dy += row * columns, x += row * columns, dx += row * columns;
  float g = 0, gz = 0;
  for (int i = 0; i < columns; ++i) {
    const float one = dy[i] * gamma[i];
    g += one;
    gz += one * ((x[i] - mean[row]) * rstd[row]);
  }
  g /= columns, gz /= columns;
  for (int i = 0; i < columns; ++i) {
    const float z = (x[i] - mean[row]) * rstd[row];
    dx[i] = (dy[i] * gamma[i] - g - (WRONG ? gz : z * gz)) * rstd[row];
  }
}
template __global__ void layer_norm_gradient<0>(const float*, const float*, const float*, const float*, const float*, float*, int);
template __global__ void layer_norm_gradient<1>(const float*, const float*, const float*, const float*, const float*, float*, int);

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

TEST_CASE("each reference contract of a gradient has a right and a wrong kernel", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const auto status = [](const std::string& entry, const std::string& as) {
    std::vector<std::string> words{
        "audit", folder_of_formulas().path("k.cu"), "--entry", entry, "--cases", "16", "--as", as};
    if (entry.starts_with("gain")) words.insert(words.end(), {"--map", "y=dgain"});
    const Ran ran = run(words);
    UNSCOPED_INFO(ran.out << ran.err);
    return ran.status;
  };
  for (const auto& [kernel, as] : {std::pair{"softmax_gradient", "softmax-gradient:rows"},
                                   {"layer_norm_gradient", "layer-norm-gradient"},
                                   {"gain_gradient", "layer-norm-gain-gradient"},
                                   {"batch_norm_gain_gradient", "batch-norm-gain-gradient"}}) {
    INFO(as);
    const std::string right =
        as == std::string("layer-norm-gain-gradient") ? "3" : "0";  // dbias is unchecked
    CHECK(std::to_string(status(kernel + std::string("<0>"), as)) == right);
    CHECK(status(kernel + std::string("<1>"), as) == 1);
  }
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
  refuse(gradient_contract("sum(dy * ", "gain_gradient<0>"), "the formula ends where an operand is expected");
  refused({"audit", folder_of_formulas().path("k.cu"), "--as", "formula:columns"},
          "formula requires a formula");
  refused({"audit", folder_of_formulas().path("k.cu"), "--as", "formula:columns,formula=sum(("},
          "ends where an operand is expected");
  refused({"audit", folder_of_formulas().path("k.cu"), "--as", "formula:columns,formula=sum(x * y)"},
          "cannot call an operand \"y\"");
  // An operand of another role, or of another shape.
  std::string contract = gradient_contract(gain, "gain_gradient<0>");
  contract.replace(contract.find("formula = \"sum(dy)\""), 19, "formula = \"sum(dy * mean)\"");
  refuse(contract, "read different values of the operand \"mean\"");
  refuse(gradient_contract("sum(dy * (x - mean[row])) * rstd[row]", "gain_gradient<0>"),
         "each result has several values of \"rstd[row]\"");
}
