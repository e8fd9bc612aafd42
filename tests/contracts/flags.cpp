#include "contracts/nvcc/flags.h"

#include "catch.h"
#include "workshop.h"

using namespace foldproof;

namespace {

std::vector<std::string> flags(const std::vector<std::string>& words) {
  std::vector<FlagWord> list;
  for (const std::string& word : words) list.push_back({word, {"k.toml", 3, 1}});
  return harmless_flags(list, "/folder");
}

std::string flags_error(const std::vector<std::string>& words) {
  return error_of([&] { flags(words); });
}

}  // namespace

TEST_CASE("harmless flags become one argument each, with absolute folders") {
  CHECK(flags({"-DA", "-D", "B=1", "-Iinclude", "-I", "../other", "-isystem", "/x", "--include-path=y"}) ==
        std::vector<std::string>{"-DA", "-DB=1", "-I/folder/include", "-I/other", "-isystem=/x",
                                 "--include-path=/folder/y"});
  CHECK(flags({"-std=c++20", "--std", "gnu++17", "-O3", "-ftz=true", "--fmad", "false", "--use_fast_math"}) ==
        std::vector<std::string>{"-std=c++20", "--std=c++17", "-O3", "-ftz=true", "--fmad=false",
                                 "--use_fast_math"});
}

TEST_CASE("a flag that could run a command or write a file is refused") {
  const char* flag = GENERATE("-ccbin", "--compiler-bindir=/tmp/x", "-Xcompiler", "-Xcompiler=-fplugin=x",
                              "-wrapper", "--keep-dir", "-keep", "--options-file", "-optf", "-o", "--run",
                              "-lx", "-L.", "@file", "x.cu", "", "--expt-relaxed-constexpr=x");
  CHECK(flags_error({flag}).find("k.toml:3:1: the flag \"" + std::string(flag) + "\" is not allowed here") !=
        std::string::npos);
}

TEST_CASE("a definition with a space stays one argument") {
  CHECK(flags({"-DX -ccbin"}) == std::vector<std::string>{"-DX -ccbin"});
}

TEST_CASE("a value with a character that a shell interprets is refused") {
  const auto [value, character] =
      GENERATE(table<std::string, std::string>({{"a$b", "the character $"},
                                                {"a`b", "the character `"},
                                                {"a\"b", "the character \""},
                                                {"a'b", "the character '"},
                                                {"a\\b", "the character \\"},
                                                {"a;b", "the character ;"},
                                                {"a|b", "the character |"},
                                                {"a&b", "the character &"},
                                                {"a\nb", "the control character 0x0a"},
                                                {"a\tb", "the control character 0x09"},
                                                {"\x7f", "the control character 0x7f"}}));
  for (const std::string flag : {"-D", "-U", "-I", "-isystem", "-include", "-std"}) {
    const std::string error =
        "k.toml:3:1: the value of " + flag + " contains " + character + ", which nvcc could pass to a shell";
    CHECK(flags_error({flag, value}) == error);
    CHECK(flags_error({flag + (flag.size() == 2 ? "" : "=") + value}) == error);
  }
  CHECK(error_of([&] {
          check_path_for_nvcc("/folder/" + value);
        }).find("the path contains " + character + ", which nvcc does not pass on safely") !=
        std::string::npos);
}

TEST_CASE("a value cannot name a file of options for the host compiler") {
  CHECK(flags_error({"-D@/tmp/x"}).find("contains the character @") != std::string::npos);
  CHECK(flags_error({"-DA,@/tmp/x"}).find("contains the character @") != std::string::npos);
  CHECK(flags_error({"-Ia,@/tmp/x"}).find("contains the character ,") != std::string::npos);
  CHECK(error_of([] { check_path_for_nvcc("/folder,@x/k.cu"); }).find("contains the character ,") !=
        std::string::npos);
}

TEST_CASE("a flag that lacks its value is refused") {
  CHECK(flags_error({"-I"}).find("the flag -I requires a value") != std::string::npos);
  CHECK(flags_error({"-std="}).find("the flag -std requires a value") != std::string::npos);
}

TEST_CASE("macros, templates and paths of every language are allowed") {
  CHECK(flags({"-DF(x)=vec<float, 4>{x*2}", "-I/home/m\xc3\xbcller/a b"}) ==
        std::vector<std::string>{"-DF(x)=vec<float, 4>{x*2}", "-I/home/m\xc3\xbcller/a b"});
  CHECK_NOTHROW(check_path_for_nvcc("/home/m\xc3\xbcller/a b/(1)/k+=~#.cu"));
}
