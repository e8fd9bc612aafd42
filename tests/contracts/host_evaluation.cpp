// How host functions compute what they launch.
#include "contracts/guessing/host_evaluation.h"

#include <chrono>
#include <set>
#include <string>

#include "catch.h"
#include "contracts/guessing/source_launches.h"

using foldproof::SourceLaunch;

namespace {

SourceLaunch launch_in(const std::string& source) {
  return foldproof::launches_in(source, {{"sum", ""}}).at(0).at(0);
}

/// Of "int n", which the launch passes.
SourceLaunch launch_after(const std::string& statements, const std::string& helpers = "") {
  return launch_in(helpers + "void f(const float* x, int n, bool verbose) { " + statements + " }");
}

/// The largest power of two, up to 64, that divides every second argument of the launch.
std::int64_t multiple(const SourceLaunch& made) {
  std::int64_t largest = 1;
  while (largest < 64 && passes_multiples(made, 1, 2 * largest)) largest *= 2;
  return largest;
}

std::int64_t multiple_after(const std::string& statements, const std::string& helpers = "") {
  return multiple(launch_after(statements, helpers));
}

/// The number of blocks when the second argument, the number of elements, has this value; 0 if unknown.
std::int64_t blocks_for(std::int64_t elements, const SourceLaunch& made) {
  const auto launched = launched_size(made, 0, 1, elements);
  return launched && launched->argument == elements ? launched->blocks : 0;
}

}  // namespace

TEST_CASE("the host may round a number of elements before it launches a kernel") {
  for (const char* rounds :
       {"n &= ~3;", "n = n / 4 * 4;", "n -= n % 4;", "n = (n >> 2) << 2;", "n = 4 * (n / 4);",
        "while (n % 4) --n;", "if (n % 4) n += 4 - n % 4;", "int& m = n; m &= ~3;"}) {
    CAPTURE(rounds);
    CHECK(multiple_after(std::string(rounds) + " sum<<<1, 64>>>(x, n);") == 4);
  }
  CHECK(multiple_after("n &= ~3; n += 1; sum<<<1, 64>>>(x, n);") == 1);
  CHECK(multiple_after("if (verbose) n &= ~3; sum<<<1, 64>>>(x, n);") == 1);
  CHECK(multiple_after("n &= ~3; read(&n); sum<<<1, 64>>>(x, n);") == 1);
}

TEST_CASE("a helper function may round a number of elements") {
  const std::string launch = "sum<<<1, 64>>>(x, roundup(n, 32));";
  CHECK(multiple_after(launch, "int roundup(int a, int b) { return (a + b - 1) / b * b; } ") == 32);
  CHECK(multiple_after(
            launch,
            "template <typename T> T roundup(T a, T b) { T r = a % b; return r ? a + b - r : a; } ") == 32);
  CHECK(multiple_after("const auto roundup = [](int a, int b) { return (a + b - 1) / b * b; }; " + launch) ==
        32);
  CHECK(multiple_after("n = roundup(n, 32); sum<<<1, 64>>>(x, n);",
                       "constexpr int roundup(int a, int b) { return a % b == 0 ? a : a + (b - a % b); } ") ==
        32);
  CHECK(multiple_after(launch) == 1);
  CHECK(multiple_after(launch, "int roundup(int a, int b) { if (debug()) return a; return a / b * b; } ") ==
        1);
}

TEST_CASE("a test of a number of elements may have any form") {
  for (const char* tests :
       {"if (!(n % 4 == 0)) return;", "if (x == nullptr || n % 4 != 0) return;",
        "if (verbose) { if (n % 4 != 0) { puts(s); return; } } else if (n % 4) { return; }",
        "if (n < 0 ||\n n % 4 > 0)\n { throw std::runtime_error(\"n\"); }",
        "switch (n % 4) { case 0: break; default: return; }",
        "const bool is_whole = n % 4 == 0; if (!is_whole) return;", "do { if (n % 4) return; } while (0);",
        "[&] { if (n % 4 != 0) std::exit(1); }();", "check(n % 4 == 0);"}) {
    CAPTURE(tests);
    CHECK(multiple_after(std::string(tests) + " sum<<<1, 64>>>(x, n);",
                         "void check(bool is_right) { if (!is_right) exit(1); } ") == 4);
  }
}

TEST_CASE("a launch may be inside of what a test permits") {
  CHECK(multiple_after("if (n % 4 == 0 && x) { sum<<<1, 64>>>(x, n); } else { rest(x, n); }") == 4);
  CHECK(multiple_after("if (n % 4) { rest(x, n); } else do { sum<<<1, 64>>>(x, n); } while (0);") == 4);
  CHECK(multiple_after("if (n > 4096) if (n % 8 == 0) sum<<<1, 64>>>(x, n);") == 8);
  CHECK(multiple_after("auto run = [&](int m) { sum<<<1, 64>>>(x, m); }; run(n / 16 * 16);") == 16);
  CHECK(multiple_after("auto run = [&] { sum<<<1, 64>>>(x, n); }; if (n % 4 == 0) time_of(run);") == 4);
  CHECK(multiple_after("switch (n % 4) { case 0: sum<<<1, 64>>>(x, n); break; case 1: rest(n); }") == 4);
}

TEST_CASE("a test of something else permits every number of elements") {
  for (const char* tests :
       {"if (n % 4 != 0 && verbose) return;", "if (n % 4 != 0) { puts(s); }", "if (n > 100) return;",
        "if (n == 0) return;", "if (verbose) return;", "if (!x) return;", "if (unknown(n % 4)) return;"}) {
    CAPTURE(tests);
    const SourceLaunch found = launch_after(std::string(tests) + " sum<<<1, 64>>>(x, n);");
    CHECK_FALSE(found.calls.empty());
    CHECK(multiple(found) == 1);
  }
}

TEST_CASE("blocks may be computed by functions and loops") {
  const std::string helpers =
      "template <typename T> constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; } "
      "unsigned next_pow2(unsigned v) { --v; v |= v >> 1; v |= v >> 2; v |= v >> 4; v |= v >> 8; v |= v >> "
      "16; "
      "return ++v; } ";
  const auto blocks = [&](const std::string& statements, const std::string& grid) {
    return blocks_for(1000, launch_after(statements + " sum<<<" + grid + ", 256>>>(x, n);", helpers));
  };
  CHECK(blocks("", "ceil_div(n, 256)") == 4);
  CHECK(blocks("", "ceil_div<int>(n, 256)") == 4);
  CHECK(blocks("auto cdiv = [](int a, int b) { return (a + b - 1) / b; };", "cdiv(n, 100)") == 10);
  CHECK(blocks("", "std::min(ceil_div(n, 8), 64)") == 64);
  CHECK(blocks("", "(int)ceil(n / 256.0)") == 4);
  CHECK(blocks("dim3 grid; grid.x = (unsigned)std::ceil((float)n / 300);", "grid") == 4);
  CHECK(blocks("", "1 << (int)ceil(log2(n))") == 1024);
  CHECK(blocks("int p = 1; while (p < n) p *= 2;", "p / 2") == 512);
  CHECK(blocks("int p; for (p = 1; p < n; p <<= 1);", "p") == 1024);
  CHECK(blocks("", "next_pow2(n) / 256") == 4);
  CHECK(blocks("", "1 << (32 - __builtin_clz(n - 1))") == 1024);
  CHECK(blocks("", "std::bit_ceil((unsigned)n) / 4") == 256);
  CHECK(blocks("auto [g, t] = shape_for(n);", "g") == 0);
  CHECK(blocks("int g = n / 256; if (n % 256 != 0) ++g;", "g") == 4);
  CHECK(blocks("", "n / 256 + (n % 256 ? 1 : 0)") == 4);
  CHECK(blocks("dim3 grid{(unsigned)ceil_div(n, 256), 2};", "grid") == 4);
  CHECK(blocks("", "from_elsewhere(n, 256)") == 0);
  CHECK(blocks("int g = from_elsewhere(n);", "g") == 0);
}

TEST_CASE("what a loop or a function computes may be an expression in what is passed") {
  const std::string helpers =
      "int cdiv(int a, int b) { return (a + b - 1) / b; } "
      "int next_pow2(int v) { int p = 1; while (p < v) p *= 2; return p; } ";
  const auto blocks = [&](const std::string& grid) {
    return launch_after("sum<<<" + grid + ", 256>>>(x, n);", helpers).blocks[0];
  };
  CHECK(blocks("cdiv(n, 256)") == "ceil_div(n, 256)");
  CHECK(blocks("std::min(cdiv(n, 256), 64)") == "min(ceil_div(n, 256), 64)");
  CHECK(blocks("std::max(n >> 8 << 1 >> 1, 1)") == "max(n / 256, 1)");
  CHECK(blocks("cdiv(n, 1) * 3") == "n * 3");
  CHECK(blocks("next_pow2(n)") == "2 ^ log2_ceil(n)");
  CHECK(blocks("cdiv(n, 256) + n % 2").empty());
  const auto threads = [&](const std::string& block) {
    return launch_after("sum<<<1, " + block + ">>>(x, n);", helpers).threads;
  };
  CHECK(threads("next_pow2(n)") == "2 ^ log2_ceil(n)");
  CHECK(threads("next_pow2(n) / 2") == "2 ^ log2_ceil(n) / 2");
  CHECK(threads("std::min(next_pow2(n), 512)") == "min(2 ^ log2_ceil(n), 512)");
  const SourceLaunch constant =
      launch_after("const int m = cdiv(1000, 256); sum<<<m, next_pow2(100)>>>(x, 1000);", helpers);
  CHECK(constant.grid == foldproof::SourceExtents{4, 1, 1});
  CHECK(constant.block == foldproof::SourceExtents{128, 1, 1});
  CHECK(launch_after("n &= ~3; sum<<<n / 4, 64>>>(x, n);").arguments.at(1) == "n");
}

TEST_CASE("what the caller of a program or a tensor says is sampled") {
  const std::string launch = " sum<<<(n + 255) / 256, 256>>>(x, n);";
  for (const char* begin :
       {"int main(int argc, char** argv) { if (argc != 2) return 1; const int n = atoi(argv[1]); ",
        "int main(int argc, char** argv) { int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20; ",
        "void f(const Tensor& t) { const auto n = t.size(0); if (t.dim() != 2) throw 1; ",
        "int main() { int n; std::cin >> n; if (cudaMalloc(&x, n * 4) != cudaSuccess) return 1; ",
        "void f(int n) { float* h = new float[n]; for (int i = 0; i < n; ++i) h[i] = 1; ",
        "void f(const float* h, int n) { if (cudaMalloc(&x, 4 * n)) goto failed; if (n > 1 << 28) goto "
        "failed; ",
        "void f(const Tensor& t) { auto [rows, n] = shape_of(t); [[maybe_unused]] const int m = n; ",
        "struct S { int n; void f() { const int m = this->n; ", "struct S { int n; void f() { "}) {
    CAPTURE(begin);
    const SourceLaunch found = launch_in(begin + launch + " failed: free(h); }");
    CHECK(blocks_for(1000, found) == 4);
    CHECK(multiple(found) == 1);
  }
  CHECK(launch_in("int main() { const int n = 1 << 20;" + launch + "}").calls.front().grid[0] == 4096);
  CHECK(multiple(launch_in("void f(Tensor t) { int n = t.numel() * 8;" + launch + "}")) == 8);
}

TEST_CASE("constants of a class may follow the function, and other members have any value") {
  const auto in_class = [](const std::string& members) {
    return multiple(
        launch_in("struct S { void f(const float* x) { if (n % tile) return; sum<<<1, 64>>>(x, n); } " +
                  members + " };"));
  };
  CHECK(in_class("static constexpr int tile = 16; int n = 0;") == 16);
  CHECK(in_class("int tile = 16, n = 0;") == 1);
  CHECK(multiple(launch_in("const int tile = 16; void f(const float* x, int n) { if (n % tile) return; "
                           "sum<<<1, 64>>>(x, n); }")) == 16);
}

TEST_CASE("only what the launch passes is tested") {
  const auto sizes = [](const std::string& source) {
    std::set<std::int64_t> found;
    for (const foldproof::HostCall& call : launch_in(source).calls)
      found.insert(call.arguments.at(1).value_or(-1));
    return found;
  };
  CHECK(sizes("int main() { int sizes[] = {100, 1000}; for (int n : sizes) sum<<<1, 64>>>(x, n); }") ==
        std::set<std::int64_t>{100, 1000});
  CHECK(sizes("int main() { std::vector<int> s{96, 64}; for (size_t i = 0; i < s.size(); i++) sum<<<1, "
              "64>>>(x, s[i]); "
              "}") == std::set<std::int64_t>{64, 96});
  CHECK(sizes("int main() { for (int n = 64; n <= 1024; n *= 4) sum<<<1, 64>>>(x, n); }") ==
        std::set<std::int64_t>{64, 256, 1024});
  CHECK(sizes("void f(int n) { if (n == 4096) sum<<<1, 64>>>(x, n); }") == std::set<std::int64_t>{4096});
  CHECK(sizes("void f(int n) { if (n == 96 || n == 192) sum<<<1, 64>>>(x, n); }") ==
        std::set<std::int64_t>{96, 192});
}

TEST_CASE("a lambda sees the names where it is defined, not those of a function that calls it") {
  const std::string repeat =
      "template <class F> void repeat(int n, F f) { for (int i = 0; i < n; ++i) f(); } ";
  std::set<std::int64_t> passed;
  const std::string source = repeat + "void f() { int n = 64; repeat(100, [&] { sum<<<1, 64>>>(x, n); }); }";
  for (const foldproof::HostCall& call : launch_in(source).calls)
    passed.insert(call.arguments.at(1).value_or(0));
  CHECK(passed == std::set<std::int64_t>{64});
  // It assigns a variable of the function that defines it.
  const std::string run = "template <class F> void run(F f, int k) { f(k); } ";
  CHECK(multiple_after("int m = n / 64 * 64; run([&m](int k) { m = k; }, n); sum<<<1, 64>>>(x, m);", run) ==
        1);
}

TEST_CASE("an unknown function may assign what a declaration calls a reference") {
  const std::string statements = "n &= ~3; parse(n); sum<<<1, 64>>>(x, n);";
  CHECK(multiple_after(statements, "void parse(int& n); ") == 1);
  CHECK(multiple_after(statements, "void parse(int n); ") == 4);
}

TEST_CASE("what an exception handler may permit is not supposed") {
  CHECK(multiple_after("try { if (n % 4) throw 1; } catch (...) {} sum<<<1, 64>>>(x, n);") == 1);
}

TEST_CASE("a global variable that the source changes somewhere may have any value") {
  const auto is_passed = [](const std::string& other) {
    return multiple(
        launch_in("int m = 64; void g() { " + other + " } void f(const float* x) { sum<<<1, 64>>>(x, m); }"));
  };
  CHECK(is_passed("") == 64);
  CHECK(is_passed("m = 3;") == 1);
  CHECK(is_passed("parse(&m);") == 1);
}

TEST_CASE("a launch in code that is not understood has no calls") {
  CHECK(launch_after("goto end; sum<<<1, 64>>>(x, n); end: return;").calls.empty());
  CHECK(launch_after("return; sum<<<1, 64>>>(x, n);").calls.empty());
  CHECK(launch_after("int a = 1 2 sum<<<1, 64>>>(x, n);").calls.empty());
}

TEST_CASE("a host function that does not end, or is too deep, takes little time") {
  const auto begin = std::chrono::steady_clock::now();
  std::string deep, branches, calls = "int g0(int a) { return a; } ";
  for (int k = 0; k < 3000; ++k) deep += "(";
  std::string strings = std::string(60, '(');  // a long content of nested parentheses
  for (int k = 0; k < 20000; ++k) strings += "\"\" ";
  strings += std::string(60, ')') + ";";
  for (int k = 0; k < 3000; ++k) branches += "if (h(" + std::to_string(k) + ")) { if (n) { ";
  for (int k = 1; k < 30; ++k)
    calls += "int g" + std::to_string(k) + "(int a) { return g" + std::to_string(k - 1) + "(a) + g" +
             std::to_string(k - 1) + "(a); } ";
  for (const std::string& statements :
       {"while (true) n += 1;" + std::string(), deep, branches, std::string("f(x, n, verbose);"),
        std::string("for (;;) for (;;) for (;;) for (;;) ++n;"), strings, std::string("n = g29(n);"),
        std::string("n = 1 << 62 << 62; n = n / 0 % 0; n = INT64_MIN / -1;")}) {
    const SourceLaunch found = launch_after(statements + " sum<<<1, 64>>>(x, n);", calls);
    CHECK(multiple(found) == 1);
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}
