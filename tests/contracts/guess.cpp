// Contracts that are guessed from the PTX of an entry, and their text.
#include "contracts/guess.h"

#include <algorithm>
#include <map>

#include "catch.h"
#include "contracts/entry_facts.h"
#include "guessed.h"
#include "workshop.h"

using namespace foldproof;

namespace {

// PTX as nvcc writes it, reduced to what guessing reads.
const std::string block_sums = R"ptx(
.version 9.0
.target sm_90
.extern .shared .align 16 .b8 s[];
.visible .entry _Z10block_sumsPKfPfj(
	.param .u64 _Z10block_sumsPKfPfj_param_0
)
.maxntid 128, 1, 1
{
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %nctaid.x;
$L__BB0_2:
	ld.global.f32 	%f1, [%rd1];
	add.f32 	%f2, %f2, %f1;
	@%p1 bra 	$L__BB0_2;
	mov.u32 	%r3, s;
	st.shared.f32 	[%r3], %f2;
	ret;
}
.visible .entry _Z5totalPKdPdi(
	.param .u64 _Z5totalPKdPdi_param_0
)
{
	mov.u32 	%r1, %ctaid.x;
	ld.global.f64 	%fd1, [%rd1];
	atom.global.add.f64 	%fd2, [%rd2], %fd1;
	ret;
}
.visible .entry _Z7bit_maxPKfPfi(
	.param .u64 _Z7bit_maxPKfPfi_param_0
)
{
	mov.u32 	%r1, %ctaid.x;
	ld.global.f32 	%f1, [%rd1];
	max.f32 	%f2, %f1, %f2;
	mov.b32 	%r2, %f2;
	atom.global.max.s32 	%r3, [%rd2], %r2;
	ret;
}
.visible .entry _Z4warpPKiPi(
	.param .u64 _Z4warpPKiPi_param_0
)
{
	ld.global.u32 	%r1, [%rd1];
	shfl.sync.down.b32 	%r2|%p1, %r1, 16, 31, -1;
	max.s32 	%r3, %r1, %r2;
	ret;
}
.visible .entry _Z4tallPKiPii(
	.param .u64 _Z4tallPKiPii_param_0
)
{
	mov.u32 	%r1, %ctaid.x;
	ld.global.u32 	%r2, [%rd1];
	atom.global.add.u32 	%r3, [%rd2], %r2;
	ret;
}
.visible .entry _Z5tilesPKfPfi(
	.param .u64 _Z5tilesPKfPfi_param_0
)
{
	.shared .align 4 .b8 s[1024];
$L__BB0_2:
	// begin inline asm
	{  cp.async.wait_group 0;
}
	// end inline asm
	cp.async.ca.shared.global [%r2], [%rd3], 4, 4;
	ld.shared::cta.f32 	%f1, [%r2];
	@%p5 bra 	$L__BB0_2;
	ret;
}
.visible .entry _Z5pairsPK6__halfPS_i(
	.param .u64 _Z5pairsPK6__halfPS_i_param_0
)
{
	.shared .align 2 .b8 s[64];
	{.reg .f16 low;
  mov.b32 %r1, {low,low};
}
$L__BB0_2:
	ld.global.u32 	%r32, [%rd5];
	{add.f16x2 %r102,%r102,%r32;
}
	@%p2 bra 	$L__BB0_2;
	ret;
}
.visible .entry _Z6singlePKfPfi(
	.param .u64 _Z6singlePKfPfi_param_0
)
{
	.shared .align 4 .b8 s[1024];
	ld.global.f32 	%f1, [%rd1];
	st.shared.f32 	[%r2], %f1;
$L__BB0_2:
	ld.shared::cta.f32 	%f2, [%r2];
	add.f32 	%f1, %f1, %f2;
	@%p2 bra 	$L__BB0_2;
	cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 16;
	ret;
}
.visible .entry _Z4bothPKfPfi(
	.param .u64 _Z4bothPKfPfi_param_0
)
{
	.shared .align 4 .b8 s[512];
	.shared .align 4 .b8 t[512];
$L__BB0_2:
	ld.global.f32 	%f1, [%rd1];
	add.f32 	%f2, %f2, %f1;
	@%p1 bra 	$L__BB0_2;
	st.shared.f32 	[s], %f2;
	st.shared.f32 	[t], %f2;
	ret;
}
.visible .entry _Z5quadsPK6float4Pfi(
	.param .u64 _Z5quadsPK6float4Pfi_param_0
)
{
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %nctaid.x;
$L__BB0_2:
	ld.global.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd1];
	@%p1 bra 	$L__BB0_2;
	red.global.add.f32 	[%rd2], %f1;
	ret;
}
.visible .entry _Z5into2PKfP6float2i(
	.param .u64 _Z5into2PKfP6float2i_param_0
)
{
	shfl.sync.down.b32 	%r2|%p1, %r1, 16, 31, -1;
	ret;
}
.visible .entry _Z5scalePKfPfi(
	.param .u64 _Z5scalePKfPfi_param_0
)
{
	ret;
}
.visible .entry _Z3dotPKfS0_Pfi(
	.param .u64 _Z3dotPKfS0_Pfi_param_0
)
{
	ret;
}
.visible .entry plain(
	.param .u64 plain_param_0
)
{
	ret;
}
)ptx";

Contract guess(const std::string& entry, const std::string& ptx = block_sums) {
  const Workshop workshop;
  return likeliest_contracts(workshop.write("k.ptx", ptx), entry, {}).at(0);
}

bool assumes(const Contract& contract, const std::string& phrase) {
  return std::ranges::find(contract.assumptions, phrase) != contract.assumptions.end();
}

std::string why_no_fit(const std::string& entry) { return guess(entry).no_fit.value().reason; }

}  // namespace

TEST_CASE("an entry's launch bounds, memory and loops are read from its PTX alone") {
  const EntryFacts facts = facts_of(ptx::Source("k.ptx", block_sums), "_Z10block_sumsPKfPfj");
  CHECK(facts.most_threads == 128u);
  CHECK(facts.uses_dynamic_shared);
  CHECK(facts.uses_block_index);
  CHECK(facts.stride_axes == std::array{true, false, false});
  CHECK(facts.reads_in_loop);
  CHECK(facts.atomics.empty());
  const EntryFacts total = facts_of(ptx::Source("k.ptx", block_sums), "_Z5totalPKdPdi");
  CHECK_FALSE(total.uses_shared);
  CHECK_FALSE(total.reads_in_loop);
  CHECK(total.atomics == std::set<TypedOperation>{{"add", "f64"}});
  CHECK_FALSE(facts_of(ptx::Source("k.ptx", block_sums), "missing").uses_block_index);
}

TEST_CASE("blocks that write without atomics are assumed to write partial results") {
  const Contract contract = guess("block_sums");
  CHECK(only(contract).reduction->op == Operator::sum);
  CHECK(only(contract).reduction->result == ResultShape::partials);
  CHECK(only(contract).output_count.text() == "grid");
  CHECK(domain(contract, "block").low.text() == "128");
  CHECK(domain(contract, "grid").low.text() == "1");
  CHECK(domain(contract, "grid").high.text() == "ceil_div(count, block)");
  CHECK(only(contract).launches.at(0).shared.evaluate({{"block", 128}}) == 512);
  CHECK(only(contract).launches.at(0).lowered == "_Z10block_sumsPKfPfj");
  CHECK(assumed(contract) ==
        "block_sums: assumed input parameter 1 (float const*), output parameter 2 (float*), operator sum, "
        "dynamic shared memory of one element per thread, number of elements parameter 3 (unsigned int), one "
        "partial result per block.");
}

TEST_CASE("arrays of one size in shared memory imply as many threads") {
  CHECK(domain(guess("both"), "block").low.text() == "128");
}

TEST_CASE("a kernel for clusters of a fixed size is launched with whole clusters") {
  const auto grid = [](const std::string& read) {
    const Contract contract = guess("three",
                                    ".version 9.0\n.target sm_90\n.visible .entry _Z5threePKiPii(\n"
                                    "\t.param .u64 _Z5threePKiPii_param_0\n)\n"
                                    ".explicitcluster\n.reqnctapercluster 3, 1, 1\n{\n" +
                                        read +
                                        "\tld.global.u32 \t%r1, [%rd1];\n"
                                        "\tshfl.sync.down.b32 \t%r2|%p1, %r1, 16, 31, -1;\n"
                                        "\tmax.s32 \t%r2, %r1, %r2;\n"
                                        "\tst.global.u32 \t[%rd2], %r2;\n\tret;\n}\n");
    CHECK(only(contract).launches.at(0).cluster[0].text() == "3");
    return domain(contract, "grid").high.text();
  };
  CHECK(grid("\tmov.u32 \t%r3, %cluster_ctarank;\n") == "3");
  CHECK(grid("\tmov.u32 \t%r3, %ctaid.x;\n") == "ceil_div(ceil_div(count, block), 3) * 3");
}

TEST_CASE("atomics on the output imply a single value, initialized to the identity") {
  const Contract contract = guess("total");
  CHECK(only(contract).reduction->result == ResultShape::value);
  CHECK(only(contract).reduction->input == Element::f64);
  CHECK(only(contract).output_initial == BufferContract::Initial::identity);
  CHECK(domain(contract, "grid").low.text() == "ceil_div(count, block)");
}

TEST_CASE("an unsigned atomic addition implies a sum of signed integers too") {
  const Contract contract = guess("tall");
  CHECK(only(contract).reduction->op == Operator::sum);
  CHECK(only(contract).output_initial == BufferContract::Initial::identity);
}

TEST_CASE("elements copied asynchronously or read in pairs count as read") {
  CHECK(facts_of(ptx::Source("k.ptx", block_sums), "_Z5tilesPKfPfi").reads_in_loop);
  CHECK(facts_of(ptx::Source("k.ptx", block_sums), "_Z5pairsPK6__halfPS_i").reads_in_loop);
  CHECK_FALSE(facts_of(ptx::Source("k.ptx", block_sums), "_Z6singlePKfPfi").reads_in_loop);
  CHECK(domain(guess("tiles"), "count").high.text() == "2^31 - 1");
  CHECK(domain(guess("pairs"), "count").high.text() == "2^31 - 1");
}

TEST_CASE("a guessed accumulator that is narrower than f32 is reported") {
  CHECK(only(guess("pairs")).reduction->accumulator == Element::f16);
  CHECK(assumes(guess("pairs"), "accumulator f16"));
  CHECK_FALSE(assumes(guess("block_sums"), "accumulator f32"));
}

TEST_CASE("a pointer to vectors implies whole vectors at their alignment") {
  const Contract contract = guess("quads");
  CHECK(only(contract).reduction->input == Element::f32);
  CHECK(domain(contract, "groups").high.text() == "(2^31 - 1) / 4");
  CHECK(domain(contract, "count").low.text() == "groups * 4");
  CHECK(domain(contract, "grid").high.text() == "ceil_div(groups, block)");
  CHECK(domain(contract, "offset").high.text() == "0");
  CHECK(only(contract).launches.at(0).arguments.at(2).value.text() == "count");
  CHECK(assumes(contract, "whole, aligned groups of 4 elements"));
  CHECK(why_no_fit("into2").find("it is unknown what it stores in each component of a vector type") !=
        std::string::npos);
}

TEST_CASE("the assumption that a block reads at most one element per thread is reported") {
  const Contract single = guess("single");
  CHECK(domain(single, "count").high.text() == "block");
  CHECK(assumes(single, "at most one element per thread, since no loop reads the input"));
}

TEST_CASE("an extremum that is accumulated as the bits of an int begins with the identity") {
  const Contract contract = guess("bit_max");
  CHECK(only(contract).reduction->op == Operator::max);
  CHECK(only(contract).reduction->output == Element::f32);
  CHECK(only(contract).output_initial == BufferContract::Initial::identity);
  CHECK_FALSE(only(contract).claims.flushes_subnormals);
}

TEST_CASE("shuffles without shared memory imply one warp, and arithmetic implies the operator") {
  const Contract contract = guess("warp");
  CHECK(domain(contract, "block").low.text() == "32");
  CHECK(only(contract).reduction->op == Operator::max);
  CHECK(domain(contract, "count").low.text() == "grid * block");
}

TEST_CASE("the contract of a kernel that no guess fits says why, and names the kernel") {
  CHECK(why_no_fit("scale").find("does not look like a reduction") != std::string::npos);
  CHECK(why_no_fit("dot").find("reads more than one input") != std::string::npos);
  CHECK(why_no_fit("plain").find("its parameters are unknown") != std::string::npos);
  CHECK(only(guess("dot")).launches.at(0).entry == "dot");
  CHECK(guess("dot").no_fit->parameters ==
        std::vector<std::string>{"float const*", "float const*", "float*", "int"});
}

TEST_CASE("without an entry, every kernel has a contract, whether a guess fits or not") {
  const Workshop workshop;
  const auto contracts = likeliest_contracts(workshop.write("k.ptx", block_sums), "", {});
  CHECK(contracts.size() == 14);
  CHECK(std::ranges::count_if(contracts, [](const Contract& one) { return one.no_fit.has_value(); }) == 4);
}

TEST_CASE("a starter contract without a guess is refused until each unknown value is replaced") {
  const Workshop workshop;
  workshop.write("k.ptx", block_sums);
  std::string text = starter_contract(guess("dot"));
  const std::map<std::string, std::string> values{
      {"operator", "\"dot\""},
      {"input", "\"f32\""},
      {"accumulator", "\"f32\""},
      {"output", "\"f32\""},
      {"result", "\"value\""},
      {"count", "1"},
      {"arguments", "[\"input\", \"other\", \"output\", \"i32:count\"]"}};
  text += "[[operand]]\nname = \"other\"\nrole = \"second\"\ntype = \"f32\"\n";
  for (const auto& [key, value] : values) {
    const std::string error = error_of([&] { load_contract(workshop.write("k.toml", text), Trust::full); });
    CHECK(error.find(" is still \"?\"; replace it: ") != std::string::npos);
    const std::size_t line = text.find("\n" + key + (key == "arguments" ? " = [\"?\"" : " = \"?\"")) + 1;
    REQUIRE(line != 0);
    text.replace(line, text.find('\n', line) - line, key + " = " + value);
  }
  CHECK(load_contract(workshop.write("k.toml", text), Trust::full).instances.size() == 1);
}

TEST_CASE("a starter contract reads back as the contract that was guessed") {
  const Workshop workshop;
  const auto contracts = likeliest_contracts(workshop.write("k.ptx", block_sums), "", {});
  for (const Contract& contract : contracts) {
    if (contract.no_fit) continue;
    const std::string text = starter_contract(contract);
    INFO(text);
    const Contract loaded = load_contract(workshop.write("starter.toml", text), Trust::full);
    CHECK(loaded.id == contract.id);
    CHECK(loaded.summary == contract.summary);
    CHECK(loaded.source == contract.source);
    CHECK(starter_contract(loaded) == text);
    CHECK(only(loaded).launches.at(0).entry == only(contract).launches.at(0).entry);
    CHECK(only(loaded).reduction->op == only(contract).reduction->op);
    CHECK(only(loaded).output_initial == only(contract).output_initial);
  }
}

TEST_CASE("a starter contract keeps every form of argument, scratch memory and special characters") {
  const Workshop workshop;
  const Contract contract = workshop.load(
      "format = 1\nid = \"a\\\"b\\\\c\\u0007\"\n[domain]\ncount = \"1 .. 2^20\"\n[[buffer]]\nname = "
      "\"ticket\"\ntype = \"u32\"\n"
      "count = 1\ninitial = \"zero\"\nreset = \"once\"\n[[launch]]\nentry = \"k\"\ngrid = [2, "
      "\"count\"]\nblock = 1\n"
      "cluster = 2\ncooperative = true\narguments = [\"input + 1\", \"ticket\", \"u8:3\", \"f32:0.1\", "
      "\"{output, {i32:count}}\"]\n");
  const std::string text = starter_contract(contract);
  INFO(text);
  CHECK(starter_contract(load_contract(workshop.write("again.toml", text), Trust::full)) == text);
  CHECK(text.find("[\"input + 1\", \"ticket\", \"u8:3\", \"f32:0.1\", \"{output, {i32:count}}\"]") !=
        std::string::npos);
}
