// Reading compute-sanitizer's records, and refusing what is not one.
#include <string>
#include <vector>

#include "base/error.h"
#include "catch.h"
#include "sanitizer/compute_sanitizer/records.h"
#include "sanitizer/compute_sanitizer_records.h"

namespace foldproof::compute_sanitizer {
namespace {

using namespace for_tests;
using foldproof::tests::contains_text;

std::string what_is_wrong(const std::string& wrong_xml) {
  try {
    read_records(wrong_xml);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST_CASE("compute-sanitizer: records that differ only in threads and addresses are merged into the first") {
  const std::vector<Record> records = read_records(sample("racecheck"));
  REQUIRE(records.size() == 8);  // five pairs of positions, three analyses
  CHECK(records[0].kind == RecordKind::hazard);
  CHECK(records[0].count == 2);
  CHECK(records[0].launch == 2);
  CHECK(records[0].accesses[0].what == "Read");
  CHECK(records[0].accesses[0].place == Place{"race", "/src/bad.cu", 4, 0x110});
  CHECK(records[0].accesses[0].thread == ThreadId{{0, 0, 0}, {32, 0, 0}});
  CHECK(records[0].accesses[1].thread == ThreadId{{0, 0, 0}, {160, 0, 0}});
  CHECK(records[0].host_stack[1] == Frame{"main", "/src/./probe", 0x2a56});
}

TEST_CASE("compute-sanitizer: hazards of two launches are two records") {
  CHECK(read_records(document(xml({.launch = 1}) + xml({.launch = 2}))).size() == 2);
}

TEST_CASE("compute-sanitizer: a run without errors has no records") {
  CHECK(read_records(sample("initcheck")).empty());
  CHECK(read_records(document("")).empty());
}

TEST_CASE("compute-sanitizer: a record of an unknown kind is kept, even with missing fields") {
  const std::vector<Record> records =
      read_records(document("<record><kind>Novelty</kind><what><sort>new</sort></what></record>"));
  REQUIRE(records.size() == 1);
  CHECK(records[0].kind == RecordKind::unknown);
  CHECK(records[0].name == "Novelty");
}

TEST_CASE("compute-sanitizer: output in another format is refused") {
  CHECK_THAT(what_is_wrong(""), contains_text("truncated after 0 complete records"));
  CHECK_THAT(what_is_wrong("========= ERROR SUMMARY: 0 errors"), contains_text("does not begin with"));
  CHECK_THAT(what_is_wrong("<html></html>"), contains_text("does not begin with"));
  CHECK_THAT(what_is_wrong(document("<session/>")), contains_text("\"<session/>"));
  CHECK_THAT(what_is_wrong(document("") + document("")), contains_text("continues after its end"));
  CHECK_THAT(what_is_wrong("<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"c\">]>" + document("")),
             contains_text("does not begin with"));
}

TEST_CASE("compute-sanitizer: output that is cut off at any position is refused") {
  const std::string whole = sample("synccheck");
  const std::size_t end = whole.rfind('>') + 1;
  for (std::size_t length = 0; length < end; ++length) {
    INFO(length);
    REQUIRE_THROWS_AS(read_records(whole.substr(0, length)), InputError);
  }
  REQUIRE_NOTHROW(read_records(whole.substr(0, end)));
}

TEST_CASE("compute-sanitizer: a record without a required field is refused with its number") {
  const std::string good = event("Precise", text("Invalid read"));
  CHECK_THAT(what_is_wrong(document(good + "<record></record>")),
             contains_text("record 2") && contains_text("lacks its kind"));
  CHECK_THAT(what_is_wrong(document(event("Precise", ""))), contains_text("lacks its what.text"));
  CHECK_THAT(what_is_wrong(document(event("Synccheck", text("Barrier error"), ""))),
             contains_text("lacks its where.func"));
  CHECK_THAT(what_is_wrong(document("<record><kind>Hazard</kind><what/></record>")),
             contains_text("lacks its common"));
  CHECK_THAT(what_is_wrong(document("<record><kind>Analysis</kind><what><text>a</text></what></record>")),
             contains_text("lacks its level"));
}

TEST_CASE("compute-sanitizer: an invalid number is refused") {
  const auto with_line = [](const std::string& line) {
    return document(event("Precise", text("Invalid read"),
                          "<where><func>k</func><line>" + line + "</line><pc>0x10</pc></where>"));
  };
  CHECK(what_is_wrong(with_line("12")) == "nothing");
  for (const char* wrong : {"twelve", "-1", "1x", "0x", "4294967296", "99999999999999999999999"})
    CHECK_THAT(what_is_wrong(with_line(wrong)), contains_text("is not a valid number"));
}

TEST_CASE("compute-sanitizer: hostile records are refused before they are parsed") {
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "<a>";
  CHECK_THAT(what_is_wrong(document("<record>" + deep + "</record>")), contains_text("nested more deeply"));
  CHECK_THAT(what_is_wrong(document("<record><!-- </record> --></record>")), contains_text("<!"));
  CHECK_THAT(what_is_wrong(document("<record><kind>Precise</record>")), contains_text("is not valid XML"));
  CHECK_THAT(what_is_wrong(document("<record><<<>>></record>")), contains_text("is not valid XML"));
}

TEST_CASE("compute-sanitizer: control characters are replaced in messages") {
  const auto all = found_in("memcheck", event("Precise", text("Invalid &#27;[2J read")));
  REQUIRE(all.size() == 1);
  CHECK_THAT(all[0].finding.message, contains_text("Invalid ?[2J read"));
}

}  // namespace
}  // namespace foldproof::compute_sanitizer
