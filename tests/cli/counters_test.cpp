// Counters of the catalogue's kernels, compared with values derived by hand from the sources, and the
// published claims about them.
#include <fstream>
#include <sstream>

#include "catch.h"
#include "cli/kernels.h"
#include "cli/program.h"

using namespace foldproof::test;
using nlohmann::json;

namespace {

/// The counters of a kernel's f32 sum: 65536 elements in 256 blocks of 256 threads.
json counters_of(const std::string& id) {
  const RanJson ran = run_json({"audit", source_file("kernels"), "--trust", "--only", id + " T=f32,OP=sum",
                                "--cases", "1", "--counters"});
  REQUIRE(ran.json.at("kernels").size() == 1);
  const json counters = ran.json.at("kernels").at(0).at("counters");
  REQUIRE(counters.at("blocks") == 256);
  REQUIRE(counters.at("threads") == 65536);
  return counters;
}

/// The value per block, by a path such as "/shared/loads/requests".
double a_block(const json& counters, const std::string& path) {
  return counters.at(json::json_pointer(path)).get<double>() / 256;
}

double shared_loads(const json& c) { return a_block(c, "/shared/loads/requests"); }

double conflicts(const json& c) {
  return a_block(c, "/shared/loads/conflicts") + a_block(c, "/shared/stores/conflicts");
}

}  // namespace

TEST_CASE("A2: half of the lanes are active in the first round, a quarter in the second …") {
  const json rounds = counters_of("A2").at("rounds");
  for (unsigned r = 1; r <= 8; ++r) CHECK(rounds.at(r).at("store_lanes") == 256 * (256 >> r));
  // Every warp is active until round 5, in which each has one lane left.
  CHECK(rounds.at(5).at("store_requests") == 256 * 8);
  CHECK(rounds.at(8).at("store_requests") == 256 * 1);
}

TEST_CASE("A3 needs over 40 % fewer shared loads than A2") {
  // Requests: 8 warps in each of rounds 1 to 5, then 4, 2 and 1; A2 loads twice, and once more at the end.
  const double before = shared_loads(counters_of("A2")), now = shared_loads(counters_of("A3"));
  CHECK(now == 5 * 8 + 4 + 2 + 1);
  CHECK(before == 2 * now + 1);
  CHECK(now < 0.6 * before);
}

TEST_CASE("A4 diverges only in rounds with less than a warp of active threads, and has bank conflicts") {
  const json c = counters_of("A4");
  // 16, 8, 4, 2 and 1 threads, and thread 0 when it writes the result.
  CHECK(a_block(c, "/divergent_branches") == 6);
  // Rounds 1 to 7: requests times (ways - 1), for two loads and one store each; strides of 2, 4 … 128 words.
  CHECK(conflicts(c) == 3 * (4 * 1 + 2 * 3 + 1 * 7 + 1 * 7 + 1 * 7 + 1 * 3 + 1 * 1));
}

TEST_CASE("A5 has no bank conflicts and diverges only where less than a warp is active") {
  const json c = counters_of("A5");
  CHECK(conflicts(c) == 0);
  CHECK(a_block(c, "/divergent_branches") == 6);
  CHECK(a_block(c, "/block_barriers") == 1 + 8);
}

TEST_CASE("B7 stores one total per warp, loads them once and uses two barriers") {
  const json c = counters_of("B7");
  CHECK(a_block(c, "/shared/stores/requests") == 8);
  CHECK(shared_loads(c) == 1);
  CHECK(c.at("shared_requests_of_busiest_warp") == 2);
  CHECK(a_block(c, "/block_barriers") == 2);
}

TEST_CASE("A1's atomics all access one address") {
  CHECK(counters_of("A1").at("atomics_at_busiest_address") == 65536);
}

TEST_CASE("audit counts the case given by --case") {
  const RanJson ran = run_json({"audit", source_file("kernels/tree"), "--only", "A5 T=f32,OP=sum",
                                "--counters", "--case", "count=64 k=5 block=32 grid=2 uniform seed=1"});
  CHECK(ran.json.at("kernels").at(0).at("counters").at("blocks") == 2);
}

TEST_CASE("sanitize counts its launch once for all repetitions") {
  const Folder folder;
  const std::string file = folder.file("add_one.ptx", add_one_ptx);
  const std::vector<std::string> command{
      "sanitize", file,     "--entry",  "add_one", "--block",   "64", "--arg", "buffer:i32:64:zeros",
      "--arg",    "u32:48", "--repeat", "2",       "--counters"};
  const json c = run_json(command).json.at("kernels").at(0).at("counters");
  CHECK(c.at("case").is_null());
  CHECK(c.at("launches") == 1);
  CHECK(c.at("divergent_branches") == 1);  // the second warp, at thread 48
  CHECK(c.at("global").at("loads") == json{{"requests", 2}, {"lanes", 48}, {"sectors", 6}});
  const Ran text = run(command);
  CHECK(text.out.find("global loads            2 requests by 48 lanes, 6 sectors, 3 per request") !=
        std::string::npos);
}

TEST_CASE("nothing is counted without --counters") {
  const Folder folder;
  const std::string file = folder.file("add_one.ptx", add_one_ptx);
  const RanJson ran =
      run_json({"sanitize", file, "--entry", "add_one", "--arg", "buffer:i32:1:zeros", "--arg", "u32:1"});
  CHECK(ran.json.at("kernels").at(0).at("counters").is_null());
}
