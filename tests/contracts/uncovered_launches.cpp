#include "contracts/uncovered_launches.h"

#include "catch.h"
#include "workshop.h"

using namespace foldproof;

namespace {

/// A contract for the kernel `sum` with this domain and block, which is compiled.
Contract contract_with(const std::string& domain, const std::string& block) {
  const Workshop workshop;
  Contract contract = workshop.load(
      "format = 1\n[reduction]\noperator = \"sum\"\ninput = \"f32\"\n[domain]\ncount = \"0 .. 9\"\n" +
          domain + "\n[[launch]]\nentry = \"sum\"\ngrid = 1\nblock = " + block +
          "\narguments = [\"input\", \"output\", \"count\"]\n",
      "");
  contract.instances.at(0).launches.at(0).lowered = "_Z3sumPKfPfi";
  return contract;
}

/// For a source with the kernel `sum`, which `host` launches.
std::vector<std::string> uncovered(const Contract& contract, const std::string& host,
                                   const std::vector<const Contract*>& others = {}) {
  const std::string kernel = "__global__ void sum(const float* x, float* y, int n) {}\n";
  return uncovered_launches(contract, others, {{"_Z3sumPKfPfi", "sum", {}}},
                            kernel + "void host(float* x, float* y, int n) {\n" + host + "\n}\n");
}

std::vector<std::string> uncovered(const std::string& domain, const std::string& block,
                                   const std::string& host) {
  return uncovered(contract_with(domain, block), host);
}

}  // namespace

TEST_CASE("a launch of the source with a block that the contract does not include is noted") {
  CHECK(uncovered("block = \"1 .. 256\"", "\"block\"", "sum<<<1, 512>>>(x, y, n);") ==
        std::vector<std::string>{"the source launches sum with blocks of 512 threads, which no contract "
                                 "covers"});
  CHECK(uncovered("", "128", "sum<<<1, dim3(16, 8)>>>(x, y, n);") ==
        std::vector<std::string>{"the source launches sum with blocks of 16 x 8 x 1 threads, which no "
                                 "contract covers"});
}

TEST_CASE("nothing is noted if the contract includes the block of each launch") {
  CHECK(uncovered("block = \"1 .. 256\"", "\"block\"", "sum<<<1, 256>>>(x, y, n); sum<<<1, 1>>>(x, y, n);")
            .empty());
  CHECK(uncovered("exponent = \"0 .. 8\"", "\"2 ^ exponent\"", "sum<<<1, 64>>>(x, y, n);").empty());
}

TEST_CASE("the blocks of several launches are listed in one sentence") {
  CHECK(
      uncovered("", "128", "sum<<<1, 1>>>(x, y, n);") ==
      std::vector<std::string>{"the source launches sum with blocks of 1 thread, which no contract covers"});
  CHECK(uncovered("", "128",
                  "sum<<<1, 64>>>(x, y, n); sum<<<1, 128>>>(x, y, n); sum<<<1, 256>>>(x, y, n);"
                  "sum<<<1, 512>>>(x, y, n); sum<<<1, 1024>>>(x, y, n); sum<<<1, 32>>>(x, y, n);") ==
        std::vector<std::string>{"the source launches sum with blocks of 32, 64, 256 and 2 other numbers of "
                                 "threads, which no contract covers"});
}

TEST_CASE("contracts of one source include each other's launches") {
  const Contract small = contract_with("", "128"), large = contract_with("", "256");
  Contract unknown = large;
  unknown.instances.at(0).launches.at(0).lowered.clear();
  const std::string host = "sum<<<1, 128>>>(x, y, n); sum<<<1, 256>>>(x, y, n);";
  CHECK(uncovered(small, host).size() == 1);
  CHECK(uncovered(small, host, {&large}).empty());
  CHECK(uncovered(small, host, {&unknown}).empty());  // not compiled yet
}

TEST_CASE("blocks that depend on the caller are not compared") {
  CHECK(uncovered("block = \"256\"", "\"block\"",
                  "int threads = n < 256 ? n : 256; sum<<<1, threads>>>(x, y, n);")
            .empty());
  const Contract contract = contract_with("", "128");
  CHECK(
      uncovered_launches(contract, {}, {{"_Z3sumPKfPfi", "sum", {}}},
                         "__global__ void sum(const float* x, float* y, int n) {}\n"
                         "void host(float* x, float* y, int n, int block) { sum<<<1, block>>>(x, y, n); }\n")
          .empty());
}

TEST_CASE("a launch of the source with another number of blocks than the contract's is noted") {
  const auto of = [](const std::string& domain, const std::string& grid, const std::string& blocks) {
    const Workshop workshop;
    Contract contract =
        workshop.load("format = 1\n[reduction]\noperator = \"sum\"\ninput = \"f32\"\n[domain]\n" + domain +
                          "\n[[launch]]\nentry = \"sum\"\ngrid = \"" + grid +
                          "\"\nblock = \"block\"\narguments = [\"input\", \"output\", \"count\"]\n",
                      "");
    contract.instances.at(0).launches.at(0).lowered = "_Z3sumPKfPfi";
    return uncovered(contract, "sum<<<" + blocks + ", 256>>>(x, y, n);");
  };
  const std::string any = "count = \"0 .. 2^31 - 1\"\nblock = \"1 .. 256\"\n";
  CHECK(
      of(any, "ceil_div(count, block)", "n / 256") ==
      std::vector<std::string>{"the source launches sum with 3 blocks of 256 threads for count=1000, but the "
                               "contract launches 4 blocks"});
  CHECK(of(any, "ceil_div(count, block)", "(n + 255) / 256").empty());
  CHECK(of(any + "grid = \"ceil_div(count, block)\"", "grid", "n / 256").size() == 1);
  CHECK(of(any + "grid = \"1 .. 4\"", "grid", "(n + 255) / 256").size() == 1);
  CHECK(of(any + "grid = \"1 .. 2^31 - 1\"", "grid", "n / 256").empty());
  CHECK(of(any, "ceil_div(count, block)", "n / 256") == of(any, "ceil_div(count, 256)", "n / 256"));
  CHECK(of("tiles = \"1 .. 9\"\nblock = \"256\"\ncount = \"256 * tiles\"", "count / 256", "(n + 255) / 256")
            .empty());
  CHECK(of("count = \"0 .. 256\"\nblock = \"256\"", "1", "(n + 255) / 256").empty());
  CHECK(of("count = \"0 .. 2^20\"\nblock = \"256\"", "1", "(n + 255) / 256").size() == 1);
}

TEST_CASE("a launch is not compared if one of its constant arguments is outside the domain") {
  const Workshop workshop;
  Contract contract = workshop.load(
      "format = 1\n[reduction]\noperator = \"sum\"\ninput = \"f32\"\n[domain]\nrows = \"1 .. 2^20\"\ncolumns "
      "= \"128\"\n"
      "count = \"rows * columns\"\n[[launch]]\nentry = \"sum\"\ngrid = \"ceil_div(count, 256)\"\nblock = "
      "\"256\"\n"
      "arguments = [\"input\", \"output\", \"rows\", \"columns\"]\n",
      "");
  contract.instances.at(0).launches.at(0).lowered = "_Z3sumPKfPfii";
  const auto of = [&](const std::string& columns) {
    return uncovered_launches(
        contract, {}, {{"_Z3sumPKfPfii", "sum", {}}},
        "__global__ void sum(const float* x, float* y, int rows, int columns) {}\n"
        "void host(float* x, float* y, int rows) {\n  sum<<<(rows * 64 + 255) / 256, 256>>>(x, y, rows, " +
            columns + ");\n}\n");
  };
  CHECK(of("64").empty());
  CHECK(of("128").size() == 1);
}

TEST_CASE("nothing is noted about a block that is not known, or a contract whose blocks cannot be listed") {
  CHECK(uncovered("", "128", "extern int threads; sum<<<1, threads>>>(x, y, n);").empty());
  CHECK(uncovered("a = \"-2^62 .. 2^62\"", "\"a\"", "sum<<<1, 512>>>(x, y, n);").empty());
  CHECK(uncovered("a = \"1 .. 4\"\nb = \"1 .. 4\"", "\"a * b\"", "sum<<<1, 512>>>(x, y, n);").empty());
}

namespace {
std::vector<DeclaredKernel> templates_of(const std::string& text) {
  return templates_among(kernels_declared(text));
}
}  // namespace

TEST_CASE("the kernel templates of a text without an instance are found") {
  const std::string text =
      "template <int B> __global__ void squares(const float* x, float* y) {}\n"
      "namespace ns { template <typename T> __global__ void sum(const T* x, T* y) {} }\n"
      "__global__ void any(const auto* x, auto* y) {}\n"
      "__global__ void plain(float* x) {}\n";
  CHECK(templates_of(text).size() == 3);
  CHECK(without_instance(templates_of(text), {signature_of("_ZN2ns3sumIfEEvPKT_PS1_")}) ==
        std::vector<std::string>{"any", "squares"});
}

TEST_CASE("of several templates with one name, each needs an instance") {
  const auto lacking = [](const std::string& overloads, const std::vector<std::string>& instances) {
    std::vector<EntrySignature> kernels;
    for (const std::string& lowered : instances) kernels.push_back(signature_of(lowered));
    return without_instance(templates_of(overloads), kernels);
  };
  const std::string of_pointer = "template <typename T> __global__ void sum(const T* x, T* y) {}\n",
                    of_count = "template <typename T> __global__ void sum(const T* x, T* y, int n) {}\n",
                    of_large = "template <int B> requires (B > 32) static __global__ void tile(int* x) {}\n",
                    of_small = "template <int B> requires (B <= 32) __global__ void tile(int* x) {}\n";
  const std::string pointer = "_Z3sumIfEvPKT_PS0_", count = "_Z3sumIfEvPKT_PS0_i", tile = "_Z4tileILi64EEvPi";
  CHECK(lacking(of_pointer + of_pointer, {pointer}).empty());
  CHECK(lacking(of_pointer + of_count, {pointer}) == std::vector<std::string>{"sum"});
  CHECK(lacking(of_pointer + of_count, {pointer, count}).empty());
  CHECK(lacking(of_large + of_small, {tile}) == std::vector<std::string>{"tile"});
  CHECK(
      lacking("template <typename... T> __global__ void pack(T... x) {}\n", {"_Z4packIJifEEvDpT_"}).empty());
  const std::string of_block = "template <typename T, int B> __global__ void sum(const T* x, T* y) {}\n",
                    doubles = "_Z3sumIdEvPKT_PS0_";
  CHECK(lacking(of_pointer + of_block, {pointer, doubles}) == std::vector<std::string>{"sum"});
  CHECK(lacking("template <int B> __global__ void none(void) {}\n", {"_Z4noneILi1EEvv"}).empty());
}
