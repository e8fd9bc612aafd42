// Verdicts about one sum: whether it flushes subnormals in inline assembly, has no bound, or reads too much.
#include "catch.h"
#include "cli/add_one.h"
#include "cli/kernels.h"
#include "cli/program.h"

using namespace foldproof::test;

namespace {

/// One thread adds up its input, passing each element through `mul.ftz`; `separator` follows each of the
/// instructions that `asm("{ .reg .f32 t; mul.ftz.f32 t, …; add.f32 …; }")` produces in the PTX.
std::string flushing_sum(const std::string& separator) {
  return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry total(.param .u64 total_param_0, .param .u64 total_param_1, .param .u32 total_param_2)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [total_param_0];
  ld.param.u64 %rd2, [total_param_1];
  ld.param.u32 %r1, [total_param_2];
  mov.f32 %f1, 0f00000000;
  mov.u32 %r2, 0;
$next:
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra $done;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd3, %rd1, %rd3;
  ld.global.f32 %f2, [%rd3];
  { .reg .f32 t;)" +
         separator + "mul.ftz.f32 t, %f2, 0f3F800000;" + separator + "add.f32 %f1, %f1, t;" + separator + R"(}
  add.u32 %r2, %r2, 1;
  bra $next;
$done:
  st.global.f32 [%rd2], %f1;
  ret;
}
)";
}

/// The verdict of the audit of this kernel.
nlohmann::json audited_flush(const std::string& separator) {
  const Folder folder;
  folder.file("total.ptx", flushing_sum(separator));
  const RanJson ran = run_json({"audit", folder.file("total.toml", total_contract), "--cases", "64"});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 0);
  return ran.json.at("kernels").at(0).at("verdict");
}

}  // namespace

TEST_CASE("flushing subnormals in inline assembly is allowed, whether it is on one line or on several") {
  CHECK(audited_flush(" ") == "clean");
  CHECK(audited_flush("\n") == "clean");
}

TEST_CASE("a case whose value has no known bound is unchecked, and the reason is reported") {
  const Folder folder;
  folder.file("total.ptx", flushing_sum(" "));
  const std::string contract = folder.file("total.toml", replaced(total_contract, "\"sum\"", "\"variance\""));
  const RanJson ran = run_json({"audit", contract, "--case", "count=60 uniform+scale:100"});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 3);
  const nlohmann::json& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("verdict") == "unchecked");
  CHECK(kernel.at("reason") ==
        "the value was not checked in 1 of the 1 cases that had a result: the sums may overflow");
}

TEST_CASE("what an allowed read out of bounds returned must not reach the result") {
  const Folder folder;
  folder.file("total.ptx", flushing_sum(" "));
  const std::string contract =
      folder.file("total.toml",
                  replaced(total_contract, "\"count\"]", "\"count + 1\"]") +
                      "[[allow]]\nkind = \"out-of-bounds\"\nat = \"total.ptx\"\nreason = \"the allocation is "
                      "longer\"\nuntil = 2999-01-01\n");
  const RanJson ran = run_json({"audit", contract, "--cases", "12"});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 1);
  const nlohmann::json& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("verdict") == "findings");
  CHECK(kernel.at("findings").at(0).at("kind") == "uninitialized-read");
  CHECK(kernel.at("findings")
            .at(0)
            .at("message")
            .get<std::string>()
            .find("4 bytes whose address was out of bounds") != std::string::npos);
}

TEST_CASE("the counters of a kernel with an allowed access out of bounds are those of the whole run") {
  const AddOne folder(too_short +
                      "[[allow]]\nkind = \"out-of-bounds\"\nat = \"add_one.ptx\"\nreason = \"the "
                      "allocation is longer\"\nuntil = 2999-01-01\n");
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "4", "--counters"});
  INFO(ran.json.dump() << ran.err);
  CHECK(ran.status == 0);
  CHECK(ran.json.at("kernels").at(0).at("counters").is_object());
}
