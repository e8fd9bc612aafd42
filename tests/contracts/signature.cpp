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

TEST_CASE("an entry with C linkage does not stand for one that C++ spells the same") {
  const std::vector<EntrySignature> entries = {signature_of("_Z3sumPKfPfm"), signature_of("sum")};
  CHECK(find_entry(entries, "sum") == nullptr);
  CHECK(find_entry(entries, "_Z3sumPKfPfm") == &entries[0]);
  CHECK(find_entry({signature_of("sum")}, "sum") != nullptr);
}

TEST_CASE("an overload is found by its lowered name or its parameters, and never by its name alone") {
  const auto entries = signatures({"_Z3sumPKfPfm", "_Z3sumPKfPfj"});
  CHECK(found(entries, "sum") == "none");
  CHECK(found(entries, "_Z3sumPKfPfj") == "_Z3sumPKfPfj");
  for (const char* spelling :
       {"sum(float const*, float*, unsigned int)", "sum(const float *, float *, unsigned)",
        "void sum (float const*,float*,const unsigned)", "::sum(float const*, float*, unsigned int)"}) {
    INFO(spelling);
    CHECK(found(entries, spelling) == "_Z3sumPKfPfj");
  }
  for (const char* other :
       {"sum(int)", "sum()", "sum(float const*, float*)", "ns::sum(float const*, float*, unsigned)"}) {
    INFO(other);
    CHECK(found(entries, other) == "none");
  }
}

TEST_CASE("parameters that fit no entry are not ignored, even if only one entry has the name") {
  const auto entries = signatures({"_ZN2ns3sumEPf", "plain"});
  CHECK(found(entries, "sum(float*)") == "_ZN2ns3sumEPf");
  CHECK(found(entries, "ns::sum(int)") == "none");
  CHECK(found(entries, "sum(int)") == "none");
  CHECK(found(entries, "plain(int)") == "none");  // its parameters are unknown
}

TEST_CASE("the type of a template argument distinguishes entries") {
  const auto entries = signatures({"_Z3sumILi1EEvPf", "_Z3sumILl1EEvPf"});
  CHECK(found(entries, "sum<1>") == "_Z3sumILi1EEvPf");
  CHECK(found(entries, "sum<1L>") == "_Z3sumILl1EEvPf");
  CHECK(found(entries, "sum<1l>(float*)") == "_Z3sumILl1EEvPf");
  CHECK(found(entries, "sum<1u>") == "none");  // without suffixes, it is both
  CHECK(found(entries, "sum") == "none");
}

TEST_CASE("a namespace may be missing only if one entry remains and the spelling does not exclude it") {
  const auto two = signatures({"_ZN1a3sumEPf", "_ZN1b3sumEPf"});
  CHECK(found(two, "sum") == "none");
  CHECK(found(two, "b::sum") == "_ZN1b3sumEPf");
  const auto one = signatures({"_ZN1a3sumEPf"});
  CHECK(found(one, "sum") == "_ZN1a3sumEPf");
  CHECK(found(one, "::sum") == "none");
  CHECK(found(one, "::a::sum") == "_ZN1a3sumEPf");
  CHECK(found(signatures({"_ZN1a3sumEPf", "_Z3sumPf"}), "sum") == "_Z3sumPf");
}

TEST_CASE("an anonymous namespace may be missing if no other entry has the name") {
  const std::string hidden = "_ZN12_GLOBAL__N_16hiddenEPi";
  CHECK(found(signatures({hidden}), "hidden") == hidden);
  const auto entries = signatures({hidden, "_Z6hiddenPi"});
  CHECK(found(entries, "hidden") == "_Z6hiddenPi");
  CHECK(found(entries, "(anonymous namespace)::hidden") == hidden);
}

TEST_CASE("the error for a spelling lists the entries that may be meant, so that they can be told apart") {
  const auto overloads = signatures({"_Z3sumPf", "_Z3sumPd", "_Z3maxPf"});
  CHECK(why_not_found(overloads, "sum", "k.ptx") ==
        "\"sum\" matches several kernels: sum(float*), sum(double*)");
  CHECK(why_not_found(overloads, "sum(int)", "k.ptx") ==
        "kernel \"sum(int)\" not found in k.ptx, which contains: sum(float*), sum(double*), max(float*)");
  const auto hidden =
      signatures({"_ZN12_GLOBAL__N_11fEPi", "_ZN34_GLOBAL__N__b9832d29_5_tu_cu_plain1fEPi", "plain"});
  CHECK(
      why_not_found(hidden, "f", "k.ptx") ==
      "\"f\" matches several kernels: _ZN12_GLOBAL__N_11fEPi, _ZN34_GLOBAL__N__b9832d29_5_tu_cu_plain1fEPi");
  CHECK(why_not_found({}, "f", "k.ptx") == "kernel \"f\" not found in k.ptx, which contains no kernel");
}

TEST_CASE("the identifying name of an entry finds it, and is as short as possible") {
  const auto entries =
      signatures({"_Z3sumPf", "_Z3sumPd", "_Z3maxPf", "_ZN12_GLOBAL__N_13minEPf", "_Z3minPf",
                  "_ZN12_GLOBAL__N_11fEPi", "_ZN34_GLOBAL__N__b9832d29_5_tu_cu_plain1fEPi", "plain"});
  const std::vector<std::string> names{"sum(float*)",
                                       "sum(double*)",
                                       "max",
                                       "(anonymous namespace)::min(float*)",
                                       "min",
                                       "_ZN12_GLOBAL__N_11fEPi",
                                       "_ZN34_GLOBAL__N__b9832d29_5_tu_cu_plain1fEPi",
                                       "plain"};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    CHECK(identifying_name(entries, entries[i]) == names[i]);
    CHECK(found(entries, names[i]) == entries[i].lowered);
  }
  const auto hidden = signatures({"_ZN12_GLOBAL__N_13minEPf"});
  CHECK(identifying_name(hidden, hidden[0]) == "min");
}

TEST_CASE("spellings are the same if they differ only in what C++ ignores") {
  CHECK(is_same_spelling("ns::sum<float,unsigned>", "::ns::sum< float, unsigned int >"));
  CHECK(is_same_spelling("sum<1L>", "sum<1l>"));
  CHECK(is_same_spelling("sum(const float*)", "void sum(float const*)"));
  CHECK(is_same_spelling("_Z3sumPf", "_Z3sumPf"));
  for (const char* other : {"ns::sum", "sum<float>", "sum(float*)", "_Z3sumPf", "su", "sums", ""}) {
    INFO(other);
    CHECK_FALSE(is_same_spelling("sum", other));
    CHECK_FALSE(is_same_spelling(other, "sum"));
  }
  CHECK_FALSE(is_same_spelling("sum<1>", "sum<1L>"));
}

TEST_CASE("a template-id instantiates the template of the same name and namespace") {
  CHECK(instantiates("ns::sum<float, 64>", "ns::sum"));
  CHECK(instantiates("sum<ns::T<1>>", "::sum"));
  for (const char* other :
       {"sum", "ns", "::sum", "ns::sum<float>", "ns::sum<float, 64>", "ns::sum(float*)", ""}) {
    INFO(other);
    CHECK_FALSE(instantiates("ns::sum<float, 64>", other));
  }
  CHECK_FALSE(instantiates("ns::sum", "ns::sum"));
  CHECK_FALSE(instantiates("ns::sum<float>(float*)", "ns::sum"));
}

TEST_CASE("the address of an overload is cast to its type") {
  CHECK(address_of_entry("ns::sum<float>") == "&ns::sum<float>");
  CHECK(address_of_entry("sum(const float*, int)") == "static_cast<void (*)(const float*, int)>(&sum)");
  CHECK(address_of_entry("sum()") == "static_cast<void (*)()>(&sum)");
  CHECK(address_of_entry("_Z3sumIfEvPKT_") == "static_cast<void (*)(float const*)>(&sum<float>)");
  CHECK(address_of_entry("(anonymous namespace)::sum") == "&sum");
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

TEST_CASE("kernels are found in nested namespaces, in preprocessed text and among overloads") {
  const auto kernels = kernels_declared(
      "namespace a::inline b::c { template <class T> __attribute__((global)) void\n"
      "__attribute__((launch_bounds(32))) sum(const T* in, T* out); }\n"
      "__attribute__((device)) void twice(float* x);\n"
      "__global__ void sum(const float* in, int n); __global__ void sum(const float*, int count) {}\n"
      "__global__ void sum(const double* in, int n) {}\n");
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].name == "a::b::c::sum");
  CHECK(kernels[0].template_parameters == std::vector<std::string>{"class T"});
  CHECK(kernels[1].parameters == std::vector<std::string>{"const float* in", "int n"});
  CHECK(kernels[2].parameters == std::vector<std::string>{"const double* in", "int n"});
}

TEST_CASE("literals and specializations hide no kernel") {
  const auto kernels = kernels_declared(R"cuda(
namespace a { const char quote = '"', brace = '}', line = '\n'; const int many = 1'000'000;
const char* const raw = R"x(" /* )x";
template <class T> __global__ void sum(T* x) {}
template <class T, int N> __global__ void sum(T* x) {}
template <> __global__ void sum<int>(int* x) {} }
__global__ std::enable_if_t<true> plain(const auto* in, float* out) {}
)cuda");
  REQUIRE(kernels.size() == 4);
  CHECK(kernels[0].name == "a::sum");
  CHECK(kernels[1].template_parameters.size() == 2);
  CHECK(kernels[2].name == "a::sum");
  CHECK(kernels[2].specialized_for == "<int>");
  CHECK(kernels[3].name == "plain");
  CHECK(kernels[3].specialized_for.empty());
  CHECK(kernels[3].template_parameters == std::vector<std::string>{"typename"});
}

TEST_CASE("a template is declared once, whatever is instantiated or specialized") {
  const auto kernels = kernels_declared(
      "template <class T, int N = 4> __global__ void sum(T* x);\n"
      "template <class T, int N> __global__ void sum(T* out) {}\n"
      "template __global__ void sum<float, 2>(float* x);\n"
      "template <> __global__ void sum<float, 8>(float* x) {}\n"
      "template <> __global__ void sum<float, 16>(float* x) {}\n");
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].template_parameters.size() == 2);
  CHECK(kernels[1].specialized_for == "<float,8>");
  CHECK(kernels[2].specialized_for == "<float,16>");
}

TEST_CASE("the lines of a file are separated from those of what it includes, whatever #line calls them") {
  const char* const preprocessed =
      "# 0 \"unit.cu\"\n# 1 \"/x/k.cu\" 1\none\n# 1 \"/x/a.h\" 1\nheader\n# 1 \"/x/k.cu\"\nheader\n"
      "# 3 \"/x/k.cu\" 2\ntwo\n# 1 \"/x/other.cu\"\nthree\n# 2 \"unit.cu\" 2\nunit\n";
  CHECK(lines_of_file(preprocessed, "/x/k.cu") == "one\ntwo\nthree\n");
  CHECK(lines_of_file("# 1 \"\" 2\n# \"\n#", "/x/k.cu").empty());
}

TEST_CASE("text that ends in the middle of a declaration is read to its end") {
  for (const char* text :
       {"__global__", "__global__ void", "__global__ void f(", "template <", "template <typename T", "\"",
        "/*", "template < __global__ void f()", "namespace {{{ }}}} __global__ void f(int"})
    CHECK(kernels_declared(text).size() <= 1);
}

TEST_CASE("the spelling of an entry is a name or a template-id, with or without parameters") {
  for (const char* name :
       {"sum", "ns::sum", "::sum", "_Z3sumPf", "k$1", "sum<float>", "ns::sum< T<int>, (3 > 2) >",
        "a<1>::b<sizeof(float), int(*)[4]>", "(anonymous namespace)::sum", "sum<ops<1>{}, -1>", "k()",
        "ns::sum<float>(const float*, ns::T<1> const&, void (*)(int[4]))", "sum (float*)"}) {
    INFO(name);
    CHECK_FALSE(why_no_entry(name).has_value());
  }
  for (const char* other :
       {"",       "k(",       "k)",        "(int)",    "k(int))",   "k(int)(int)", "k(int;)", "k(int) x",
        "k('(')", "k(\")\")", "k(int /*)", "k(int\n)", "sum<float", "sum<(float>", "sum>",    "1sum",
        "a b",    "a:b",      "a::",       "sum;",     "sum<a;b>",  "sum<float>x", "&sum",    "sum<a\n>"}) {
    INFO(other);
    CHECK(why_no_entry(other).value_or("").find("is not the name of a kernel; write it as C++ does") !=
          std::string::npos);
  }
}
