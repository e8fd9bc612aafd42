// What names tell about a contract: operators, parameters and template arguments.
#include <algorithm>
#include <map>

#include "catch.h"
#include "contracts/guess.h"
#include "contracts/guessing/guesses.h"
#include "guessed.h"
#include "nvcc.h"
#include "workshop.h"

using namespace foldproof;

TEST_CASE("an operator other than a fold is recognized by its name, longer words first") {
  const auto op = [](std::string_view name) {
    const NameRow* row = row_of_name(name);
    return row == nullptr ? "none" : info(row->op).name;
  };
  CHECK(op("row_softmax") == "softmax");
  CHECK(op("row_log_softmax") == "log-softmax");
  CHECK(op("rowStd") == "std");
  CHECK(op("row_rstd") == "rstd");
  CHECK(op("blockArgMax") == "argmax");
  CHECK(op("argmin") == "argmin");
  CHECK(op("block_absmax") == "absmax");
  CHECK(op("row_amax") == "none");
  CHECK(op("datamax") == "none");
  CHECK(op("asum") == "asum");
  CHECK(op("sum_of_squares") == "sum-of-squares");
  CHECK(op("rowSumSq") == "sum-of-squares");
  CHECK(op("lse2") == "log-sum-exp");
  CHECK(op("logSumExp") == "log-sum-exp");
  CHECK(op("rowVar") == "variance");
  CHECK(op("variable_sum") == "none");
  CHECK(op("meander") == "none");
  CHECK(op("history_max") == "none");
  CHECK(op("ns::mean_of_all") == "mean");
  CHECK(op("block_max") == "none");
  CHECK(op("bins") == "histogram");
  CHECK(op("sqnorm") == "sum-of-squares");
  CHECK(op("snrm2") == "norm");
  CHECK(op("rowL2") == "norm");
  CHECK(op("col2") == "none");
  CHECK(op("l1_norm") == "asum");
  CHECK(op("softmax_backward") == "none");
  CHECK(op("layerNormGrad") == "none");
  CHECK(op("grad_norm") == "norm");
  CHECK(op("welfordLayerNorm") == "layer-norm");
  CHECK(op("group_norm_f32") == "layer-norm");
}

TEST_CASE("the words of a name say what a kernel computes, parts of words do not") {
  CHECK(operator_in_name("block_sum") == Operator::sum);
  CHECK(operator_in_name("rowMax") == Operator::max);
  CHECK(operator_in_name("row_softmax") == Operator::softmax);
  for (const char* name :
       {"transpose_padded", "consume", "determinant", "reproduce", "uniform_add", "reduce"})
    CHECK_FALSE(operator_in_name(name).has_value());
}

TEST_CASE("a name is plain if its words say an operator and how the kernel works") {
  for (const char* name :
       {"sum", "blockReduceSum", "rowMax2", "reduce_sum_f32", "row_softmax", "l1_norm", "warp_sumsq"}) {
    INFO(name);
    CHECK(is_plain_name(name));
  }
  for (const char* name : {"sum_interior", "sumsq_interior", "sum_of_cubes", "max_gap", "reduce", "transpose",
                           "normalized_sum"}) {
    INFO(name);
    CHECK_FALSE(is_plain_name(name));
  }
}

TEST_CASE("numbers are words of their own") {
  CHECK(in_words("rowL2Norm") == "_row_l_2_norm_");
  CHECK(in_words("snrm2") == "_snrm_2_");
  CHECK(in_words("float4_sum") == "_float_4_sum_");
  CHECK(in_words("ns::sum2d") == "_ns__sum_2_d_");
}

TEST_CASE("an operator is guessed with its result, or refused with what is missing") {
  const auto ptx = [](const std::string& name, const std::string& types, const std::string& body) {
    return "\n.version 9.0\n.target sm_90\n.visible .entry _Z" + std::to_string(name.size()) + name + types +
           "(\n)\n{\n\t.shared .align 4 .b8 s[1024];\n$L__BB0_2:\n\tld.global.f32 \t%f1, [%rd1];\n\t@%p1 bra "
           "\t$L__BB0_2;\n" +
           body + "\tret;\n}\n";
  };
  const Workshop workshop;
  const auto guessed = [&](const std::string& name, const std::string& types, const std::string& body = "") {
    return likeliest_contracts(workshop.write("k.ptx", ptx(name, types, body)), name, {}).at(0);
  };
  const auto refused = [&](const std::string& name, const std::string& types, const std::string& body = "") {
    return guessed(name, types, body).no_fit.value().reason;
  };
  const auto reads_back = [&](const Contract& contract) {
    const std::string text = starter_contract(contract);
    INFO(text);
    CHECK(starter_contract(load_contract(workshop.write("k.toml", text), Trust::full)) == text);
  };
  const std::string to_f32 = "PKfPfi", to_i32 = "PKfPim", blocks = "\tmov.u32 \t%r1, %ctaid.x;\n";

  const Contract argmax = guessed("argmax", to_i32);
  CHECK(only(argmax).reduction->op == Operator::argmax);
  CHECK(only(argmax).reduction->result == ResultShape::value);
  CHECK(only(argmax).reduction->accumulator == Element::f32);
  CHECK(domain(argmax, "count").high.text() == "2^31 - 1");  // the last index is representable
  reads_back(argmax);
  const Contract softmax = guessed("softmax", to_f32, "\tex2.approx.ftz.f32 \t%f2, %f1;\n");
  CHECK(only(softmax).reduction->op == Operator::softmax);
  CHECK(only(softmax).reduction->result == ResultShape::array);
  CHECK(only(softmax).reduction->functions == MathFunctions::fast);
  CHECK(only(softmax).output_count.text() == "count");
  reads_back(softmax);
  CHECK(only(guessed("lse", to_f32)).reduction->op == Operator::log_sum_exp);
  CHECK(only(guessed("mean", to_f32)).reduction->op == Operator::mean);

  CHECK(refused("argmax", to_f32)
            .find("it is unknown what its output of type f32 holds; use --as to specify what the kernel "
                  "computes, or complete "
                  "the contract that `foldproof init` writes, with operator = "
                  "\"argmax\" and result = \"value\" or \"rows\"") != std::string::npos);
  CHECK(refused("softmax", to_f32, blocks).find("how long its rows are") != std::string::npos);
  CHECK(refused("softmax", "PKfPfii").find("how long its rows are") != std::string::npos);
  CHECK(refused("hist", to_i32).find("how many bins it has") != std::string::npos);
  CHECK(refused("variance", to_f32).find("by n or by n - 1") != std::string::npos);
  CHECK(refused("scan", to_f32).find("inclusive or exclusive") != std::string::npos);
  CHECK(refused("layernorm", to_f32).find("which epsilon it adds") != std::string::npos);
  CHECK(refused("rows", to_f32, "\tadd.f32 \t%f2, %f1, %f1;\n\tdiv.rn.f32 \t%f2, %f1, %f1;\n")
            .find("it divides or computes roots") != std::string::npos);
}

TEST_CASE("the name of an output may say that it holds the result of another operator") {
  CHECK(says_other("block_max", Operator::min));
  CHECK(says_other("hi", Operator::min));
  CHECK(says_other("rowLow", Operator::max));
  CHECK(says_other("argIndex", Operator::max));
  CHECK(says_other("block_max", Operator::absmax));
  CHECK_FALSE(says_other("amax", Operator::max));
  CHECK(says_other("sum", Operator::asum));
  CHECK(says_other("rms", Operator::norm));
  CHECK_FALSE(says_other("row_norms", Operator::norm));
  CHECK_FALSE(says_other("softmax_out", Operator::softmax));
  CHECK_FALSE(says_other("counts", Operator::histogram));
  CHECK(says_other("product", Operator::sum));
  CHECK_FALSE(says_other("target", Operator::max));
  CHECK_FALSE(says_other("column_sums", Operator::sum));
  CHECK_FALSE(says_other("block_out", Operator::sum));
}

TEST_CASE("templates are instantiated with usual arguments, and parameters are recognized by their names",
          "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  const auto source = workshop.write("k.cu", R"cuda(
template <typename T, int B> __global__ void block_max(T* result, const T* data, unsigned* ticket, int bias, int n) {
  __shared__ T shared[B];
  shared[threadIdx.x] = data[min(n, bias)];
  __syncthreads();
  if (atomicInc(ticket, gridDim.x) == blockIdx.x) *result = shared[B - 1 - threadIdx.x];
}
)cuda");
  CompileOptions options;
  options.cache = workshop.path() / "ptx";
  const Contract contract = likeliest_contracts(source, "", options).at(0);
  const LaunchContract& launch = only(contract).launches.at(0);
  CHECK(launch.entry == "block_max<float, 256>");
  CHECK(launch.arguments.at(0).buffer == "output");
  CHECK(launch.arguments.at(1).buffer == "input");
  CHECK(launch.arguments.at(2).buffer == "ticket");
  CHECK(launch.arguments.at(3).value.text() == "1");
  CHECK(launch.arguments.at(4).value.text() == "count");
  CHECK(only(contract).buffers.at(0).initial == BufferContract::Initial::zero);
  CHECK(only(contract).reduction->op == Operator::max);
  CHECK(only(contract).input_name == "data");
  CHECK(only(contract).output_name == "result");
  CHECK(assumed(contract).starts_with("block_max<float, 256>: assumed "));
}

TEST_CASE("a template in a nested namespace that a macro declares is guessed", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  const auto source = workshop.write("k.cu", R"cuda(
#define KERNEL template <typename T> __global__ void
#line 1 "other.cu"
namespace a::b {
KERNEL block_sum(const T* data, T* result, int n) {
  T sum = 0;
  for (int i = 0; i < n; ++i) sum += data[i];
  if (threadIdx.x == 0) *result = sum;
}
}
)cuda");
  CompileOptions options;
  options.cache = workshop.path() / "ptx";
  const Contract contract = likeliest_contracts(source, "", options).at(0);
  CHECK(only(contract).launches.at(0).entry == "a::b::block_sum<float>");
  CHECK(only(contract).output_name == "result");
}

TEST_CASE("a template without an instance has a contract that says so", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  const std::string body =
      "{ if (threadIdx.x == 0) { *out = 0; for (int i = 0; i < n; ++i) *out += in[i]; } }\n";
  const std::string parameters = "(const float* in, float* out, int n) ";
  const auto source = workshop.write(
      "k.cu",
      "__global__ void total" + parameters + body + "template <typename... T> __global__ void many_sum" +
          parameters + body +
          "template <typename T> __global__ void own_sum(const T* in, T* out, int n) { *out = in[n]; }\n"
          "template <> __global__ void own_sum<float>" +
          parameters + body +
          "template <typename T> __global__ void total(const T* in, T* out, int n, int m) " + body);
  CompileOptions options;
  options.cache = workshop.path() / "ptx";
  std::map<std::string, std::string> reasons;
  for (const Contract& contract : likeliest_contracts(source, "", options))
    reasons[only(contract).launches.at(0).entry] = contract.no_fit ? contract.no_fit->reason : "";
  CHECK(reasons ==
        std::map<std::string, std::string>{
            {"total", ""},
            {"own_sum<float>", ""},
            {"total<float>", ""},
            {"many_sum",
             "the source does not instantiate this template, and its arguments cannot be guessed; "
             "specify an instance with --entry, such as \"many_sum<float>\""},
            {"own_sum",
             "the source does not instantiate this template, and own_sum<float> is a specialization; "
             "specify an instance with --entry, such as \"own_sum<float>\""}});
}

TEST_CASE("a parameter named after groups receives the number of groups", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  const auto source = workshop.write("k.cu", R"cuda(
#include <cuda_fp16.h>
__global__ void pair_sum(const __half2* in, float* out, int pairs) {
  float v = 0;
  for (int i = threadIdx.x; i < pairs; i += 32) v += __low2float(in[i]) + __high2float(in[i]);
  atomicAdd(out, v);
}
)cuda");
  CompileOptions options;
  options.cache = workshop.path() / "ptx";
  const Contract contract = likeliest_contracts(source, "", options).at(0);
  CHECK(only(contract).reduction->input == Element::f16);
  CHECK(only(contract).launches.at(0).arguments.at(2).value.text() == "groups");
}

TEST_CASE("sizes named after rows and columns make the input a matrix", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Workshop workshop;
  const auto source = workshop.write("k.cu", R"cuda(
__global__ void row_max(const float* m, float* out, int rows, int cols) {
  __shared__ float s[256];
  float v = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) v = fmaxf(v, m[blockIdx.x * cols + c]);
  s[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < blockDim.x; ++k) v = fmaxf(v, s[k]);
    out[blockIdx.x] = v;
  }
}
__global__ void column_sum(const float* m, float* out, int M, int N) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= N) return;
  float v = 0;
  for (int r = 0; r < M; ++r) v += m[r * N + c];
  out[c] = v;
}
)cuda");
  CompileOptions options;
  options.cache = workshop.path() / "ptx";
  const auto contracts = likeliest_contracts(source, "", options);
  REQUIRE(contracts.size() == 2);
  const auto of_id = [&](const char* id) { return *std::ranges::find(contracts, id, &Contract::id); };
  const Instance by_rows = only(of_id("row_max")), by_columns = only(of_id("column_sum"));
  CHECK(by_rows.reduction->result == ResultShape::rows);
  CHECK(domain(of_id("row_max"), "grid").high.text() == "rows");
  CHECK(by_rows.launches.at(0).arguments.at(2).value.text() == "rows");
  CHECK(by_rows.launches.at(0).arguments.at(3).value.text() == "columns");
  CHECK(by_columns.reduction->result == ResultShape::columns);
  CHECK(domain(of_id("column_sum"), "grid").high.text() == "columns");
  CHECK(by_columns.output_count.text() == "columns");
}
