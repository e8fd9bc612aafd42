// The table itself: what find_form accepts, which fields it sets, and that every row is well-formed.
#include "catch.h"
#include "run.h"

namespace foldproof::tests {
namespace {

using namespace isa;

TEST_CASE("modifiers become fields", "[forms]") {
  const Form rounded = form_of("add.rz.ftz.sat.f32");
  CHECK(rounded.type == Type::f32);
  CHECK(rounded.rounding == Rounding::rz);
  CHECK((rounded.ftz && rounded.sat));
  CHECK(rounded.words.empty());

  const Form load = form_of("ld.relaxed.gpu.global.L1::no_allocate.L2::128B.v4.f32");
  CHECK(load.action == Action::load);
  CHECK(load.semantics == Semantics::relaxed);
  CHECK(load.scope == Scope::gpu);
  CHECK(load.space == StateSpace::global);
  CHECK(load.vector == 4);

  const Form shuffle = form_of("shfl.sync.bfly.b32");
  CHECK(shuffle.shuffle == ShuffleKind::bfly);
  const Form vote = form_of("vote.sync.ballot.b32");
  CHECK(vote.vote == VoteKind::ballot);
  CHECK(vote.type == Type::b32);
  const Form compare = form_of("setp.geu.and.f64");
  CHECK(compare.compare == Compare::geu);
  CHECK(compare.boolean == Boolean::and_);
  const Form convert = form_of("cvt.rzi.ftz.s32.f32");
  CHECK(convert.type == Type::s32);
  CHECK(convert.type2 == Type::f32);
  const Form copy = form_of("cp.async.cg.shared.global.L2::128B");
  CHECK(copy.space == StateSpace::shared_cta);
  CHECK(copy.space2 == StateSpace::global);
  CHECK(form_of("mul.wide.u32").has("wide"));
  CHECK(form_of("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16").vector == 4);
  CHECK(form_of("membar.gl").scope == Scope::gpu);
  CHECK(form_of("membar.gl").semantics == Semantics::sc);
  CHECK(form_of("fence.gpu").semantics == Semantics::acq_rel);
  CHECK(form_of("bar.sync").aligned);
  CHECK_FALSE(form_of("barrier.sync").aligned);
  CHECK(form_of("barrier.cta.sync.aligned").aligned);
  CHECK(form_of("barrier.cluster.arrive").semantics == Semantics::release);
  CHECK(form_of("barrier.cluster.arrive.relaxed.aligned").semantics == Semantics::relaxed);
  CHECK(form_of("mbarrier.try_wait.parity.acquire.cta.shared::cta.b64").has("parity"));
  CHECK(form_of("min.xorsign.abs.f32").abs);
}

TEST_CASE("the order of modifiers is free, the order of types is not", "[forms]") {
  CHECK(form_of("atom.global.cas.relaxed.gpu.b32").semantics == Semantics::relaxed);
  CHECK(form_of("ld.global.relaxed.gpu.u32").scope == Scope::gpu);
  CHECK(form_of("atom.add.shared::cluster.noftz.f16").space == StateSpace::shared_cluster);
  CHECK(form_of("cvt.f64.bf16.rp").rounding == Rounding::rp);
  CHECK_FALSE(exists("cvt.f32.e4m3x2.rn.satfinite"));
  CHECK_FALSE(exists("set.f16x2.eq.f32"));
}

TEST_CASE("a form has one rounding mode", "[forms]") {
  CHECK(exists("cvt.rn.f32.s32"));
  CHECK(exists("cvt.rni.s32.f32"));
  for (const std::string text : {"cvt.rn.rni.s32.f32", "cvt.rzi.rz.f32.f32", "cvt.rm.rm.f32.s32"})
    CHECK_FALSE(exists(text));
}

TEST_CASE("instructions that no row covers are refused", "[forms]") {
  for (const std::string text : {"add",
                                 "add.q32",
                                 "add.f32.f32",
                                 "add.rn.rn.f32",
                                 "add..f32",
                                 "frobnicate.f32",
                                 "add.rn.s32",
                                 "mul.s32",
                                 "mad.f32",
                                 "ld.global",
                                 "ld.acquire.u32",
                                 "ld.weak.gpu.u32",
                                 "ld.release.gpu.u32",
                                 "st.const.u32",
                                 "st.acquire.gpu.u32",
                                 "ld.acquire.gpu.const.u32",
                                 "ld.v8.u8.v8",
                                 "ld.v4.b128",
                                 "shfl.bfly.b32",
                                 "vote.sync.ballot.pred",
                                 "bar.sync.0",
                                 "setp.lt.b32",
                                 "cvt.rn.f32",
                                 "cvt.s32.f32",
                                 "fma.f32",
                                 "mov.v2.b32",
                                 "mov:pack",
                                 "mov:pack.v8.b64",
                                 "mov:unpack.v8.b64",
                                 "pack.b32",
                                 "wgmma.fence.sync.aligned",
                                 "tcgen05.alloc",
                                 "cp.async.bulk.commit_group",
                                 "sin.f32",
                                 "sqrt.f64",
                                 "div.f32",
                                 "rcp.approx.f64",
                                 "barrier.cluster.wait.release",
                                 "fence.relaxed.gpu",
                                 "fence.weak.gpu",
                                 "fence",
                                 "membar",
                                 "isspacep",
                                 "mapa.shared.u32",
                                 "mapa.local.u32",
                                 "cvta.u64"})
    CHECK_FALSE(exists(text));
}

TEST_CASE("a hostile number of suffixes is refused immediately", "[forms]") {
  const std::vector<std::string> suffixes(100000, "ftz");
  CHECK_FALSE(find_form("add", suffixes).has_value());
}

TEST_CASE("operands have the types of their form", "[forms]") {
  const auto rules = [](const std::string& text) { return operand_rules(form_of(text)); };
  const auto wide = rules("mad.wide.s16");
  CHECK(wide[0].type == Type::s32);
  CHECK(wide[1].type == Type::s16);
  CHECK(wide[3].type == Type::s32);
  const auto setp = rules("setp.lt.u32");
  CHECK((setp[0].shape == OperandRule::Shape::predicate && setp[0].destination && !setp[0].optional));
  CHECK((setp[1].shape == OperandRule::Shape::predicate && setp[1].destination && setp[1].optional));
  CHECK((setp[4].shape == OperandRule::Shape::predicate && setp[4].optional));
  const auto joined = rules("setp.lt.and.u32");
  CHECK((joined[1].optional && !joined[4].optional));
  CHECK_FALSE(rules("set.eq.or.u32.f32")[3].optional);
  const auto load = rules("ld.global.v2.u8");
  CHECK((load[0].shape == OperandRule::Shape::vector && load[0].count == 2 && load[0].relaxed));
  CHECK(load[1].shape == OperandRule::Shape::address);
  CHECK(rules("ld.global.u8")[0].shape == OperandRule::Shape::value);
  const auto mma = rules("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
  CHECK((mma[0].count == 4 && mma[1].count == 4 && mma[2].count == 2 && mma[3].count == 4));
  CHECK(mma[0].type == Type::b32);
  const auto dmma = rules("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64");
  CHECK((dmma[0].count == 2 && dmma[1].count == 1 && dmma[1].type == Type::f64));
  CHECK(rules("shl.b64")[2].type == Type::u32);
  CHECK(rules("bra.uni")[0].shape == OperandRule::Shape::label);
  CHECK(rules("shfl.sync.idx.b32").size() == 6);
}

TEST_CASE("row ids are unique, and the operands of every row can be parsed", "[forms]") {
  std::vector<std::string_view> ids;
  for (RowId id = 0; id < rows().size(); ++id) {
    const Row& row = rows()[id];
    CHECK(std::ranges::find(ids, row.id) == ids.end());
    ids.push_back(row.id);
    CHECK_FALSE(row.synopsis.empty());
    if (row.operands.find("fragment") != row.operands.npos)
      continue;  // its type is more than a scalar type; tested above
    Form form;
    form.row = id;
    form.type = form.type2 = Type::u32;
    CHECK_NOTHROW(operand_rules(form));
  }
}

}  // namespace
}  // namespace foldproof::tests
