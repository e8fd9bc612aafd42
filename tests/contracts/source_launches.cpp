// With which grids and blocks a source launches its kernels.
#include "contracts/guessing/source_launches.h"

#include <array>
#include <string>

#include "catch.h"

using foldproof::LaunchedKernel;
using foldproof::SourceExtents;
using foldproof::SourceLaunch;
using Blocks = std::vector<std::uint32_t>;

namespace {

std::vector<SourceLaunch> launches_of(const std::string& source, const std::string& kernel = "sum") {
  return foldproof::launches_in(source, {{kernel, ""}}).at(0);
}

/// The threads along x of the launches whose blocks have one dimension.
Blocks blocks_in(const std::vector<SourceLaunch>& launches) {
  Blocks blocks;
  for (const SourceLaunch& launch : launches)
    if (launch.block[0] && launch.block[1] == 1U && launch.block[2] == 1U) blocks.push_back(*launch.block[0]);
  return blocks;
}

Blocks launched_blocks(const std::string& source, const std::string& kernel) {
  return blocks_in(launches_of(source, kernel));
}

/// Of one of two kernels with the name, whose other template arguments are "other".
Blocks of_two(const std::string& source, const LaunchedKernel& kernel) {
  return blocks_in(foldproof::launches_in(source, {kernel, {kernel.name, "other"}}).at(0));
}

/// The largest power of two, up to 4096, that divides every first argument of the first launch.
std::int64_t largest_multiple(const std::string& source) {
  std::int64_t multiple = 1;
  while (multiple < 4096 && passes_multiples(launches_of(source).at(0), 0, 2 * multiple)) multiple *= 2;
  return multiple;
}

SourceExtents grid_in(const std::string& source) { return launches_of(source).at(0).grid; }

const std::optional<std::uint32_t> unknown;

}  // namespace

TEST_CASE("the blocks of launches are numbers, dim3 or constants of the source") {
  CHECK(launched_blocks("int main() { sum<<<4, 128>>>(x); }", "sum") == Blocks{128});
  CHECK(launched_blocks("sum<float, 4><<<(n + 3) / 4, 64u, 64 * sizeof(float)>>>(x);", "sum") == Blocks{64});
  CHECK(launched_blocks("sum<<<grid, dim3(32, 1, 1)>>>(x);", "sum") == Blocks{32});
  CHECK(launched_blocks("const int half = 64, T = 2 * half; dim3 block(T); sum<<<g, block>>>(x);", "sum") ==
        Blocks{128});
  CHECK(launched_blocks("const int n = 8, t = 64, m = n; sum<<<1, t>>>(x);", "sum") == Blocks{64});
  CHECK(launched_blocks("void f() { int t = 32; } void g() { int n = 8, t = 64; sum<<<1, t>>>(x); }",
                        "sum") == Blocks{64});
  CHECK(grid_in("dim3 b(64), g(1024 / b.x, 2); sum<<<g, b>>>(x);") == SourceExtents{16, 2, 1});
  CHECK(launched_blocks("f(dim3 b, t(64)); sum<<<1, t>>>(x);", "sum").empty());
  CHECK(launched_blocks("dim3 b = dim3(96); sum<<<1, b>>>(x); sum<<<1, 32 * 8>>>(y);", "sum") ==
        Blocks{96, 256});
}

TEST_CASE("the block of a launch may be computed") {
  CHECK(launched_blocks("int t = 256; t /= 2; sum<<<1, t>>>(x);", "sum") == Blocks{128});
  CHECK(launched_blocks("dim3 t(64); t.x = 32; sum<<<1, t>>>(x);", "sum") == Blocks{32});
  CHECK(launched_blocks("sum<<<1, 0100>>>(x);", "sum") == Blocks{64});  // octal
  CHECK(launched_blocks("sum<<<1, 2 ^ 6>>>(x);", "sum") == Blocks{4});  // exclusive or
  CHECK(launched_blocks("unsigned char t = 320; sum<<<1, t>>>(x);", "sum") == Blocks{64});
  CHECK(launched_blocks("void g() { int t = 64; { t = 32; } sum<<<1, t>>>(x); }", "sum") == Blocks{32});
}

TEST_CASE("a block that the source does not determine is unknown") {
  CHECK(launched_blocks("sum<<<4, 128>>>(x);", "max").empty());
  CHECK(launched_blocks("void run(int t = 128) { sum<<<1, t>>>(x); }", "sum").empty());
  CHECK(launched_blocks("for (int t = 32; t <= 1024; t *= 2) sum<<<1, t>>>(x);", "sum").empty());
  CHECK(launched_blocks("int t = 256; if (n < 64) t = 32; sum<<<1, t>>>(x);", "sum").empty());
  CHECK(launched_blocks("int t = pick(n); sum<<<1, t>>>(x);", "sum").empty());
  CHECK(launched_blocks("int t = t; sum<<<1, t>>>(x);", "sum").empty());
  CHECK(launched_blocks("sum<<<1, 64>>>(x); sum<<<1, t>>>(x);", "sum") == Blocks{64});
  CHECK(launched_blocks("sum<<<1, 2048>>>(x);", "sum").empty());
  CHECK(launched_blocks("sum<<<1, 0>>>(x); sum<<<1>>>(x); sum<<<", "sum").empty());
}

TEST_CASE("a name means what the innermost scope declares") {
  const std::string launch = "sum<<<1, t>>>(x); }";
  CHECK(launched_blocks("void f() { int t = 512; } void g(int t) { " + launch, "sum").empty());
  CHECK(launched_blocks("void f(int t) { t += 1; } void g() { int t = 64; " + launch, "sum") == Blocks{64});
  CHECK(launched_blocks("void f() { int t = 32; } void g() { int t = 64; " + launch, "sum") == Blocks{64});
  CHECK(launched_blocks("const int t = 32; void g() { const int t = 64; { f(); } " + launch, "sum") ==
        Blocks{64});
  CHECK(launched_blocks("const int t = 32; void g() { { const int t = 64; } " + launch, "sum") == Blocks{32});
  CHECK(launched_blocks("void g() { for (int t = 32; t < 64; ++t) f(t); " + launch, "sum").empty());
  CHECK(launched_blocks("enum { t = 96 }; void g() { " + launch, "sum") == Blocks{96});
  CHECK(launched_blocks("const int t = 512; template <int t> void g() { " + launch, "sum").empty());
  CHECK(launched_blocks("void f() { int t = 512; } struct S { int t; void g() { " + launch + " };", "sum")
            .empty());
  CHECK(launched_blocks("void f() { const int t = 64; } void g() { const int t = 64; " + launch, "sum") ==
        Blocks{64});
}

TEST_CASE("constants that are defined by many others take no time") {
  std::string source = "int c8 = 1; ";
  for (int k = 7; k >= 0; --k) {
    source += "int c" + std::to_string(k) + " = 0";
    for (int repeated = 0; repeated < 100; ++repeated) source += " + c" + std::to_string(k + 1);
    source += "; ";
  }
  CHECK(launched_blocks(source + "sum<<<1, c7>>>(x);", "sum") == Blocks{100});
  CHECK(launched_blocks(source + "sum<<<1, c0>>>(x);", "sum").empty());
  std::string variables = source;
  variables.replace(0, 10, "int c8 = f();");
  CHECK(launches_of(variables + "sum<<<c0, 64>>>(x);").at(0).blocks[0].empty());
}

TEST_CASE("instances of a template have their own launches, and overloads have none") {
  const std::string source = "sum<float, 256><<<4, 256>>>(x); sum<float, 64u><<<1, 64>>>(y);";
  CHECK(of_two(source, {"sum", "float, 64u"}) == Blocks{64});
  CHECK(of_two(source, {"sum", "float, 256"}) == Blocks{256});
  CHECK(of_two(source, {"sum", "float, 32"}).empty());
  CHECK(of_two(source + "sum<T, B><<<1, 32>>>(z);", {"sum", "float, 64"}).empty());
  CHECK(of_two("a::sum<<<1, 64>>>(x); b::sum<<<1, 32>>>(x);", {"sum", ""}).empty());
}

TEST_CASE("grids and blocks have up to three dimensions, and some may be unknown") {
  CHECK(grid_in("sum<<<4, 128>>>(x);") == SourceExtents{4, 1, 1});
  CHECK(grid_in("constexpr int N = 8; dim3 g(N, 2 * N); sum<<<g, 128>>>(x);") == SourceExtents{8, 16, 1});
  CHECK(grid_in("sum<<<dim3(1, rows), 128>>>(x);") == SourceExtents{1, unknown, 1});
  CHECK(grid_in("sum<<<(n + 255) / 256, 256>>>(x);") == SourceExtents{});
  CHECK(grid_in("sum<<<0, 256>>>(x);") == SourceExtents{});
  CHECK(grid_in("sum<<<dim3(1, 2, 3, 4), 256>>>(x);") == SourceExtents{});
  CHECK(grid_in("void f() { dim3 g(1, 2); if (n > 9) g = dim3(4, 2); sum<<<g, 32>>>(x); }") ==
        SourceExtents{unknown, 2, 1});
  CHECK(launches_of("sum<<<1, dim3(32, 4)>>>(x);").at(0).block == SourceExtents{32, 4, 1});
  CHECK(launches_of("sum<<<1, dim3(64, 32)>>>(x);").at(0).block == SourceExtents{});
  CHECK(launches_of("sum<<<1, 64>>>(x); sum<<<2, 64>>>(x);").size() == 2);
}

TEST_CASE("the number of blocks and the arguments may be expressions in variables of the source") {
  const auto blocks = [](const std::string& source) { return launches_of(source).at(0).blocks[0]; };
  CHECK(blocks("sum<<<(n + 255) / 256, 256>>>(x, n);") == "( n + 255 ) / 256");
  CHECK(blocks("void f(int n) { const int T = 64; int g = (n + T - 1) / T; sum<<<g, T>>>(x, n); }") ==
        "(( n + 64 - 1 ) / 64)");
  CHECK(blocks("sum<<<dim3(std::min((unsigned)n, 8u)), 64>>>(x);") == "min ( n , 8 )");
  CHECK(launches_of("sum<<<dim3(n, 2), 64>>>(x);").at(0).blocks == std::array<std::string, 3>{"n", "2", "1"});
  CHECK(launches_of("dim3 g(1, m / 4); sum<<<g, 64>>>(x);").at(0).blocks[1] == "(m / 4)");
  CHECK(launches_of("dim3 g(1, 2); g.y = m; sum<<<g, 64>>>(x);").at(0).blocks[1].empty());
  CHECK(blocks("sum<<<ceil(n / 64.0), 64>>>(x);").empty());
  CHECK(blocks("dim3 b(64, 2); sum<<<(n + b.x - 1) / (b.x * b.y), b>>>(x);") ==
        "( n + 64 - 1 ) / ( 64 * 2 )");
  CHECK(blocks("void f(dim3 b) { sum<<<n / b.x, b>>>(x); }").empty());
  CHECK(blocks("sum<<<p.n / 64, 64>>>(x);").empty());
  CHECK(blocks("int g = n / 64; g++; sum<<<g, 64>>>(x);").empty());
  CHECK(blocks("int g = g + 1; sum<<<g, 64>>>(x);").empty());
  CHECK(blocks("int g = rounded(n); sum<<<g, 64>>>(x);").empty());
  CHECK(blocks("void f(int g = 8) { sum<<<g, 64>>>(x); }") == "g");
  CHECK(blocks("int n = f(); sum<<<static_cast<unsigned int>(n / 64), 64>>>(x);").empty());
  CHECK(blocks("sum<<<static_cast<unsigned int>(n / 64), 64>>>(x);") == "( n / 64 )");
  const auto shared = [](const std::string& source) { return launches_of(source).at(0).shared; };
  CHECK(shared("sum<<<1, 64>>>(x);") == "0");
  CHECK(shared("sum<<<1, 64, (64 + 1) * sizeof(float)>>>(x);") == "( 64 + 1 ) * 4");
  CHECK(shared("sum<<<1, 64, 64 * sizeof(T)>>>(x);").empty());
  const auto arguments = launches_of("const int n = 100; sum<<<1, 64>>>(x, n * 2, f(y), m);").at(0).arguments;
  CHECK(arguments == std::vector<std::string>{"x", "100 * 2", "", "m"});
}

TEST_CASE("shifts are powers of two if their operands are simple") {
  const auto blocks = [](const std::string& source) { return launches_of(source).at(0).blocks[0]; };
  CHECK(blocks("sum<<<(n + 255) >> 8, 256>>>(x);") == "( n + 255 ) / 2 ^ 8");
  CHECK(blocks("sum<<<n + 255 >> 8, 256>>>(x);").empty());
  CHECK(blocks("sum<<<n >> 8 + 1, 256>>>(x);").empty());
  CHECK(blocks("sum<<<n > 8, 256>>>(x);") == "1");  // or the launch fails
  CHECK(blocks("sum<<<n >> bits, 256>>>(x);").empty());
  CHECK(grid_in("const int n = 1 << 20; sum<<<n / 256, 256>>>(x);") == SourceExtents{4096, 1, 1});
  CHECK(grid_in("const int n = (2 << 3) + 1; sum<<<n, 256>>>(x);") == SourceExtents{17, 1, 1});
}

TEST_CASE("it is known whether a launch is the only one of the source") {
  CHECK(launches_of("sum<<<1, 64>>>(x);").at(0).is_only_one);
  CHECK_FALSE(launches_of("sum<<<1, 64>>>(x); rest<<<1, 64>>>(x);").at(0).is_only_one);
}

TEST_CASE("a launch that a constant condition may skip shows nothing") {
  CHECK(launches_of("if constexpr (false) sum<<<1, 64>>>(x);").empty());
  CHECK(launches_of("if (sizeof(int) == 8) sum<<<1, 128>>>(x); else sum<<<1, 64>>>(x);").empty());
  CHECK(launches_of("const int debug = 1; if (debug > 2) { f(); { sum<<<1, 64>>>(x); } }").empty());
  CHECK(launches_of("if (n > 8) { sum<<<1, 64>>>(x); }").size() == 1);
  CHECK(launches_of("if (false) f(); sum<<<1, 64>>>(x);").size() == 1);
  CHECK(launches_of("if (false) { f(); } sum<<<1, 64>>>(x);").size() == 1);
}

TEST_CASE("bits that are masked off leave a multiple of a power of two") {
  const auto argument = [](const std::string& text) {
    return launches_of("sum<<<1, 64>>>(" + text + ");").at(0).arguments.at(0);
  };
  CHECK(argument("n & ~255") == "n / 256 * 256");
  CHECK(argument("(n + 1) & ~7u") == "( n + 1 ) / 8 * 8");
  CHECK(argument("n & ~6").empty());
  CHECK(argument("n & 7").empty());
  CHECK(argument("n + 1 & ~7").empty());
}

TEST_CASE("a launch whose sizes a function of another source computes is named as it is spelled") {
  const auto spelled = [](const std::string& launch) {
    return launches_of("Config tune(int n); void f(int n) { Config c = tune(n); " + launch + "; }")
        .at(0)
        .not_understood;
  };
  CHECK(spelled("sum<<<c.blocks, c.threads>>>(x, n)") == "<<<c.blocks, c.threads>>>");
  CHECK(spelled("sum<<<(n + 255) / 256, pick(unsigned(n))>>>(x, n)") ==
        "<<<(n+255)/256, pick(unsigned(n))>>>");
  CHECK(spelled("sum<<<(n + 255) / 256, 256>>>(x, n)").empty());
  CHECK(spelled("sum<<<64, 256>>>(x, n)").empty());
}

TEST_CASE("a launch passes only multiples if its argument or a test says so") {
  const auto passes = [](const std::string& source, std::int64_t divisor) {
    return passes_multiples(launches_of(source).at(0), 0, divisor);
  };
  CHECK(passes("sum<<<1, 64>>>(1 << 20);", 4096));
  CHECK_FALSE(passes("sum<<<1, 64>>>(1000);", 16));
  CHECK(passes("sum<<<1, 64>>>(tiles * 96);", 32));
  CHECK_FALSE(passes("sum<<<1, 64>>>(tiles * 96);", 64));
  CHECK(passes("sum<<<1, 64>>>((n + 255) / 256 * 256);", 256));
  for (const char* several :
       {"rows * columns", "n / 8192", "max(n, 8192)", "m - n + 7", "n - n", "n", "f(n)"}) {
    CAPTURE(several);
    CHECK_FALSE(passes("sum<<<1, 64>>>(" + std::string(several) + ");", 2));
  }
  for (const char* test : {"if (n % 64) return;", "if (n % 64 != 0) { return; }", "assert(n % 64 == 0);",
                           "if (n % 64 == 0)", "if (n % 2) throw 1; if (n % 64) exit(1);"}) {
    CAPTURE(test);
    CHECK(passes("void f(int n) { " + std::string(test) + " sum<<<1, 64>>>(n); }", 64));
    CHECK_FALSE(passes("void f(int n) { " + std::string(test) + " sum<<<1, 64>>>(n); }", 128));
    CHECK_FALSE(
        passes("void g(int n) { " + std::string(test) + " } void f(int n) { sum<<<1, 64>>>(n); }", 2));
    CHECK_FALSE(passes("void f(int n, int m) { " + std::string(test) + " sum<<<1, 64>>>(m); }", 2));
  }
  CHECK_FALSE(passes("void f(int n) { if (n % 64) rest(n); sum<<<1, 64>>>(n); }", 2));
  CHECK_FALSE(passes("void f(int n) { sum<<<n / 64 + (n % 64 ? 1 : 0), 64>>>(n); }", 2));
}

TEST_CASE("blocks that are rounded down cover only multiples") {
  const auto covers = [](const std::string& source, std::int64_t divisor) {
    return covers_only_multiples(launches_of(source).at(0), 0, divisor);
  };
  CHECK(covers("sum<<<n / 256, 256>>>(n);", 128));
  CHECK_FALSE(covers("sum<<<n / 256, 256>>>(n);", 512));
  CHECK_FALSE(covers("sum<<<(n + 255) / 256, 256>>>(n);", 2));
  CHECK_FALSE(covers("sum<<<1, 64>>>(n);", 2));
}

TEST_CASE("a number of elements is tested if what follows leaves the function otherwise") {
  const auto multiple = [](const std::string& test) {
    return largest_multiple("void f(int n) { " + test + " sum<<<1, 256>>>(n); }");
  };
  CHECK(multiple("if (n % 256) return;") == 256);
  CHECK(multiple("if (n % 64 != 0) std::abort();") == 64);
  CHECK(multiple("if (n % 256) { std::cerr << n; return; }") == 256);
  CHECK(multiple("if (n % 8) { if (n) { puts(s); } throw 1; }") == 8);
  CHECK(multiple("assert(n % 4 == 0);") == 4);
  CHECK(multiple("(static_cast<bool>(n % 4 == 0) ? void(0) : __assert_fail(\"n\", \"k.cu\", 1, \"f\"));") ==
        4);
  CHECK(multiple("if ((n % 8) != 0) return;") == 8);
  CHECK(multiple("if (n <= 0 || n % 4 != 0) return;") == 4);
  CHECK(multiple("if (n & 3) return;") == 4);
  CHECK(multiple("assert((n & 3) == 0);") == 4);
  CHECK(multiple("if (n & 4) return;") == 1);
  CHECK(multiple("if (n % 4 != 0 && verbose) return;") == 1);
  CHECK(multiple("if (n % 4 == 0 || verbose) f(n);") == 1);
  CHECK(multiple("if (g(n % 4)) return;") == 1);
  CHECK(multiple("if (n % 256) std::cerr << n;") == 1);
  CHECK(multiple("if (n % 256) { std::cerr << n; } return;") == 1);
  CHECK(multiple("if (n % 8) { if (verbose) return; }") == 1);
}

TEST_CASE("one block may have as many threads as elements, or a part of them") {
  const auto each = [](const std::string& configuration, const std::string& elements) {
    const std::string launch = "sum<<<" + configuration + ">>>(x, " + elements + ");";
    return foldproof::elements_per_launched_thread(
        launches_of("void f(const float* x, int n, int h) { " + launch + " }").at(0), 1);
  };
  CHECK(each("1, n", "n") == 1);
  CHECK(each("1, n / 2", "n") == 2);
  CHECK(each("1, 512", "512") == 1);
  CHECK(each("1, 512", "1024") == 2);
  CHECK(each("1, 512", "1025") == 0);
  CHECK(each("1, 512", "n") == 0);
  CHECK(each("2, n", "n") == 0);
  CHECK(each("1, dim3(n, h)", "n") == 0);
}

TEST_CASE("a number of blocks that is also passed to the kernel has one dimension") {
  const auto blocks = [](const std::string& configuration, const std::string& elements) {
    return launches_of("void f(int n) { sum<<<" + configuration + ", 32>>>(" + elements + "); }")
        .at(0)
        .blocks;
  };
  CHECK(blocks("n", "x, n") == std::array<std::string, 3>{"n", "1", "1"});
  CHECK(blocks("g", "x, n") == std::array<std::string, 3>{"g", "", ""});
}
