// Several contracts for one source: what they cover together, and how often it is compiled.
#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "catch.h"
#include "cli/add_one.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

/// A function of the test's kernel, which adds one to each element.
const std::string body =
    "(int* data, int count) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < count) data[i] += 1;\n"
    "}\n";

/// A source k.cu, and a contract for each entry.
struct SharedSource : Folder {
  SharedSource(const std::string& code, const std::vector<std::string>& entries) {
    file("k.cu", code);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      std::string contract = replaced(add_one_contract, "add_one.ptx", "k.cu");
      contract = replaced(contract, "id = \"add_one\"", fmt::format("id = \"k{}\"", i));
      contract = replaced(contract, "entry = \"add_one\"", fmt::format("entry = \"{}\"", entries[i]));
      file(fmt::format("k{}.toml", i), contract);
    }
  }

  Ran audit(const How& how = {}, const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments{"audit", path().string(), "--cases", "2", "--strict"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run(arguments, how);
  }
};

}  // namespace

TEST_CASE("contracts cover the kernels that C++ finds for their entries", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const auto covers = [](const std::string& code, const std::vector<std::string>& entries) {
    const Ran ran = SharedSource(code, entries).audit();
    INFO(code);
    INFO(ran.out);
    CHECK(ran.status == 0);
  };
  const std::string a = "__global__ void a" + body, b = "__global__ void b" + body;
  covers("namespace { " + a + b + "}\nvoid f(int* x) { a<<<1, 128>>>(x, 3); b<<<1, 128>>>(x, 3); }\n",
         {"a", "b"});
  covers("namespace q { " + a + b + "}\nusing namespace q;\nnamespace alias = q;\n", {"a", "alias::b"});
  covers(a + replaced(a, "int count", "long count"), {"a(int*, int)", "a(int*, long)"});
  covers("enum class E { x, y };\ntemplate <E e> " + a +
             "void f(int* x) { a<E::x><<<1, 128>>>(x, 3); a<E::y><<<1, 128>>>(x, 3); }\n",
         {"a<E::x>", "a<E::y>"});
  // A type that the first entry declares does not hide the kernel of the second.
  covers("template <int n> " + a + "namespace q { " + b + "}\nusing namespace q;\n",
         {"a<sizeof(struct b*)>", "b"});
}

TEST_CASE("a kernel is not covered by a contract that only spells its name", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const SharedSource folder("namespace vendor { extern \"C\" __global__ void a" + body +
                                "}\nnamespace { __global__ void a" + body + "}\n__global__ void b" + body,
                            {"a", "b"});
  const Ran ran = folder.audit();
  CHECK(ran.status == 3);
  CHECK(ran.out.find("not audited: no contract launches a; to audit it, pass --entry \"a\"") !=
        std::string::npos);
}

TEST_CASE("the contracts of a .ptx file may name its kernels in different ways") {
  const Folder folder;
  folder.file("k.ptx",
              ".version 8.3\n.target sm_80\n.address_size 64\n"
              ".visible .entry _Z1av() { ret; }\n.visible .entry _Z1bv() { ret; }\n");
  for (const std::string name : {"_Z1av", "b"})
    folder.file(name + ".toml", "format = 1\nid = \"" + name +
                                    "\"\n[source]\npath = \"k.ptx\"\n[domain]\nblock = \"32\"\n[[launch]]\n"
                                    "entry = \"" +
                                    name + "\"\ngrid = \"1\"\nblock = \"block\"\narguments = []\n");
  CHECK(run({"audit", folder.path().string(), "--cases", "2", "--strict"}).status == 0);
}

namespace {

/// How often nvcc compiles during an audit of the folder, whose PTX is not cached, and the audit's status.
struct Compilations {
  std::size_t count = 0;
  int status = 0;

  explicit Compilations(const SharedSource& folder) {
    const std::string log = folder.path("log"), cache = folder.path("cache");
    std::filesystem::remove(log);
    std::filesystem::remove_all(cache);
    const std::string nvcc =
        folder.file("counted", "#!/bin/sh\necho \"$@\" >> " + log + "\nexec nvcc \"$@\"\n");
    std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
    status = folder.audit({.environment = {"NVCC=" + nvcc, "XDG_CACHE_HOME=" + cache}}).status;
    for (const std::string& line : foldproof::lines_of(foldproof::read_text_file(log, 1 << 20)))
      count += line.find("-ptx") != std::string::npos ? 1 : 0;
  }
};

void add_flag(const SharedSource& folder, const std::string& contract) {
  const std::string file = folder.path(contract);
  folder.file(contract,
              replaced(foldproof::read_text_file(file, 1 << 20), "[domain]", "flags = [\"-DX\"]\n[domain]"));
}

}  // namespace

TEST_CASE("contracts for one source are compiled together, unless their flags differ", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  std::string code;
  std::vector<std::string> entries;
  for (int k = 0; k < 8; ++k) {
    code += fmt::format("__global__ void a{}{}", k, body);
    entries.push_back(fmt::format("a{}", k));
  }
  const SharedSource folder(code, entries);
  CHECK(Compilations(folder).count == 1);
  add_flag(folder, "k0.toml");
  CHECK(Compilations(folder).count == 2);
  entries[3] = "none";  // the others are compiled again, together
  const Compilations with_error(SharedSource(code, entries));
  CHECK(with_error.status == 2);
  CHECK(with_error.count == 2);
}

TEST_CASE("contracts with other flags, and those that are not audited in this run, cover their kernels",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const std::string a = "__global__ void a" + body;
  const SharedSource folder(
      a + replaced(a, "int count", "long count") + "template <int N> " + replaced(a, "+= 1", "+= N"),
      {"a(int*, int)", "a(int*, long)", "a<2>"});
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--shard", "1/3"}, {"--shard", "3/3"}, {"--only", "k1"}})
    CHECK(folder.audit({}, options).status == 0);
  add_flag(folder, "k1.toml");
  const Ran ran = folder.audit();
  INFO(ran.out);
  CHECK(ran.status == 0);
}

TEST_CASE("a kernel that the device refuses does not affect other contracts for its source", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const SharedSource folder(
      "template <int N> __global__ void a(int* data, int count) {\n"
      "  volatile char large[N];\n"
      "  large[count % N] = 1;\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < count) data[i] += large[count % N];\n"
      "}\n",
      {"a<16>", "a<600000>"});
  const RanJson ran = run_json({"audit", folder.path().string(), "--cases", "2"});
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "clean");
  CHECK(ran.json.at("kernels").at(1).at("verdict") != "clean");
}

TEST_CASE("a contract that does not compile does not affect the others for its source", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const SharedSource folder("__global__ void a" + body + "__global__ void b" + body, {"a", "none", "b"});
  const RanJson ran = run_json({"audit", folder.path().string(), "--cases", "2"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "clean");
  CHECK(ran.json.at("kernels").at(1).at("verdict") == "error");
  CHECK(ran.json.at("kernels").at(2).at("verdict") == "clean");
  CHECK(ran.err.find("k1.toml") != std::string::npos);
}
