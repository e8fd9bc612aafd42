// Sizes that contradict each other are reported as an error of the contract, at its line.
#include "contracts/sizes.h"

#include "catch.h"
#include "workshop.h"

using namespace foldproof;

namespace {

/// A contract that is valid except for the given lines.
std::string contract_of(const std::string& reduction, const std::string& domain,
                        const std::string& further = "") {
  return "format = 1\n[domain]\n" + domain + "\n[reduction]\n" + reduction +
         "\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n" + further + "\n";
}

std::string rows_error(const std::string& domain) {
  return load_error(contract_of("operator = \"sum\"\ninput = \"f32\"\nresult = \"rows\"", domain));
}

std::string domain_error(const std::string& domain) {
  return load_error(contract_of("operator = \"sum\"\ninput = \"f32\"", domain));
}

std::string bins_error(const std::string& output) {
  return load_error(
      contract_of("operator = \"histogram\"\ninput = \"u8\"\naccumulator = \"u32\"\nresult = \"bins\"",
                  "count = 9", "[output]\n" + output));
}

std::string argmax_error(const std::string& types, const std::string& domain) {
  return load_error(contract_of("operator = \"argmax\"\ninput = \"f32\"\n" + types, domain));
}

}  // namespace

TEST_CASE("with result \"rows\", the count must be rows * columns") {
  const std::string free_rows = "columns = \"1 .. 2^20\"\nrows = \"1 .. 2^20\"\n";
  CHECK(rows_error(free_rows + "count = \"rows * columns\"").empty());
  CHECK(rows_error(free_rows + "count = \"columns * rows\"").empty());
  CHECK(rows_error("columns = 4\ncount = \"4 * columns\"").empty());
  CHECK(rows_error(free_rows + "count = \"rows + columns\"") ==
        "k.toml:5:10: \"count\" must be rows * columns if the result is rows, columns or row-scans, but it "
        "may be 2 for "
        "1 rows of 1 columns");
  CHECK(rows_error(free_rows + "count = \"rows * columns + 1\"")
            .find("k.toml:5:10: \"count\" must be rows *") == 0);
  CHECK(rows_error(free_rows + "count = \"1 .. 1000\"").find("k.toml:5:10: \"count\" must be rows *") == 0);
  CHECK(rows_error("columns = \"1 .. 8\"\ncount = \"1 .. 1000\"") ==
        "k.toml:4:10: \"count\" must be rows * columns if the result is rows, columns or row-scans, but it "
        "may be 3 for "
        "rows of 2 columns");
}

TEST_CASE("the output has one element per row, even if the rows have no columns") {
  const Workshop workshop;
  const std::string reduction = "operator = \"sum\"\ninput = \"f32\"\nresult = \"rows\"";
  const std::string rows = "columns = \"0 .. 8\"\nrows = \"1 .. 8\"\ncount = \"rows * columns\"";
  CHECK(workshop.load(contract_of(reduction, rows)).instances.at(0).output_count.text() == "rows");
  CHECK(rows_error("columns = \"0 .. 8\"\ncount = \"8 * columns\"") ==
        "k.toml:3:12: a row may have 0 columns, so the number of rows cannot be computed from \"count\"; "
        "add a variable \"rows\" with count = \"rows * columns\", or specify \"count\" in [output]");
}

TEST_CASE("a negative size is refused") {
  CHECK(rows_error("columns = \"-5 .. 5\"\nrows = 2\ncount = \"rows * columns\"") ==
        "k.toml:3:12: \"columns\" may be -5, but must not be negative");
  CHECK(domain_error("n = \"0 .. 9\"\ncount = \"n - 2\"") ==
        "k.toml:4:10: \"count\" may be -2, but must not be negative");
  CHECK(domain_error("count = \"0 .. 9\"\noffset = -1") ==
        "k.toml:4:10: \"offset\" may be -1, but must not be negative");
  CHECK(domain_error("shift = \"-4 .. 4\"\ncount = \"4 + shift\"").empty());
  CHECK(bins_error("count = \"-3\"") ==
        "k.toml:14:10: the number of elements of the buffer \"output\" may be -3, but must not be negative");
  CHECK(bins_error("count = 1\ncapacity = \"-3\"") ==
        "k.toml:15:13: the number of elements of the buffer \"output\" may be -3, but must not be negative");
  CHECK(bins_error("count = 0") ==
        "k.toml:14:9: a histogram has at least one bin, but the output may have no elements");
  CHECK(load_error(contract_of("operator = \"sum\"\ninput = \"f32\"", "count = \"1 .. 9\"",
                               "[claims]\nheight = \"-1\"")) ==
        "k.toml:12:11: the height \"-1\" may be -1, but must not be negative");
  CHECK(load_error(contract_of("operator = \"sum\"\ninput = \"f32\"", "count = \"0 .. 9\"",
                               "[claims]\nheight = \"count - 1\""))
            .empty());
}

TEST_CASE("a block has at most 1024 threads") {
  CHECK(domain_error("count = 9\nblock = \"1 .. 4096\"") ==
        "k.toml:4:15: a block has at most 1024 threads, but \"block\" may be 4096");
}

TEST_CASE("the output of argmax must be able to hold the last index") {
  CHECK(argmax_error("output = \"i8\"", "count = \"1 .. 128\"").empty());
  CHECK(argmax_error("output = \"i8\"", "count = \"1 .. 129\"") ==
        "k.toml:7:11: an output of type i8 cannot represent the index 128, but \"count\" may be 129; choose "
        "a wider "
        "\"output\" or fewer elements");
  CHECK(argmax_error("output = \"i8\"\nresult = \"rows\"",
                     "columns = \"1 .. 2^62\"\nrows = \"1 .. 2^9\"\ncount = \"rows * columns\"")
            .find("k.toml:9:11: an output of type i8 cannot represent the index 4611686018427387903, but "
                  "\"columns\"") == 0);
  const std::string columns = "output = \"i8\"\nresult = \"columns\"";
  CHECK(argmax_error(columns, "columns = \"1 .. 2^20\"\nrows = \"1 .. 128\"\ncount = \"rows * columns\"")
            .empty());
  CHECK(argmax_error(columns, "columns = \"1 .. 9\"\nrows = \"1 .. 129\"\ncount = \"rows * columns\"")
            .find("index 128, but \"rows\" may be 129") != std::string::npos);
  CHECK(argmax_error("output = \"u64\"", "count = \"1 .. 2^62\"").empty());
}

TEST_CASE("the greatest value that a contract claims for a variable is derived from its domain") {
  const Workshop workshop;
  const Instance instance =
      workshop
          .load(contract_of("operator = \"sum\"\ninput = \"f32\"", "n = \"1 .. 2^40\"\ncount = \"n * n\""))
          .instances.at(0);
  CHECK(greatest_claimed(instance, "n") == std::int64_t{1} << 40);
  CHECK(greatest_claimed(instance, "count") == std::numeric_limits<std::int64_t>::max());
}
