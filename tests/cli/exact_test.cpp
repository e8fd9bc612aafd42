// foldproof exact: the exact result of operations on files of raw values.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "catch.h"
#include "cli/program.h"

using namespace foldproof::test;

namespace {

template <class T>
std::string raw(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

}  // namespace

TEST_CASE("exact sum rounds once to each format") {
  const Folder folder;
  const std::string file = folder.file("x.f32", raw({1e8F, 1.5F, -1e8F, 0x1p-30F, 0.25F}));
  const nlohmann::json result = run_json({"exact", "sum", "--type", "f32", file}).json;
  CHECK(result.at("count") == 5);
  CHECK(result.at("rounded").at("f64") == "0x1.c0000004p+0");
  CHECK(result.at("rounded").at("f32") == "0x1.cp+0");
  CHECK(result.at("rounded").at("f16") == "0x1.cp+0");
  CHECK(result.at("rounded").at("bf16") == "0x1.cp+0");
  CHECK(result.at("magnitude").get<double>() == 200000001.75 + 0x1p-30);
  CHECK(result.at("condition").get<double>() == Approx(200000001.75 / 1.75));
  // (n - 1) u A
  CHECK(result.at("bound_any_order").get<double>() == Approx(4 * 0x1p-24 * 200000001.75));
}

TEST_CASE("exact gives no bound if an intermediate sum may overflow") {
  const Folder folder;
  const std::string file = folder.file("x.f32", raw({3e38F, 3e38F, -3e38F}));
  CHECK(run_json({"exact", "sum", "--type", "f32", file}).json.at("bound_any_order").is_null());
  CHECK(run({"exact", "sum", "--type", "f32", file}).out.find("none: an intermediate sum may overflow") !=
        std::string::npos);
}

TEST_CASE("exact dot multiplies without rounding") {
  const Folder folder;
  // (1 + 2^-23)^2 - 1 (1 + 2^-22) = 2^-46, which is lost if the products are rounded to f32.
  const std::string x = folder.file("x.f32", raw({1 + 0x1p-23F, -1.0F})),
                    y = folder.file("y.f32", raw({1 + 0x1p-23F, 1 + 0x1p-22F}));
  const nlohmann::json result = run_json({"exact", "dot", "--type", "f32", x, "--second", y}).json;
  CHECK(result.at("rounded").at("f32") == "0x1p-46");
  CHECK(result.at("rounded").at("f16") == "0x0p+0");
  // n u A, plus half the smallest subnormal per product
  const double magnitude = result.at("magnitude").get<double>();
  CHECK(result.at("bound_any_order").get<double>() >= 2 * 0x1p-24 * magnitude);
  CHECK(result.at("bound_any_order").get<double>() == Approx(2 * 0x1p-24 * magnitude));
}

TEST_CASE("exact follows IEEE 754 for zeros, infinities, NaN and empty input") {
  const Folder folder;
  const auto sum = [&](const std::string& bytes) {
    const nlohmann::json result = run_json({"exact", "sum", "--type", "f64", folder.file("x", bytes)}).json;
    return result.at("rounded").at("f32").get<std::string>();
  };
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(sum("") == "0x0p+0");
  CHECK(sum(raw({-0.0, -0.0})) == "-0x0p+0");
  CHECK(sum(raw({-0.0, 0.0})) == "0x0p+0");
  CHECK(sum(raw({1.0, -1.0})) == "0x0p+0");
  CHECK(sum(raw({-infinity, 5.0})) == "-inf");
  CHECK(sum(raw({infinity, -infinity})) == "nan");
  CHECK(sum(raw({std::nan(""), 1.0})) == "nan");
  CHECK(sum(raw({1e300, 1e300})) == "inf");
  CHECK(sum(raw({0x1p-149})) == "0x1p-149");
  const auto zero_times_infinity =
      run_json({"exact", "dot", "--type", "f64", folder.file("a", raw({infinity})), "--second",
                folder.file("b", raw({0.0}))});
  CHECK(zero_times_infinity.json.at("rounded").at("f64") == "nan");
  CHECK(zero_times_infinity.json.at("magnitude").is_null());
}

TEST_CASE("exact reads integers and narrow floats") {
  const Folder folder;
  const auto rounded = [&](const std::string& type, const std::string& bytes) {
    return run_json({"exact", "sum", "--type", type, folder.file("x", bytes)}).json;
  };
  const nlohmann::json u64 = rounded("u64", raw<std::uint64_t>({~std::uint64_t{0}, 1}));
  CHECK(u64.at("rounded").at("f64") == "0x1p+64");
  CHECK(u64.at("bound_any_order") == 0.0);
  CHECK(rounded("e4m3", raw<std::uint8_t>({0x7e, 0x7e})).at("rounded").at("f16") == "0x1.cp+9");
  CHECK(rounded("e2m1", raw<std::uint8_t>({0x7, 0x7, 0xa})).at("rounded").at("f16") == "0x1.6p+3");
  CHECK(rounded("f16", raw<std::uint16_t>({0x7bff, 0x7bff})).at("rounded").at("f16") == "inf");
  CHECK(rounded("f16", raw<std::uint16_t>({0x7bff, 0x7bff})).at("rounded").at("f32") == "0x1.ffcp+16");
}

TEST_CASE("exact reports what is wrong with its input") {
  const Folder folder;
  const std::string five = folder.file("five", "12345"), four = folder.file("four", "1234"),
                    eight = folder.file("eight", "12345678");
  const auto complaint = [](const std::vector<std::string>& arguments) {
    const Ran ran = run(arguments);
    CHECK(ran.status == 2);
    return ran.err;
  };
  using foldproof::tests::contains_text;
  CHECK_THAT(complaint({"exact", "sum", "--type", "f32", five}),
             contains_text("the file has 5 bytes, which is not a whole number of f32 values (4 bytes each)"));
  CHECK_THAT(complaint({"exact", "sum", "--type", "f33", four}), contains_text("unknown type f33"));
  CHECK_THAT(complaint({"exact", "sum", "--type", "f32", folder.path("none")}),
             contains_text("the file does not exist"));
  CHECK_THAT(complaint({"exact", "dot", "--type", "f32", four}), contains_text("--second FILE"));
  CHECK_THAT(complaint({"exact", "sum", "--type", "f32", four, "--second", four}),
             contains_text("only to dot"));
  CHECK_THAT(complaint({"exact", "dot", "--type", "f32", four, "--second", eight}),
             contains_text("1 and 2 values"));
  CHECK_THAT(complaint({"exact", "mean", "--type", "f32", four}), contains_text("mean"));
}
