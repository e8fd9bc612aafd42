#include "contracts/uncovered_launches.h"

#include "catch.h"
#include "workshop.h"

using namespace foldproof;

namespace {

/// The notes for a source with the kernel `sum`, which `host` launches, and a contract with this domain and
/// block.
std::vector<std::string> notes(const std::string& domain, const std::string& block, const std::string& host) {
  const Workshop workshop;
  const Contract contract = workshop.load(
      "format = 1\n[reduction]\noperator = \"sum\"\ninput = \"f32\"\n[domain]\ncount = \"0 .. 9\"\n" +
          domain + "\n[[launch]]\nentry = \"sum\"\ngrid = 1\nblock = " + block +
          "\narguments = [\"input\", \"output\", \"count\"]\n",
      "");
  const std::string kernel = "__global__ void sum(const float* x, float* y, int n) {}\n";
  return uncovered_launches(
      contract, {{"_Z3sumPKfPfi", "sum", {}}}, [](const std::string&) { return "_Z3sumPKfPfi"; },
      kernel + "void host(float* x, float* y, int n) {\n" + host + "\n}\n");
}

}  // namespace

TEST_CASE("a launch of the source with a block that the contract does not include is noted") {
  CHECK(notes("block = \"1 .. 256\"", "\"block\"", "sum<<<1, 512>>>(x, y, n);") ==
        std::vector<std::string>{
            "the source launches sum with blocks of 512 threads, which the contract does not "
            "include; no case shows what that launch does"});
  CHECK(notes("", "128", "sum<<<1, dim3(16, 8)>>>(x, y, n);") ==
        std::vector<std::string>{
            "the source launches sum with blocks of 16 x 8 x 1 threads, which the contract does "
            "not include; no case shows what that launch does"});
}

TEST_CASE("nothing is noted if the contract includes the block of each launch") {
  CHECK(notes("block = \"1 .. 256\"", "\"block\"", "sum<<<1, 256>>>(x, y, n); sum<<<1, 1>>>(x, y, n);")
            .empty());
  CHECK(notes("exponent = \"0 .. 8\"", "\"2 ^ exponent\"", "sum<<<1, 64>>>(x, y, n);").empty());
}

TEST_CASE("nothing is noted about a block that is not known, or a contract whose blocks cannot be listed") {
  CHECK(notes("", "128", "extern int threads; sum<<<1, threads>>>(x, y, n);").empty());
  CHECK(notes("a = \"-2^62 .. 2^62\"", "\"a\"", "sum<<<1, 512>>>(x, y, n);").empty());
  CHECK(notes("a = \"1 .. 4\"\nb = \"1 .. 4\"", "\"a * b\"", "sum<<<1, 512>>>(x, y, n);").empty());
}
