#include "contracts/signature.h"

#include "catch.h"
#include "contracts/declarations.h"
#include "ptx/parse.h"

using namespace foldproof;

namespace {

std::string found(const std::vector<EntrySignature>& entries, const std::string& spelling) {
  const EntrySignature* entry = find_entry(entries, spelling);
  return entry == nullptr ? "none" : entry->lowered;
}

std::vector<EntrySignature> signatures(const std::vector<std::string>& lowered) {
  std::vector<EntrySignature> all;
  for (const std::string& name : lowered) all.push_back(signature_of(name));
  return all;
}

}  // namespace

TEST_CASE("a lowered template is split into name, arguments and parameters") {
  const EntrySignature signature = signature_of("_ZN2ns3sumIfLi64EEEvPKT_PS1_j");
  CHECK(signature.spelled == "ns::sum<float, 64>");
  CHECK(signature.parameters == std::vector<std::string>{"float const*", "float*", "unsigned int"});
}

TEST_CASE("a plain function has no return type to strip") {
  const EntrySignature signature = signature_of("_Z4statPi");
  CHECK(signature.spelled == "stat");
  CHECK(signature.parameters == std::vector<std::string>{"int*"});
}

TEST_CASE("a name with C linkage is its own spelling") {
  CHECK(signature_of("plain").spelled == "plain");
  CHECK(signature_of("plain").parameters.empty());
}

TEST_CASE("an anonymous namespace does not hide the parameters") {
  const EntrySignature signature = signature_of("_ZN34_GLOBAL__N__b9832d29_5_tu_cu_plain6hiddenEPi");
  CHECK(signature.spelled == "(anonymous namespace)::hidden");
  CHECK(signature.parameters == std::vector<std::string>{"int*"});
}

TEST_CASE("a hostile mangled name is left unchanged") {
  const std::string deep = "_Z1f" + std::string(100000, 'P') + "i";
  CHECK(signature_of(deep).spelled == deep);
  CHECK(signature_of("_Z").spelled == "_Z");
}

TEST_CASE("entries of PTX are listed once, including forward declarations") {
  const auto entries =
      entries_of(ptx::parse(".version 9.0\n.target sm_90\n"
                            "// .entry comment(\n"
                            ".visible .entry _Z4statPi\n(\n\t.param .u64 p\n)\n;\n"
                            ".visible .entry _Z4statPi(\n\t.param .u64 p\n)\n{\n}\n"
                            ".entry plain()\n{\n}\n",
                            "k.ptx"));
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].spelled == "stat");
  CHECK(entries[1].spelled == "plain");
}

TEST_CASE("a user's spelling finds its entry despite spaces, suffixes and optional parts") {
  const auto entries = signatures(
      {"_ZN2ns3sumIfLi64EEEvPKT_PS1_j", "_ZN2ns3sumIfLi128EEEvPKT_PS1_j", "_Z3maxIjLj32EEvPT_", "plain"});
  CHECK(found(entries, "ns::sum<float,64>") == entries[0].lowered);
  CHECK(found(entries, "ns::sum< float , (int)64 >") == entries[0].lowered);
  CHECK(found(entries, "sum<float, 128>") == entries[1].lowered);
  CHECK(found(entries, "max<unsigned, 32>") == entries[2].lowered);
  CHECK(found(entries, "max<unsigned int, 32u>") == entries[2].lowered);
  CHECK(found(entries, "max<unsigned int>") == entries[2].lowered);
  CHECK(found(entries, "max") == entries[2].lowered);
  CHECK(found(entries, "plain") == "plain");
  CHECK(found(entries, entries[1].lowered) == entries[1].lowered);
}

TEST_CASE("a spelling that matches no entry, or several, finds none") {
  const auto entries = signatures({"_ZN2ns3sumIfLi64EEEvPKT_PS1_j", "_ZN2ns3sumIfLi128EEEvPKT_PS1_j"});
  CHECK(found(entries, "ns::sum<float>") == "none");
  CHECK(found(entries, "um<float, 64>") == "none");
  CHECK(found(entries, "sum<float, 6>") == "none");
  CHECK(found(entries, "") == "none");
  CHECK(found(entries, std::string(100000, '<')) == "none");
}

TEST_CASE("kernels are found in the text of a source with their templates and parameters") {
  const auto kernels = kernels_declared(R"cuda(
// __global__ void commented(int n);
/* __global__ void out(int n); */
#define LAUNCH __global__
namespace a { namespace b {
template <typename T, int B = 128>
__global__ void __launch_bounds__(B) sum(const T* __restrict__ input, T* out, std::size_t n) { if (n) { } }
} }
extern "C" __global__ void plain(float *x, int) {}
const char* text = "__global__ void quoted(int n)";
__global__ void plain(float* x, int n);
)cuda");
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].name == "a::b::sum");
  CHECK(kernels[0].template_parameters == std::vector<std::string>{"typename T", "int B= 128"});
  CHECK(declared_name(kernels[0].parameters.at(0)) == "input");
  CHECK(declared_name(kernels[0].parameters.at(2)) == "n");
  CHECK(kernels[1].name == "plain");
  CHECK(kernels[1].template_parameters.empty());
  CHECK(declared_name(kernels[1].parameters.at(1)).empty());
}

TEST_CASE("text that ends in the middle of a declaration is read to its end") {
  for (const char* text :
       {"__global__", "__global__ void", "__global__ void f(", "template <", "template <typename T", "\"",
        "/*", "template < __global__ void f()", "namespace {{{ }}}} __global__ void f(int"})
    CHECK(kernels_declared(text).size() <= 1);
}

TEST_CASE("the spelling of an entry is a name, or a template-id") {
  for (const char* name :
       {"sum", "ns::sum", "::sum", "_Z3sumPf", "k$1", "sum<float>", "ns::sum< T<int>, (3 > 2) >",
        "a<1>::b<sizeof(float), int(*)[4]>", "(anonymous namespace)::sum", "sum<ops<1>{}, -1>"}) {
    INFO(name);
    CHECK_FALSE(why_no_entry(name).has_value());
  }
  for (const char* other : {"", "k(", "k()", "sum<float", "sum<(float>", "sum>", "1sum", "a b", "a:b",
                            "a::", "sum;", "sum<a;b>", "sum<float>x", "&sum", "sum<a\n>"}) {
    INFO(other);
    CHECK(why_no_entry(other).value_or("").find("is not the name of a kernel; write it as C++ does") !=
          std::string::npos);
  }
}
