// What contracts say about memory and elements: padding, the place of the result, values of the caller that
// the output holds, conditions on elements, and tensors whose channels are reduced.
#include <string>

#include "catch.h"
#include "cli/program.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

/// One thread does the work of each kernel.
constexpr const char* kernels = R"cuda(
__global__ void pairs(const float* x, float* sum, int n) {
  float s = 0;
  for (int i = 0; i < n; i += 2) s += x[i] + x[i + 1];
  *sum = s;
}
__global__ void uses_padding(float* x, float* sum, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  x[n] = 7;
  *sum = s;
}
__global__ void scratch_sum(const float* x, float* scratch, int n, int steps) {
  for (int k = 0; k < steps; ++k) {
    scratch[k] = 0;
    for (int i = k; i < n; i += steps) scratch[k] += x[i];
  }
  float s = 0;
  for (int k = 0; k < steps; ++k) s += scratch[k];
  scratch[steps] = s;
}
__global__ void add_to(const float* x, float* sum, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  *sum += s;
}
__global__ void replace(const float* x, float* sum, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  *sum = s;
}
__global__ void count_into(const unsigned char* x, unsigned* bins, int n) {
  for (int i = 0; i < n; ++i) ++bins[x[i] % 8];
}
__global__ void count_positive_flushed(const float* x, unsigned* result, int n) {
  unsigned c = 0;
  for (int i = 0; i < n; ++i) {
    int is_positive;
    asm("{ .reg .pred p; setp.gt.ftz.f32 p, %1, 0f00000000; selp.s32 %0, 1, 0, p; }" : "=r"(is_positive) : "f"(x[i]));
    c += is_positive;
  }
  *result = c;
}
__global__ void smallest_positive(const float* x, float* smallest, int n) {
  float s = -1;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0) s = s < 0 ? x[i] : fminf(s, x[i]);
  *smallest = s;
}
__global__ void count_from_half(const float* x, unsigned* result, int n) {
  unsigned c = 0;
  for (int i = 0; i < n; ++i) c += x[i] >= 0.5f;
  *result = c;
}
__global__ void sum_of_small(const float* x, float* sum, int n, int end) {
  float s = 0;
  for (int i = 0; i < end; ++i)
    if (x[i] > -1 && x[i] < 1) s += x[i];
  *sum = s;
}
__global__ void channel_sums(const float* x, float* sums, int batch, int channels, int spatial, int step) {
  for (int c = 0; c < channels; ++c) {
    float s = 0;
    for (int b = 0; b < batch; ++b)
      for (int i = 0; i < spatial; ++i) s += x[(b * channels + c) * step + i];
    sums[c] = s;
  }
}
__global__ void scaled_channels(const float* x, float* y, const float* w, int count, int channels, int spatial,
                                int weights) {
  for (int c = 0; c < channels; ++c) {
    float s = 0;
    int n = 0;
    for (int i = 0; i < count; ++i)
      if (i / spatial % channels == c) s += x[i] * x[i], ++n;
    for (int i = 0; i < count; ++i)
      if (i / spatial % channels == c) y[i] = x[i] / sqrtf(s / n + 1) * w[i / spatial % weights];
  }
}
)cuda";

/// What a contract says besides the source and the types f32.
struct Form {
  std::string reduction = "operator = \"sum\"\ninput = \"f32\"\n";
  std::string domain = "count = \"0 .. 100\"\n";
  std::string tables = "";  ///< complete ones, such as "[output]\n…"
  std::string entry;
  std::string arguments = "\"input\", \"output\", \"count\"";
};

class Audits {
 public:
  explicit Audits(const std::string& name) : folder_(name) { folder_.file("k.cu", kernels); }

  int status(const Form& form) const { return ran(form).status; }
  Ran ran(const Form& form) const {
    return run({"audit", folder_.file("k.toml", "format = 1\n[reduction]\n" + form.reduction + "[domain]\n" +
                                                    form.domain + form.tables + "[[launch]]\nentry = \"" +
                                                    form.entry + "\"\ngrid = 1\nblock = 1\narguments = [" +
                                                    form.arguments + "]\n")});
  }

 private:
  Folder folder_;
};

TEST_CASE("padding past the input may be read if the contract provides it, and only zeros may be added",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Audits audits("padding");
  Form form{.entry = "pairs"};
  CHECK(audits.ran(form).out.find("out-of-bounds") != std::string::npos);
  form.tables = "[input]\ncapacity = \"ceil_div(count, 2) * 2\"\n";
  CHECK(audits.ran(form).out.find("uninitialized-read") != std::string::npos);
  form.tables += "padding = \"zero\"\n";
  CHECK(audits.status(form) == 0);
}

TEST_CASE("a kernel must not modify the padding after its input", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Audits audits("written-padding");
  Form form{.entry = "uses_padding"};
  for (const char* padding : {"", "padding = \"zero\"\n"}) {
    form.tables = "[input]\ncapacity = \"count + 1\"\n" + std::string(padding);
    CHECK(audits.ran(form).out.find("the padding after") != std::string::npos);
    form.tables += "[claims]\nkeeps_input = false\n";
    CHECK(audits.ran(form).out.find("the padding after") != std::string::npos);
  }
}

TEST_CASE("a result after the scratch memory in its buffer is found at the index of the contract", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Audits audits("index");
  Form form{.domain = "count = \"0 .. 100\"\nsteps = \"1 .. 8\"\n",
            .tables = "[output]\ncount = 1\nindex = \"steps\"\n",
            .entry = "scratch_sum",
            .arguments = "\"input\", \"output\", \"count\", \"steps\""};
  CHECK(audits.status(form) == 0);
  form.tables = "[output]\ncount = 1\ncapacity = \"steps + 1\"\n";
  CHECK(audits.status(form) == 1);
}

TEST_CASE("a kernel that replaces the caller's value is reported, unlike one that adds its result to it",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Audits audits("accumulating");
  Form form{.tables = "[output]\ncount = 1\ninitial = \"any\"\n", .entry = "add_to"};
  CHECK(audits.status(form) == 0);
  form.entry = "replace";
  const Ran replaced = audits.ran(form);
  CHECK(replaced.status == 1);
  CHECK(replaced.out.find(" held ") != std::string::npos);
}

TEST_CASE("counts may be added to the caller's bins", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Audits audits("accumulating-bins");
  Form form{.reduction =
                "operator = \"histogram\"\ninput = \"u8\"\noutput = \"u32\"\nresult = \"bins\"\n"
                "bin = \"x % 8\"\n",
            .tables = "[output]\ncount = 8\ninitial = \"any\"\n",
            .entry = "count_into"};
  CHECK(audits.status(form) == 0);
  form.reduction += "accumulator = \"u32\"\n";
  form.tables = "[output]\ncount = 8\n";
  CHECK(audits.status(form) == 1);
}

TEST_CASE("a condition that the kernel tests with >= instead of > is found by an element at its edge",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Audits audits("where-count");
  Form form{.reduction = "operator = \"count\"\ninput = \"f32\"\noutput = \"u32\"\nwhere = \"x >= 0.5\"\n",
            .entry = "count_from_half"};
  CHECK(audits.status(form) == 0);
  form.reduction = "operator = \"count\"\ninput = \"f32\"\noutput = \"u32\"\nwhere = \"x > 0.5\"\n";
  CHECK(audits.ran(form).out.find("elements satisfy the condition, so \"count\" is ") != std::string::npos);
}

TEST_CASE("whether a flushed element satisfies the condition is open", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Audits audits("where-flushed");
  const std::string reduction =
      "operator = \"count\"\ninput = \"f32\"\noutput = \"u32\"\nwhere = \"x > 0\"\n";
  CHECK(audits.status({.reduction = reduction, .entry = "count_positive_flushed"}) == 0);
  CHECK(audits.status({.reduction = reduction, .entry = "count_from_half"}) == 1);
}

TEST_CASE("a condition that no element satisfies leaves what the contract says", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Audits audits("where-none");
  Form form{.reduction = "operator = \"min\"\ninput = \"f32\"\nwhere = \"x > 0\"\n",
            .tables = "[claims]\nempty = \"unspecified\"\n",
            .entry = "smallest_positive"};
  CHECK(audits.status(form) == 0);
  form.tables = "";
  CHECK(audits.status(form) == 1);  // -1 is not the identity
}

TEST_CASE("elements that do not satisfy the condition need not be used, but all others must be", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Audits audits("where-sum");
  Form form{.reduction = "operator = \"sum\"\ninput = \"f32\"\nwhere = \"x > -1 and x < 1\"\n",
            .entry = "sum_of_small",
            .arguments = "\"input\", \"output\", \"count\", \"count\""};
  CHECK(audits.status(form) == 0);
  form.arguments = "\"input\", \"output\", \"count\", \"max(count - 1, 0)\"";
  CHECK(audits.ran(form).out.find("input-not-used") != std::string::npos);
}

TEST_CASE("the channels of a tensor are reduced over its examples and their elements", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Audits audits("channels");
  Form form{.reduction = "operator = \"sum\"\ninput = \"f32\"\nresult = \"columns\"\n",
            .domain =
                "rows = \"1 .. 9\"\ncolumns = \"1 .. 9\"\nspatial = \"1 .. 9\"\n"
                "count = \"rows * columns * spatial\"\n",
            .entry = "channel_sums",
            .arguments = "\"input\", \"output\", \"rows\", \"columns\", \"spatial\", \"spatial\""};
  CHECK(audits.status(form) == 0);
  form.arguments = "\"input\", \"output\", \"rows\", \"columns\", \"spatial\", \"1\"";
  CHECK(audits.status(form) == 1);
}

TEST_CASE("a normalized channel has one weight, and other groups of elements have theirs", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Audits audits("weights-of-channels");
  const std::string sizes = "rows = \"1 .. 5\"\ncolumns = \"1 .. 5\"\nspatial = \"1 .. 5\"\n";
  const auto weights = [](const std::string& more) {
    return "[[operand]]\nname = \"w\"\nrole = \"weights\"\ntype = \"f32\"\n" + more;
  };
  Form form{.reduction = "operator = \"rms-norm\"\ninput = \"f32\"\nresult = \"columns\"\nepsilon = \"1\"\n",
            .domain = sizes + "count = \"rows * columns * spatial\"\n",
            .tables = weights(""),
            .entry = "scaled_channels",
            .arguments = "\"input\", \"output\", \"w\", \"count\", \"columns\", \"spatial\", \"columns\""};
  CHECK(audits.status(form) == 0);
  // Each row is a channel of an example.
  form = {.reduction = "operator = \"rms-norm\"\ninput = \"f32\"\nresult = \"rows\"\nepsilon = \"1\"\n",
          .domain =
              "channels = \"1 .. 5\"\nrows = \"1 .. 5\"\ncolumns = \"1 .. 5\"\n"
              "count = \"rows * columns\"\n",
          .tables = weights("count = \"channels\"\ngroup = \"columns\"\n"),
          .entry = "scaled_channels",
          .arguments = "\"input\", \"output\", \"w\", \"count\", \"rows\", \"columns\", \"channels\""};
  CHECK(audits.status(form) == 0);
  form.arguments = "\"input\", \"output\", \"w\", \"count\", \"rows\", \"columns\", \"1\"";
  CHECK(audits.status(form) == 1);
}

}  // namespace
