// `audit` and related commands, on a user's own sources.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <sstream>
#include <tuple>

#include "base/files.h"
#include "catch.h"
#include "cli/add_one.h"
#include "cli/fake_nvcc.h"
#include "cli/interrupted.h"
#include "cli/total_once.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

/// A contract that claims one element fewer than the kernel accesses.
const std::string too_short = replaced(add_one_contract, "count = \"count\"", "count = \"count - 1\"");

const std::string ptx_header = ".version 8.0\n.target sm_90\n.address_size 64\n";

std::string all_replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// One thread sums the elements from `first` on, which is wrong unless that is 0: NAME(const float* input,
/// float* output, TYPE count).
std::string sum_entry(const std::string& lowered, const std::string& type, int first) {
  const std::string text = R"(.visible .entry NAME(.param .u64 input, .param .u64 output, .param .TYPE count)
.reqntid 1
{
  .reg .pred %end;
  .reg .f32 %sum, %element;
  .reg .b64 %at, %output;
  .reg .TYPE %count, %i;
  ld.param.u64 %at, [input];
  ld.param.u64 %output, [output];
  ld.param.TYPE %count, [count];
  mov.f32 %sum, 0f00000000;
  mov.TYPE %i, FIRST;
again:
  setp.ge.TYPE %end, %i, %count;
  @%end bra store;
  ld.global.f32 %element, [%at];
  add.rn.f32 %sum, %sum, %element;
  add.s64 %at, %at, 4;
  add.TYPE %i, %i, 1;
  bra again;
store:
  st.global.f32 [%output], %sum;
  ret;
}
)";
  return all_replaced(all_replaced(all_replaced(text, "NAME", lowered), "TYPE", type), "FIRST",
                      std::to_string(first));
}

std::string right_entry(const std::string& lowered) { return sum_entry(lowered, "u64", 0); }
std::string wrong_entry(const std::string& lowered) { return sum_entry(lowered, "u64", 1); }

/// A contract for a sum_entry() in k.ptx.
std::string contract_for(const std::string& entry) {
  return all_replaced(R"(format = 1
id = "written"
[source]
path = "k.ptx"
[reduction]
operator = "sum"
input = "f32"
[domain]
count = "1 .. 1000"
block = "1"
grid = "1"
[[launch]]
entry = "ENTRY"
grid = "grid"
block = "block"
arguments = ["input", "output", "count"]
)",
                      "ENTRY", entry);
}

/// The message of an audit that is refused.
std::string refusal(const RanJson& ran) {
  INFO(ran.json.dump());
  REQUIRE(ran.status == 2);
  return ran.json.at("error").at("message");
}

/// A contract that cannot be evaluated for that count.
std::string failing_for(const std::string& count, const std::string& contract) {
  return replaced(contract, "\"count\"]", "\"count + 0 / (count - " + count + ")\"]");
}

/// Adds broken.cu and its contract. Returns an nvcc that rejects every source with this error.
std::string reject_another_source(const Folder& folder, const std::string& error) {
  folder.file("broken.cu", "");
  folder.file("broken.toml", replaced(add_one_contract, "add_one.ptx", "broken.cu"));
  return fake_nvcc(folder, "echo release 13.0", "echo 'broken.cu(3): error: " + error + "'; exit 1");
}

/// A pipe for standard error that is never read and that accepts nothing more.
struct FullPipe {
  explicit FullPipe(const Folder& folder) : path(folder.path("pipe")) {
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    end = open(path.c_str(), O_RDWR | O_NONBLOCK);
    while (write(end, "x", 1) == 1) {
    }
  }
  ~FullPipe() { close(end); }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;

  std::string path;
  int end = -1;
};

/// The case that replays the first finding.
std::string stored_case(const nlohmann::json& kernel) {
  const std::string replay = kernel.at("findings").at(0).at("replay");
  return replay.substr(replay.rfind(' ') + 1);
}

}  // namespace

TEST_CASE("a clean kernel gives status 0 and the requested number of cases") {
  const AddOne folder;
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "7"});
  REQUIRE(ran.status == 0);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("id") == "add_one");
  CHECK(kernel.at("verdict") == "clean");
  CHECK(kernel.at("cases") == 7);
  CHECK(ran.json.at("seed") == "1");
}

TEST_CASE("a source, its contract and its folder all select the same kernel") {
  const AddOne folder;
  for (const std::string& path :
       {folder.path("add_one.ptx"), folder.path("add_one.toml"), folder.path().string()}) {
    const RanJson ran = run_json({"audit", path, "--cases", "1"});
    CHECK(ran.status == 0);
    CHECK(ran.json.at("kernels").size() == 1);
  }
}

TEST_CASE("a finding gives status 1, and its case is stored next to the contract and replayed") {
  const AddOne folder(too_short);
  const RanJson audited = run_json({"audit", folder.path("add_one.toml")});
  CHECK(audited.status == 1);
  const auto finding = audited.json.at("kernels").at(0).at("findings").at(0);
  CHECK(finding.at("kind") == "out-of-bounds");
  CHECK(finding.at("case").get<std::string>().find("count=1 ") == 0);  // shrunk

  const auto replay = finding.at("replay").get<std::string>();
  const std::string file = replay.substr(replay.rfind(' ') + 1);
  REQUIRE(replay.starts_with("foldproof replay "));
  CHECK(file.starts_with(folder.path("foldproof-cases")));
  const RanJson replayed = run_json({"replay", file});
  CHECK(replayed.status == 1);
  CHECK(replayed.json.at("kernels").at(0).at("findings").at(0).at("kind") == "out-of-bounds");
}

TEST_CASE("cases next to the contract run first even if another store is named") {
  const AddOne folder(too_short);
  REQUIRE(run({"audit", folder.path("add_one.toml")}).status == 1);
  const auto cases_with = [&](const std::string& store) {
    return run_json({"audit", folder.path("add_one.toml"), "--cases", "1", "--store", folder.path(store)})
        .json.at("kernels")
        .at(0)
        .at("cases")
        .get<int>();
  };
  CHECK(cases_with("another") == 2);
  CHECK(cases_with("another") == 2);  // the same case in both stores
  CHECK(cases_with("foldproof-cases") == 2);
  std::filesystem::remove_all(folder.path("foldproof-cases"));
  CHECK(cases_with("a third") == 1);
}

TEST_CASE("a case store in or below the audited folder is not searched for contracts") {
  for (const std::string store : {"mycases", "."}) {
    const AddOne folder(too_short);
    const auto audit = [&] {
      return run_json({"audit", folder.path().string(), "--store", folder.path(store)}).json;
    };
    const auto first = audit();
    REQUIRE(first.at("kernels").size() == 1);
    REQUIRE_FALSE(first.at("kernels").at(0).at("findings").empty());
    CHECK(audit().at("kernels").at(0).at("findings") == first.at("kernels").at(0).at("findings"));
    CHECK(run_json({"list", folder.path().string()}).json.at("kernels").size() == 1);

    const auto replay = first.at("kernels").at(0).at("findings").at(0).at("replay").get<std::string>();
    const RanJson kept = run_json({"audit", replay.substr(replay.rfind(' ') + 1)});
    CHECK(kept.status == 2);
    CHECK(kept.json.at("error").at("message") ==
          "this is a stored case, not a contract; run it with `" + replay + "`");
  }
}

TEST_CASE("a wrong contract does not prevent the others in its folder from being listed") {
  const AddOne folder;
  folder.file("wrong.toml", "format = 1\nnonsense = 1\n");
  const RanJson ran = run_json({"list", folder.path().string()});
  CHECK(ran.status == 2);
  REQUIRE(ran.json.at("kernels").size() == 1);
  CHECK(ran.json.at("kernels").at(0).at("id") == "add_one");
  REQUIRE(ran.json.at("errors").size() == 1);
  CHECK(ran.json.at("errors").at(0).at("file") == folder.path("wrong.toml"));
  CHECK(ran.json.at("errors").at(0).at("line") == 2);
  CHECK(ran.err.find("nonsense") != std::string::npos);
  CHECK(run({"list", folder.path().string()}).out.starts_with("add_one "));
}

TEST_CASE("a stored case for an instance that its contract does not have is refused in one sentence") {
  const AddOne folder;
  const std::string file = folder.file("case.toml",
                                       "format = 1\ncontract = \"add_one.toml\"\ninstance = \"B=7\"\n"
                                       "finding = \"out-of-bounds\"\n[case]\ndistribution = \"zeros\"\n"
                                       "seed = \"0\"\nschedule = \"converging\"\noffset = 0\ncalls = 1\n"
                                       "[case.variables]\nblock = 128\ncount = 1\ngrid = 1\n");
  const RanJson ran = run_json({"replay", file});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message").get<std::string>().find(
            "has no instance \"B=7\"; it has changed since the case was stored") != std::string::npos);
}

TEST_CASE("the option --case accepts a case as reports print it") {
  const AddOne folder(too_short);
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--case",
                                "count=5 block=128 grid=1 zeros schedule=lanes-backward"});
  CHECK(ran.status == 1);
  CHECK(ran.json.at("kernels").at(0).at("cases") == 1);
}

TEST_CASE("the worst case of a guided search can be run again and has the same error") {
  const std::string kernel = source_file("kernels/tree/sequential.cu"), instance = "T=f32,OP=sum";
  const Folder store;
  const auto audit = [&](const std::string& option, const std::string& value) {
    return run_json({"audit", kernel, "--only", instance, "--store", store.path().string(), option, value})
        .json.at("kernels")
        .at(0);
  };
  const auto drawn = audit("--search", "0"), guided = audit("--search", "20");
  CHECK(drawn.at("cases") == guided.at("cases"));
  const double worst = guided.at("worst_error_over_bound").get<double>();
  CHECK(worst > drawn.at("worst_error_over_bound").get<double>());
  const auto again = audit("--case", guided.at("worst_case"));
  CHECK(again.at("worst_error_over_bound").get<double>() == worst);
  CHECK(again.at("worst_case") == guided.at("worst_case"));
}

TEST_CASE("a planted element can be given as a value or as bits, and is printed as a value of its type") {
  const auto audit = [](const std::string& instance, const std::string& elements) {
    return run_json({"audit", source_file("kernels/tree/sequential.cu"), "--only", instance, "--case",
                     "count=3 block=64 grid=1 k=6 zeros " + elements});
  };
  const RanJson ran = audit("T=f32,OP=sum", "x[0]=0x1.8p-2 x[1]=0x3f800000 x[2]=-0x0p+0");
  CHECK(ran.status == 0);
  CHECK(
      ran.json.at("kernels").at(0).at("worst_case") ==
      "count=3 block=64 grid=1 k=6 zeros seed=0 schedule=converging x[0]=0x1.8p-2 x[1]=0x1p+0 x[2]=-0x0p+0");

  const auto error_of = [&](const std::string& instance, const std::string& elements) {
    return audit(instance, elements).json.at("error").at("message").get<std::string>();
  };
  CHECK(error_of("T=i32,OP=sum", "x[0]=0x1p+0") == "i32 cannot represent the planted value 0x1p+0");
  CHECK(error_of("T=f32,OP=sum", "x[0]=1.5").find("--case: x[0]: \"1.5\" is not the value of an element; ") ==
        0);
}

TEST_CASE("an instruction that the device does not support gives status 3") {
  const Folder folder;
  folder.file("add_one.ptx", replaced(add_one_ptx, "add.s32 %r6, %r6, 1;", "addd.s32 %r6, %r6, 1;"));
  folder.file("add_one.toml", add_one_contract);
  const RanJson ran = run_json({"audit", folder.path("add_one.toml")});
  CHECK(ran.status == 3);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("verdict") == "unsupported");
  CHECK(kernel.at("reason").get<std::string>().find("addd") != std::string::npos);
}

TEST_CASE("the same seed gives the same report with one process and with two") {
  const AddOne folder(too_short);
  const auto audit = [&](const std::string& jobs) {
    const Folder store;
    auto json = run_json({"audit", folder.path().string(), "--seed", "5", "--jobs", jobs, "--store",
                          store.path().string()})
                    .json;
    for (auto& kernel : json.at("kernels")) {
      kernel.erase("seconds");
      for (auto& finding : kernel.at("findings")) finding.erase("replay");
    }
    return json;
  };
  CHECK(audit("1") == audit("2"));
}

TEST_CASE("shards partition the instances") {
  const Folder folder;
  folder.file("add_one.ptx", add_one_ptx);
  folder.file("add_one.toml",
              "types = { B = [32, 64, 96] }\n" + replaced(add_one_contract, "\"128\"", "\"{B}\""));
  const auto instances = [&](const std::string& shard) {
    std::vector<std::string> labels;
    const RanJson ran = run_json({"audit", folder.path().string(), "--cases", "1", "--shard", shard});
    for (const auto& kernel : ran.json.at("kernels")) labels.push_back(kernel.at("instance"));
    return labels;
  };
  CHECK(instances("1/2") == std::vector<std::string>{"B=32", "B=96"});
  CHECK(instances("2/2") == std::vector<std::string>{"B=64"});
}

TEST_CASE("an interrupted audit ends within two seconds and reports its results so far") {
  const AddOne folder;
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "4000000000"},
                               {std::chrono::milliseconds(700), {}});
  check_is_interrupted(ran);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "skipped");
}

TEST_CASE("an interrupted compilation leaves neither processes nor temporary files") {
  const Folder temporary;
  const AddOne folder(replaced(add_one_contract, "add_one.ptx", "add_one.cu"));
  folder.file("add_one.cu", "__global__ void add_one(int* data, unsigned count);");
  const std::string started = folder.path("started");
  const std::string endless =
      fake_nvcc(folder, "echo release 13.0", "touch $TMPDIR/half " + started + "; sleep 60");
  const Ran ran = run({"audit", folder.path("add_one.toml"), "--nvcc", endless},
                      {.environment = {"TMPDIR=" + temporary.path().string()}, .interrupt_once = started});
  check_is_interrupted(ran);
  CHECK(std::filesystem::is_empty(temporary.path()));
}

TEST_CASE("a source that does not compile leaves the results of the others") {
  const AddOne folder(too_short);
  const std::string nvcc = reject_another_source(folder, "identifier \"x\" is undefined");
  const std::vector<std::string> audit{"audit",    folder.path().string(), "--nvcc", nvcc,
                                       "--report", folder.path("reports"), "--jobs", "1"};
  const RanJson ran = run_json(audit);
  CHECK(ran.status == 2);
  const auto& kernels = ran.json.at("kernels");
  CHECK(kernels.at(0).at("findings").at(0).at("kind") == "out-of-bounds");
  CHECK(kernels.at(1).at("verdict") == "error");
  CHECK(kernels.at(1).at("reason") == "broken.cu:3: nvcc cannot compile this: identifier \"x\" is undefined");
  CHECK(ran.err.find("broken.cu:3: error: nvcc cannot compile this") != std::string::npos);
  CHECK(std::filesystem::file_size(folder.path("reports/report.json")) > 0);
}

TEST_CASE("an interrupted audit reports a source that does not compile") {
  const AddOne folder;
  const std::string nvcc = reject_another_source(folder, "no");
  const RanJson ran =
      run_json({"audit", folder.path().string(), "--nvcc", nvcc, "--cases", "4000000000", "--jobs", "2"},
               {std::chrono::milliseconds(1500), {}});
  check_is_interrupted(ran);
  CHECK(ran.json.at("kernels").at(1).at("verdict") == "error");
  CHECK(ran.err.find("broken.cu:3: error: nvcc cannot compile this: no") != std::string::npos);
}

TEST_CASE("an interrupt while nvcc is asked for its version ends the run with one JSON object") {
  const Folder folder;
  const std::string source = folder.file("k.cu", "__global__ void k() {}");
  const std::string started = folder.path("started");
  const std::string endless = fake_nvcc(folder, "touch " + started + "; sleep 60", "exit 1");
  const RanJson ran =
      run_json({"sanitize", source, "--entry", "k", "--nvcc", endless}, {.interrupt_once = started});
  check_is_interrupted(ran);
  CHECK(ran.json.at("error").at("message") == "the run was interrupted");
}

TEST_CASE("an interrupted audit reports the findings of the running instance") {
  const AddOne folder(replaced(add_one_contract, "count = \"count\"", "count = \"count - 1\""));
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "4000000000"},
                               {std::chrono::milliseconds(1500), {}});
  check_is_interrupted(ran);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("verdict") == "findings");
  CHECK(kernel.at("findings").at(0).at("kind") == "out-of-bounds");
  CHECK(kernel.at("notes").dump().find("cases, the run was interrupted") != std::string::npos);
}

TEST_CASE("a budget ends an audit early, and the report says so") {
  const AddOne folder;
  std::vector<std::string> command = {
      "audit", folder.path("add_one.toml"), "--cases", "4000000000", "--budget", "0.5s"};
  const RanJson ran = run_json(command);
  CHECK(ran.status == 3);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("verdict") == "skipped");
  CHECK(kernel.at("cut_off") == true);
  CHECK(kernel.at("reason").get<std::string>().find("of 4000000000 cases; --min-cases") != std::string::npos);
  command.insert(command.end(), {"--min-cases", "1"});
  const RanJson enough = run_json(command);
  CHECK(enough.status == 0);
  CHECK(enough.json.at("kernels").at(0).at("verdict") == "clean");
  CHECK(enough.json.at("kernels").at(0).at("notes").dump().find("budget") != std::string::npos);
}

TEST_CASE("a slow instance has the time that the others leave of the budget", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  folder.file("slow.cu", R"cu(
template <int SLOW> __global__ void last_of(const int* in, int* out, int n) {
  for (volatile int k = 0; SLOW && k < 1000000; ++k) {}
  if (threadIdx.x == 0) *out = n == 0 ? 0 : in[n - 1];
})cu");
  std::string numbers = "0";
  for (int k = 1; k < 100; ++k) numbers += fmt::format(", {}", k);
  folder.file("slow.toml", "format = 1\nid = \"slow\"\ntypes = { M = [" + numbers + R"(] }
[domain]
count = "0 .. 100"
[[buffer]]
name = "in"
type = "i32"
count = "count"
initial = "zero"
[[buffer]]
name = "out"
type = "i32"
count = "1"
[[launch]]
entry = "last_of<({M} == 0)>"
grid = 1
block = 1
arguments = ["in", "out", "count"]
)");
  const RanJson ran =
      run_json({"audit", folder.path("slow.toml"), "--cases", "40", "--budget", "60s", "--jobs", "1"});
  CHECK(ran.status == 0);
  CHECK(ran.json.at("kernels").size() == 100);
  for (const auto& kernel : ran.json.at("kernels")) CHECK(kernel.at("cut_off") == false);
}

namespace {

/// The audit of a segmented maximum. `if_empty`: what it does if a segment is empty; `claim`: of `empty`.
RanJson audit_segments(const std::string& if_empty, const std::string& claim) {
  const Folder folder;
  folder.file("segments.cu", R"cu(
__global__ void maxima(const int* in, int* out, unsigned segments, const unsigned* offsets) {
  const unsigned s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= segments) return;
  if (offsets[s] == offsets[s + 1]) { )cu" +
                                 if_empty + R"cu( return; }
  int most = in[offsets[s]];
  for (unsigned i = offsets[s]; i < offsets[s + 1]; ++i) most = max(most, in[i]);
  out[s] = most;
})cu");
  folder.file("segments.toml", R"toml(format = 1
[reduction]
operator = "max"
input = "i32"
result = "segments"
[domain]
block = "1 .. 128"
segments = "1 .. 20"
count = "0 .. 100"
[[operand]]
name = "offsets"
role = "offsets"
type = "u32"
[claims]
empty = ")toml" + claim + R"toml("
[[launch]]
entry = "maxima"
grid = "ceil_div(segments, block)"
block = "block"
arguments = ["input", "output", "segments", "offsets"]
)toml");
  return run_json({"audit", folder.path("segments.toml"), "--cases", "20"});
}

}  // namespace

TEST_CASE("the claim `empty` holds for empty segments", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  CHECK(audit_segments("", "untouched").status == 0);
  CHECK(audit_segments("", "unspecified").status == 0);
  CHECK(audit_segments("out[s] = 5;", "unspecified").status == 0);
  CHECK(audit_segments("out[s] = -2147483648;", "identity").status == 0);
  CHECK(audit_segments("", "identity").json.at("kernels").at(0).at("findings").at(0).at("kind") ==
        "wrong-value");
  CHECK(audit_segments("out[s] = 5;", "untouched").json.at("kernels").at(0).at("findings").at(0).at("kind") ==
        "contract-violation");
}

namespace {

/// The first finding of a sum of integers that also returns the least of them. `if_empty`: what it does
/// before it returns for an empty input; `again`: what it does before it stores the least.
std::string finding_with_least(const std::string& if_empty, const std::string& again,
                               const std::string& claims) {
  const Folder folder;
  folder.file("totals.cu", R"cu(
__global__ void totals(const int* in, int* out, int* least, unsigned n) {
  if (n == 0) { )cu" + if_empty +
                               R"cu( return; }
  int sum = 0, low = in[0];
  for (unsigned i = 0; i < n; ++i) sum += in[i];
  for (unsigned i = 1; i < n; ++i) low = min(low, in[i]);
  )cu" + again + R"cu(
  *out = sum;
  *least = low;
})cu");
  folder.file("totals.toml", R"toml(format = 1
[reduction]
operator = "sum"
input = "i32"
[domain]
count = "0 .. 100"
[[buffer]]
name = "least"
type = "i32"
count = 1
[[additional_output]]
buffer = "least"
operator = "min"
[claims]
empty = "untouched"
)toml" + claims + R"toml(
[[launch]]
entry = "totals"
grid = 1
block = 1
arguments = ["input", "output", "least", "count"]
)toml");
  const auto findings = run_json({"audit", folder.path("totals.toml"), "--cases", "20"})
                            .json.at("kernels")
                            .at(0)
                            .at("findings");
  return findings.empty() ? "" : findings.at(0).at("message").get<std::string>();
}

}  // namespace

TEST_CASE("claims hold for additional outputs", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const std::string again = "for (unsigned i = 0; i < n; ++i) low = min(low, in[i]);";
  CHECK(finding_with_least("", "", "height = \"count\"\nuses_every_input_once = true").empty());
  CHECK(finding_with_least("", again, "").empty());
  CHECK(finding_with_least("*least = 77;", "", "") ==
        "the kernel wrote output 0 of the buffer \"least\" for an empty input, although the contract claims "
        "that it leaves the outputs untouched if there are no elements");
  CHECK(finding_with_least("", again, "height = \"count\"").find("but in the buffer \"least\", element 0") !=
        std::string::npos);
  CHECK(finding_with_least("", again, "height = \"count\"\nuses_every_input_once = false")
            .find("but in the buffer \"least\", element 0") != std::string::npos);
  CHECK(finding_with_least("", again, "uses_every_input_once = true")
            .find("in the buffer \"least\", element 0") == 0);
}

TEST_CASE("a budget ends an audit whose standard error is never read") {
  const AddOne folder;
  folder.file("second.toml", add_one_contract);
  const FullPipe pipe(folder);
  const auto begin = std::chrono::steady_clock::now();
  const Ran ran = run({"audit", folder.path().string(), "--cases", "20000", "--budget", "1s", "--jobs", "1"},
                      {.err = pipe.path});
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(8));  // for a loaded machine
  CHECK(ran.out.find("add_one") != std::string::npos);
}

TEST_CASE("an error is printed as JSON although standard error is never read") {
  const Folder folder;
  const FullPipe pipe(folder);
  const RanJson ran = run_json({"audit", folder.path("missing.toml")}, {.err = pipe.path});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message") == "the file does not exist");
}

TEST_CASE("an interrupt after the last case keeps the results") {
  const AddOne folder(too_short);
  const std::string nvcc = reject_another_source(folder, "no");
  const FullPipe pipe(folder);  // the run waits a second for it, after the reports are written
  const RanJson ran =
      run_json({"audit", folder.path().string(), "--nvcc", nvcc, "--report", folder.path("reports")},
               {.err = pipe.path, .interrupt_once = folder.path("reports/report.json")});
  check_is_interrupted(ran);
  CHECK(ran.json.at("kernels").at(0).at("findings").at(0).at("kind") == "out-of-bounds");
}

TEST_CASE("an instance keeps its findings if a later case cannot be evaluated") {
  const AddOne folder(failing_for("64", too_short));
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "80"});
  CHECK(ran.status == 2);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("findings").at(0).at("kind") == "out-of-bounds");
  CHECK(kernel.at("notes").dump().find("the process did not finish") != std::string::npos);
  CHECK(ran.err.find("division of 0 by zero") != std::string::npos);
}

TEST_CASE("a contract that cannot be evaluated gives status 2, also next to others") {
  const AddOne folder(failing_for("64", add_one_contract));
  folder.file("second.toml", add_one_contract);
  const RanJson ran = run_json({"audit", folder.path().string(), "--cases", "80"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "error");
  CHECK(ran.json.at("kernels").at(1).at("verdict") == "clean");
  CHECK(ran.err.find("division of 0 by zero") != std::string::npos);
}

TEST_CASE("a kernel that was tried only without elements is not clean") {
  const std::string groups = replaced(add_one_contract, "count = \"1 .. 1000\"",
                                      "groups = \"0 .. 1000\"\ncount = \"groups * 100000\"");
  const AddOne folder(replaced(groups, "\"ceil_div(count, block)\"", "\"max(1, ceil_div(count, block))\""));
  const RanJson ran = run_json({"audit", folder.path("add_one.toml")});
  CHECK(ran.status == 3);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "skipped");
}

TEST_CASE("counters that cannot be counted do not affect the audit") {
  // Counters are counted for 65536 elements.
  const AddOne folder(failing_for("65536", replaced(add_one_contract, "1 .. 1000", "1 .. 100000")));
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "2", "--counters"});
  CHECK(ran.status == 0);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("verdict") == "clean");
  CHECK(kernel.at("notes").dump().find("counters omitted: ") != std::string::npos);
}

TEST_CASE("--prove proves the other kernels if one source does not compile") {
  const AddOne folder;
  const std::string nvcc = reject_another_source(folder, "no");
  const RanJson ran = run_json({"audit", folder.path().string(), "--nvcc", nvcc, "--prove"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "clean");
  CHECK(ran.json.at("kernels").at(1).at("verdict") == "error");
  CHECK(ran.json.at("mutation").at("kernels").size() == 1);
}

/// Adds a kernel whose cases take longer than any limit of a test.
void add_endless(const AddOne& folder) {
  const std::string endless =
      replaced(add_one_ptx, "ret;", "spin: ld.global.u32 %r6, [%rd1]; add.u64 %rd2, %rd2, 1; bra spin; ret;");
  folder.file("endless.ptx", endless);
  folder.file("endless.toml", replaced(add_one_contract, "add_one.ptx", "endless.ptx"));
}

TEST_CASE("a budget ends an audit whose first case takes longer") {
  const AddOne folder;
  add_endless(folder);
  const RanJson ran = run_json({"audit", folder.path("endless.toml"), "--budget", "0.5s"});
  CHECK(ran.status == 3);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "skipped");
  CHECK(ran.json.at("kernels").at(0).at("cut_off") == true);
}

TEST_CASE("an instance that a case limit ends gives status 3, even if others are clean") {
  const AddOne folder;
  add_endless(folder);
  const RanJson ran =
      run_json({"audit", folder.path().string(), "--cases", "2", "--case-limit", "400ms", "--jobs", "1"});
  CHECK(ran.status == 3);
  const auto& kernels = ran.json.at("kernels");
  CHECK(kernels.at(0).at("verdict") == "clean");
  CHECK(kernels.at(1).at("verdict") == "skipped");
  CHECK(kernels.at(1).at("reason").get<std::string>().find("a case exceeded the limit of 0.4 s") == 0);
}

TEST_CASE("reports are written into a folder, one file per format") {
  const AddOne folder;
  REQUIRE(run({"audit", folder.path("add_one.toml"), "--report", folder.path("reports")}).status == 0);
  CHECK(std::filesystem::file_size(folder.path("reports/report.txt")) > 0);
  CHECK(std::filesystem::file_size(folder.path("reports/report.json")) > 0);
}

TEST_CASE("a run without a report leaves no report of an earlier run") {
  const AddOne folder;
  const std::string reports = folder.path("reports");
  REQUIRE(run({"audit", folder.path("add_one.toml"), "--report", reports}).status == 0);
  REQUIRE(run({"audit", folder.path("missing.toml"), "--report", reports}).status == 2);
  CHECK(std::filesystem::is_empty(reports));
}

TEST_CASE(
    "a guessed block size that causes out-of-bounds accesses is replaced by a smaller one that does not",
    "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("block");
  const std::string body = R"(
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[i];
  s[0][threadIdx.x AT] = 0;
  s[1][threadIdx.x AT] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 0; k < blockDim.x; ++k) v += k == 0 ? 0 : s[1][k AT];
    *out = v;
  }
}
)";
  const auto kernel = [&](const std::string& head, const std::string& at) {
    std::string text = body;
    for (auto found = text.find("AT"); found != std::string::npos; found = text.find("AT"))
      text.replace(found, 2, at);
    return "__global__ void block_sum(const float* in, float* out, int n) {\n" + head + text;
  };
  const std::string half = folder.file("half.cu", kernel("__shared__ float s[2][128];", ""));
  const RanJson smaller = run_json({"audit", half});
  CHECK(smaller.status == 0);
  const std::string notes = smaller.json.at("kernels").at(0).at("notes").dump();
  INFO(notes);
  CHECK(
      notes.find("callers that use smaller blocks (blocks of 256 threads access memory out of bounds), block "
                 "size 128.") != std::string::npos);
  // An index that is too large by one is out of bounds for every block size.
  const std::string off = folder.file("off.cu", kernel("__shared__ float s[2][256];", "+ 1"));
  CHECK(run_json({"audit", off}).status == 1);
}

TEST_CASE("the kernels of a named source that its contract does not launch are noted") {
  const AddOne folder;
  folder.file("add_one.ptx", std::string(add_one_ptx) + ".visible .entry other()\n{\n\tret;\n}\n");
  const auto notes = [&](const std::string& audited) {
    return run_json({"audit", folder.path(audited), "--cases", "2"})
        .json.at("kernels")
        .at(0)
        .at("notes")
        .dump();
  };
  CHECK(notes("add_one.ptx")
            .find("no contract launches other, so these kernels were not audited; to audit one, name it: "
                  "--entry \\\"other\\\"") != std::string::npos);
  CHECK(notes(".").find("no contract launches other") != std::string::npos);
  CHECK(notes("add_one.toml").find("no contract launches") == std::string::npos);
}

TEST_CASE("a named source is audited with every contract of its folder that names it") {
  const AddOne folder;
  folder.file("add_one.ptx",
              std::string(add_one_ptx) +
                  replaced(add_one_ptx.substr(add_one_ptx.find(".visible")), "add_one(", "other("));
  folder.file("second.toml", replaced(replaced(add_one_contract, "id = \"add_one\"", "id = \"second\""),
                                      "entry = \"add_one\"", "entry = \"other\""));
  folder.file("third.toml", replaced(add_one_contract, "path = \"add_one.ptx\"", "path = \"third.ptx\""));
  const RanJson ran = run_json({"audit", folder.path("add_one.ptx"), "--cases", "2"});
  REQUIRE(ran.json.at("kernels").size() == 2);
  CHECK(ran.json.at("kernels").at(0).at("id") == "add_one");
  CHECK(ran.json.at("kernels").at(1).at("id") == "second");
  CHECK(ran.json.dump().find("no contract launches") == std::string::npos);
}

TEST_CASE("of many kernels that a contract does not launch, the note names three") {
  const AddOne folder;
  std::string ptx = add_one_ptx;
  for (int k = 0; k < 1000; ++k) ptx += ".visible .entry other" + std::to_string(k) + "()\n{\n\tret;\n}\n";
  folder.file("add_one.ptx", ptx);
  const RanJson ran = run_json({"audit", folder.path("add_one.ptx"), "--cases", "2"});
  const auto& notes = ran.json.at("kernels").at(0).at("notes");
  CHECK(std::ranges::count_if(notes, [](const nlohmann::json& note) {
          return note ==
                 "no contract launches other0, other1, other2 and 997 more, so these kernels were not "
                 "audited; to audit "
                 "one, name it: --entry \"other0\"";
        }) == 1);
}

TEST_CASE("a stored case that was moved is replayed with the contract that is named") {
  const AddOne folder(replaced(add_one_contract, "count = \"count\"", "count = \"count - 1\""));
  run({"audit", folder.path("add_one.toml"), "--cases", "20"});
  const Folder other;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("foldproof-cases")))
    if (entry.path().extension() == ".toml")
      std::filesystem::copy_file(entry, other.path("case.toml"),
                                 std::filesystem::copy_options::overwrite_existing);
  const RanJson lost = run_json({"replay", other.path("case.toml")});
  CHECK(lost.status == 2);
  CHECK(lost.json.at("error").at("message").get<std::string>().ends_with(
      "; name its contract with --contract"));
  const RanJson found =
      run_json({"replay", other.path("case.toml"), "--contract", folder.path("add_one.toml")});
  CHECK(found.status == 1);
  CHECK(found.json.at("kernels").at(0).at("findings").at(0).at("kind") == "out-of-bounds");
}

TEST_CASE("init does not replace a source that has the name of a contract") {
  const Folder folder;
  const std::string source = folder.file("sum.toml", "__global__ void sum() {}\n");
  const RanJson ran = run_json({"init", source, "--force"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message").get<std::string>().find("would overwrite it") !=
        std::string::npos);
  CHECK(foldproof::read_text_file(source, 1000) == "__global__ void sum() {}\n");
}

TEST_CASE("a missing contract is guessed, and init writes the guess to a file", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder("guess");
  const std::string source = folder.file("wrong.cu", "");
  std::filesystem::copy_file(source_file("examples/wrong.cu"), source,
                             std::filesystem::copy_options::overwrite_existing);
  const RanJson guessed = run_json({"audit", source});
  CHECK(guessed.status == 1);
  const auto& kernel = guessed.json.at("kernels").at(0);
  CHECK_FALSE(kernel.at("notes").empty());
  CHECK(kernel.at("findings").at(0).at("kind") == "out-of-bounds");
  CHECK(kernel.at("findings").at(0).at("line") == 13);

  CHECK(run({"init", source}).status == 0);
  CHECK(std::filesystem::exists(folder.path("wrong.toml")));
  CHECK(run_json({"audit", source}).json.at("kernels").at(0).at("findings").at(0).at("line") == 13);
  const RanJson again = run_json({"init", source});
  CHECK(again.status == 2);
  CHECK(again.json.at("error").at("message").get<std::string>().find("--force") != std::string::npos);
  CHECK(again.json.at("error").at("message").get<std::string>().find("--output") != std::string::npos);
  CHECK(run({"init", source, "--force"}).status == 0);
  CHECK(run({"init", source, "--output", folder.path("second.toml")}).status == 0);
  CHECK(foldproof::read_text_file(folder.path("second.toml"), 1 << 20).find("path = \"wrong.cu\"") !=
        std::string::npos);
  std::filesystem::create_directory(folder.path("below"));
  CHECK(run({"init", source, "--output", folder.path("below/third.toml")}).status == 2);
}

TEST_CASE("--entry selects a kernel, with a guessed contract if the one next to the source is for another",
          "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  const auto kernel = [](const std::string& name, const std::string& end) {
    return "__global__ void " + name + "(const float* in, float* out, int n) {\n  float sum = 0;\n" +
           "  for (int i = 0; i < " + end + "; ++i) sum += in[i];\n  *out = sum;\n}\n";
  };
  const std::string source = folder.file("two.cu", kernel("sum_a", "n") + kernel("sum_b", "n + 1"));
  const std::string contract = folder.file("two.toml", R"(format = 1
[reduction]
operator = "sum"
input = "f32"
[domain]
count = "0 .. 1000"
[[launch]]
entry = "sum_a"
grid = 1
block = 1
arguments = ["input", "output", "count"]
)");
  const RanJson with_contract = run_json({"audit", source, "--entry", "sum_a"});
  CHECK(with_contract.status == 0);
  CHECK(with_contract.json.at("kernels").at(0).at("kernel").get<std::string>().find("two") == 0);
  const RanJson guessed = run_json({"audit", source, "--entry", "sum_b"});
  CHECK(guessed.status == 1);
  REQUIRE(guessed.json.at("kernels").size() == 1);
  const auto& finding = guessed.json.at("kernels").at(0).at("findings").at(0);
  CHECK(finding.at("line") == 8);
  CHECK(run({"replay", stored_case(guessed.json.at("kernels").at(0))}).status == 1);
  for (const std::string& chosen : {contract, folder.path().string()}) {
    const RanJson refused = run_json({"audit", chosen, "--entry", "sum_b"});
    CHECK(refused.status == 2);
    CHECK(refused.json.at("error").at("message").get<std::string>().find("the kernel \"sum_b\"") !=
          std::string::npos);
  }
}

TEST_CASE("overloads are guessed and run as themselves") {
  const Folder folder;
  const std::string source =
      folder.file("k.ptx", ptx_header + right_entry("_Z3sumPKfPfm") + sum_entry("_Z3sumPKfPfj", "u32", 1));
  const std::string right = "sum(float const*, float*, unsigned long)",
                    wrong = "sum(float const*, float*, unsigned int)";
  const RanJson all = run_json({"audit", source, "--cases", "8"});
  CHECK(all.status == 1);
  REQUIRE(all.json.at("kernels").size() == 2);
  for (const auto& kernel : all.json.at("kernels"))
    CHECK(kernel.at("verdict") == (kernel.at("entry") == right ? "clean" : "findings"));

  for (const std::string& entry :
       {std::string("_Z3sumPKfPfj"), std::string("sum(const float*, float*, unsigned)"), wrong}) {
    INFO(entry);
    const RanJson ran = run_json({"audit", source, "--entry", entry, "--cases", "8"});
    CHECK(ran.status == 1);
    REQUIRE(ran.json.at("kernels").size() == 1);
    CHECK(ran.json.at("kernels").at(0).at("entry") == wrong);
    CHECK(run({"replay", stored_case(ran.json.at("kernels").at(0))}).status == 1);
  }
  CHECK(refusal(run_json({"audit", source, "--entry", "sum"})).find(right + ", " + wrong) !=
        std::string::npos);
  CHECK(refusal(run_json({"audit", source, "--entry", "sum(int)"})).find("\"sum(int)\"") !=
        std::string::npos);
}

TEST_CASE("overloads of a source are compiled by their parameters", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  const auto overload = [](const std::string& count, const std::string& end) {
    return "__global__ void sum(const float* in, float* out, " + count + " n) {\n" +
           "  if (threadIdx.x != 0) return;\n  float sum = 0;\n" + "  for (" + count + " i = 0; i < " + end +
           "; ++i) sum += in[i];\n  *out = sum;\n}\n";
  };
  const std::string source = folder.file("k.cu", overload("unsigned", "n") + overload("size_t", "n + 1"));
  const std::string right = "sum(float const*, float*, unsigned int)",
                    wrong = "sum(float const*, float*, unsigned long)";
  const RanJson all = run_json({"audit", source, "--cases", "8"});
  CHECK(all.status == 1);
  REQUIRE(all.json.at("kernels").size() == 2);
  for (const auto& kernel : all.json.at("kernels"))
    CHECK(kernel.at("verdict") == (kernel.at("entry") == right ? "clean" : "findings"));
  for (const char* entry : {"sum(const float*, float*, size_t)", "_Z3sumPKfPfm"}) {
    INFO(entry);
    const RanJson ran = run_json({"audit", source, "--entry", entry, "--cases", "8"});
    CHECK(ran.status == 1);
    CHECK(ran.json.at("kernels").at(0).at("entry") == wrong);
  }
  CHECK(refusal(run_json({"audit", source, "--entry", "sum"})).find("\"sum\"") != std::string::npos);
}

TEST_CASE("template instances whose arguments differ only in type are distinguished") {
  const Folder folder;
  const std::string source = folder.file(
      "k.ptx", ptx_header + right_entry("_Z3sumILi1EEvPKfPfm") + wrong_entry("_Z3sumILl1EEvPKfPfm"));
  const auto audit = [&](const std::string& entry) {
    return run({"audit", source, "--entry", entry, "--cases", "8"}).status;
  };
  CHECK(audit("sum<1>") == 0);
  CHECK(audit("sum<1L>") == 1);
  CHECK(audit("_Z3sumILl1EEvPKfPfm") == 1);
  CHECK(audit("sum") == 2);
}

TEST_CASE("a contract is not used for a kernel of another namespace") {
  const Folder folder;
  const std::string global = "_Z3sumPKfPfm", good = "_ZN4good3sumEPKfPfm";
  for (const auto& [right, in_contract, wrong, wished] :
       {std::tuple{good, "good::sum", global, "sum"}, std::tuple{global, "sum", good, "good::sum"}}) {
    INFO(wished);
    const std::string source = folder.file("k.ptx", ptx_header + right_entry(right) + wrong_entry(wrong));
    folder.file("k.toml", contract_for(in_contract));
    const RanJson ran = run_json({"audit", source, "--entry", wished, "--cases", "8"});
    CHECK(ran.status == 1);
    CHECK(ran.json.at("kernels").at(0).at("entry") == wished);
    const RanJson with_contract = run_json({"audit", source, "--entry", in_contract, "--cases", "8"});
    CHECK(with_contract.status == 0);
    CHECK(with_contract.json.at("kernels").at(0).at("id") == "written");
  }
}

TEST_CASE("a name without template arguments selects a contract that has them, unless another has none") {
  const Folder folder;
  folder.file("k.ptx", ptx_header + right_entry("_Z3sumPKfPfm") + right_entry("_Z3sumIfEvPKfPfm"));
  folder.file("instance.toml", contract_for("sum<float>"));
  const auto entries = [&](const std::string& entry) {
    std::vector<std::string> found;
    const RanJson ran = run_json({"audit", folder.path().string(), "--entry", entry, "--cases", "1"});
    for (const auto& kernel : ran.json.at("kernels")) found.push_back(kernel.at("entry"));
    return found;
  };
  CHECK(entries("::sum") == std::vector<std::string>{"sum<float>"});
  folder.file("plain.toml", contract_for("sum"));
  CHECK(entries("sum") == std::vector<std::string>{"sum"});
  CHECK(entries("sum< float >") == std::vector<std::string>{"sum<float>"});
  CHECK(entries("sum(float const*, float*, unsigned long)").empty());
  CHECK(entries("float").empty());
}

TEST_CASE("a case of a guessed kernel is replayed for that kernel, whatever contract is next to the source") {
  const Folder folder;
  const std::string source =
      folder.file("k.ptx", ptx_header + wrong_entry("_Z3sumPKfPfm") + right_entry("_ZN4good3sumEPKfPfm"));
  const RanJson audited = run_json({"audit", source, "--entry", "sum", "--cases", "8"});
  REQUIRE(audited.status == 1);
  const std::string file = stored_case(audited.json.at("kernels").at(0));
  for (const std::string entry : {"good::sum", "sum"}) {
    folder.file("k.toml", contract_for(entry));
    const RanJson replayed = run_json({"replay", file});
    CHECK(replayed.status == 1);
    CHECK(replayed.json.at("kernels").at(0).at("entry") == "sum");
    CHECK(replayed.json.at("kernels").at(0).at("id") == "sum");
  }
  folder.file("k.ptx", ptx_header + right_entry("_ZN4good3sumEPKfPfm"));
  CHECK(refusal(run_json({"replay", file}))
            .find("has no kernel \"sum\"; it has changed since the case was stored") != std::string::npos);
}

TEST_CASE("a kernel that writes its output only in the first call is reported") {
  const TotalOnce folder;
  check_finds_second_call(run_json({"audit", folder.path("total.toml")}));
}

TEST_CASE("the text report quotes the source line of a finding", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder store;
  const Ran ran = run({"audit", source_file("examples/wrong.cu"), "--store", store.path().string()});
  CHECK(ran.status == 1);
  CHECK(ran.out.find("error[out-of-bounds]: ") == 0);
  CHECK(ran.out.find("13 |     next = input[i + stride];\n") != std::string::npos);
  CHECK(ran.out.find("\x1b") == std::string::npos);
}

TEST_CASE("the bundled kernels are listed from any working directory") {
  const Folder elsewhere;
  const RanJson ran = run_json({"list"}, {std::chrono::milliseconds(0), elsewhere.path()});
  CHECK(ran.status == 0);
  bool found = false;
  for (const auto& kernel : ran.json.at("kernels")) {
    for (const char* key : {"id", "entry", "operator", "input", "accumulator", "output", "file", "devices"})
      CHECK(kernel.contains(key));
    found =
        found || (kernel.at("id") == "A5" && kernel.at("operator") == "sum" && kernel.at("input") == "f32");
  }
  CHECK(found);
}

TEST_CASE("the options --help and --version give status 0") {
  const Ran help = run({"--help"});
  CHECK(help.status == 0);
  for (const char* verb : {"audit", "mutate", "sanitize", "init", "replay", "list", "exact", "tree"})
    CHECK(help.out.find(verb) != std::string::npos);
  CHECK(run({"audit", "--help"}).status == 0);
  const Ran version = run({"--version"});
  CHECK(version.status == 0);
  CHECK(version.out.starts_with("foldproof "));
}

TEST_CASE("the help of both programs fits on a screen of 24 lines and 80 columns") {
  for (const Ran& help : {run({"--help"}), run_laboratory({"--help"})}) {
    std::istringstream lines(help.out);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
    CHECK(count <= 24);
  }
}

TEST_CASE("a report that cannot be written gives status 3 and one sentence") {
  const AddOne folder;
  How full;
  full.out = "/dev/full";
  const std::string contract = folder.path("add_one.toml");
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"audit", contract},
                                                    {"audit", contract, "--format", "json"},
                                                    {"list"},
                                                    {"--help"}}) {
    const Ran ran = run(arguments, full);
    CHECK(ran.status == 3);
    CHECK(ran.err == "error: standard output cannot be written: No space left on device\n");
  }
}

TEST_CASE("a link in place of a report is refused before the audit and is not followed") {
  const AddOne folder;
  std::filesystem::create_directory(folder.path("reports"));
  const std::string target = folder.file("target", "kept");
  std::filesystem::create_symlink(target, folder.path("reports/report.txt"));
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--report", folder.path("reports")});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message").get<std::string>().find("symbolic link") != std::string::npos);
  CHECK(std::filesystem::file_size(target) == 4);
}
