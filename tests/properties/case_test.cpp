// Case files: what is written is read back, and malformed files are refused.
#include <filesystem>
#include <fstream>
#include <string>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "properties/case.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

/// Used only by this process.
const fs::path& folder() {
  static const TemporaryFolder temporary;
  return temporary.path();
}

fs::path written(const std::string& text) {
  const fs::path file = folder() / "case.toml";
  std::ofstream(file) << text;
  return file;
}

StoredCase example() {
  StoredCase stored;
  stored.contract = "kernels/a \"b\".toml";
  stored.instance = "T=f32,B=128";
  stored.finding = "wrong-value";
  stored.c.input = {
      {"ill-conditioned"}, 0xfedcba9876543210, {{3, "0x7fc00001"}, {0, "-0x0p+0"}, {1, "0x1.8p-2"}}};
  stored.c.variables = {{"count", 33}, {"block", 128}, {"grid", 2}, {"k", -4}};
  stored.c.order = Schedule{Schedule::Order::random, 99};
  stored.c.offset = 3;
  stored.c.calls = 2;
  stored.c.input.transforms = {{"scale", -3}, {"nan", PlantedAt::last}};
  stored.c.relation = "padded";
  return stored;
}

std::string example_text(const std::string& from = "", const std::string& to = "") {
  std::string text = to_toml(example());
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text;
}

std::string error_of(const std::string& text) {
  try {
    load_case(written(text));
  } catch (const InputError& error) {
    return error.sentence();
  }
  return "no error";
}

TEST_CASE("transforms in the distribution of a stored case are refused with the key that they need") {
  CHECK(error_of(example_text("\"ill-conditioned\"", "\"ill-conditioned+nan:last\"")) ==
        "a stored case lists transforms under the key \"transforms\", as in transforms = [\"shuffled\"]");
}

TEST_CASE("a case is described in one line") {
  CHECK(describe(example().c) ==
        "count=33 block=128 grid=2 k=-4 ill-conditioned+scale:-3+nan:last seed=18364758544493064720 "
        "schedule=random:99 offset=3 calls=2 relation=padded "
        "x[3]=0x7fc00001 x[0]=-0x0p+0 x[1]=0x1.8p-2");
}

TEST_CASE("a case is unchanged after being written to a file and read") {
  const StoredCase before = example();
  const StoredCase after = load_case(written(to_toml(before)));
  CHECK(after.contract == folder() / before.contract);
  CHECK(after.instance == before.instance);
  CHECK(after.finding == before.finding);
  CHECK(after.c.input.distribution == before.c.input.distribution);
  CHECK(after.c.input.seed == before.c.input.seed);
  CHECK(after.c.input.planted == before.c.input.planted);
  CHECK(after.c.variables == before.c.variables);
  CHECK(after.c.order == before.c.order);
  CHECK(after.c.offset == before.c.offset);
  CHECK(after.c.calls == before.c.calls);
  CHECK(after.c.input.transforms == before.c.input.transforms);
  CHECK(after.c.relation == before.c.relation);
}

TEST_CASE("a case from a GPU has a co-running load instead of a schedule") {
  StoredCase before = example();
  before.c.order = CoRunningLoad{3, true};
  CHECK(
      describe(before.c).find(" seed=18364758544493064720 co_running_load=occupancy-limit:3+busy-kernel ") !=
      std::string::npos);
  CHECK(to_toml(before).find("\nco_running_load = \"occupancy-limit:3+busy-kernel\"\n") != std::string::npos);
  CHECK(load_case(written(to_toml(before))).c.order == before.c.order);
}

TEST_CASE("a case stored before transforms and relations existed still loads") {
  const StoredCase old = load_case(
      written("format   = 1\ncontract = \"a.toml\"\ninstance = \"T=f32\"\nfinding  = \"wrong-value\"\n\n"
              "[case]\ndistribution = \"uniform\"\nseed         = \"7\"\nschedule     = \"converging\"\n"
              "offset       = 0\ncalls        = 1\n\n[case.variables]\ncount = 3\n"));
  CHECK(describe(old.c) == "count=3 uniform seed=7 schedule=converging");
  CHECK(old.c.input.transforms.empty());
  CHECK(old.c.relation.empty());
}

TEST_CASE("a case stored with the bits of its planted elements still loads") {
  const StoredCase old = load_case(
      written("format = 1\ncontract = \"a.toml\"\ninstance = \"T=f32\"\nfinding = \"wrong-value\"\n\n"
              "[case]\ndistribution = \"zeros\"\nseed = \"0\"\nschedule = \"converging\"\noffset = 0\n"
              "calls = 1\nplanted = [\n  { index = 1, bits = \"0x3fc00000\" },\n]\n\n"
              "[case.variables]\ncount = 3\n"));
  CHECK(old.c.input.planted == std::vector<Planted>{{1, "0x3fc00000"}});
  CHECK(planted_bits(Element::f32, old.c.input.planted[0].value) == 0x3fc00000);  // 1.5
}

TEST_CASE("an invalid case file is refused in one sentence") {
  CHECK(error_of(example_text("format   = 1", "format   = 2")) ==
        "\"format\" in the case must be between 1 and 1");
  CHECK(error_of(example_text("calls        = 2", "calls        = 0")) ==
        "\"calls\" in [case] must be between 1 and 16");
  CHECK(error_of(example_text("calls        = 2", "calls        = \"2\"")) ==
        "\"calls\" in [case] must be an integer");
  CHECK(error_of(example_text("offset       = 3", "offset       = 99999999999")) ==
        "\"offset\" in [case] must be between 0 and 1048576");
  CHECK(error_of(example_text("random:99", "sideways")).find("unknown schedule \"sideways\"") == 0);
  CHECK(error_of(example_text("schedule     = \"random:99\"", "co_running_load = \"some\""))
            .find("unknown co-running load \"some\"") == 0);
  CHECK(error_of(example_text("offset       = 3", "offset = 3\nco_running_load = \"none\"")) ==
        "unknown key \"schedule\" in [case]");
  CHECK(error_of(example_text("finding  ", "findings ")) == "the key \"finding\" is missing in the case");
  CHECK(error_of(example_text("index = 3", "index = -3"))
            .find("\"index\" in a planted element must be between 0") == 0);
  CHECK(error_of(example_text("value = \"0x7fc00001\"", "bits = \"0x7fc0zzzz\""))
            .find("\"bits\" in a planted element must be a string") == 0);
  CHECK(error_of(example_text("value = \"0x1.8p-2\"", "value = 0.375")) ==
        "\"value\" in a planted element must be a string");
  CHECK(
      error_of(example_text("0x1.8p-2", "0x1.8q-2")).find("\"0x1.8q-2\" is not the value of an element; ") ==
      0);
  CHECK(error_of(example_text("value = \"0x1.8p-2\"", "bits = \"0x1\", value = \"0x1p+0\"")) ==
        "unknown key \"value\" in a planted element");
  CHECK(error_of(example_text("\"nan:last\"", "3")) == "a transform must be a string");
  CHECK(error_of(example_text("count = 33", "count = 3.5")) == "the variable \"count\" must be an integer");
  CHECK(error_of("format = 1\ncase = 3\n").find("missing in the case") != std::string::npos);
  CHECK(error_of("\xff\xfe garbage") != "no error");
  CHECK(error_of("") == "the key \"format\" is missing in the case");
}

TEST_CASE("every required key of a case is named if it is missing") {
  for (const char* key :
       {"contract", "instance", "finding ", "distribution", "seed   ", "schedule", "offset", "calls"}) {
    const std::string name = std::string(key).substr(0, std::string(key).find(' '));
    const std::string error = error_of(example_text("\n" + std::string(key), "\nx" + std::string(key)));
    CHECK_THAT(error, tests::contains_text("the key \"" + name + "\" is missing in "));
  }
  CHECK(error_of(example_text("[case]\n", "")) == "the key \"distribution\" is missing in [case]");
}

TEST_CASE("a missing case file is an error with its name") {
  try {
    load_case("/nowhere/case.toml");
    FAIL("it was read");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("/nowhere/case.toml") != std::string::npos);
  }
}

}  // namespace
}  // namespace foldproof
