// How a kernel uses its pointer parameters, from its PTX alone.
#include "contracts/guessing/accesses.h"

#include "catch.h"
#include "ptx/source.h"

using namespace foldproof;

namespace {

/// The accesses of a kernel k(u64 a, u64 b, u64 n) with that body, in which %rd1 to %rd3 hold the parameters.
std::vector<Accesses> accesses(const std::string& body) {
  const ptx::Source source("k.ptx",
                           ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 n)\n{\n"
                           "\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<19>;\n\t.reg .f32 %f<9>;\n"
                           "\t.reg .pred %p<2>;\n"
                           "\tld.param.u64 %rd1, [a];\n\tld.param.u64 %rd2, [b];\n"
                           "\tld.param.u64 %rd3, [n];\n" +
                               body + "\tret;\n}\n");
  return accesses_of(source.module(), "k");
}

constexpr Accesses none{}, loaded{.is_read = true}, stored{.is_written = true},
    accumulated{.is_accumulated = true}, unknown{.is_unknown = true},
    reloaded{.is_read = true, .is_read_in_loop = true};

}  // namespace

TEST_CASE("loads, stores and atomics through an address that is computed from a parameter are its accesses") {
  CHECK(accesses("\tcvta.to.global.u64 %rd4, %rd1;\n\tmul.wide.u32 %rd5, %r1, 4;\n"
                 "\tadd.s64 %rd6, %rd4, %rd5;\n\tld.global.f32 %f1, [%rd6+8];\n"
                 "\tst.global.f32 [%rd2], %f1;\n") == std::vector<Accesses>{loaded, stored, none});
  CHECK(accesses("\tatom.global.add.f32 %f1, [%rd1], %f2;\n\tred.global.add.f32 [%rd2], %f2;\n") ==
        std::vector<Accesses>{accumulated, accumulated, none});
  CHECK(accesses("\tld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];\n") ==
        std::vector<Accesses>{none, loaded, none});
}

TEST_CASE("an address may be chosen, or advance in a loop") {
  CHECK(accesses("\tselp.b64 %rd4, %rd1, %rd2, %p1;\n\tld.global.f32 %f1, [%rd4];\n") ==
        std::vector<Accesses>{loaded, loaded, none});
  CHECK(accesses("$loop:\n\tld.global.f32 %f1, [%rd5];\n\tmov.u64 %rd5, %rd4;\n\tadd.s64 %rd4, %rd1, 4;\n"
                 "\t@%p1 bra $loop;\n\tld.global.f32 %f2, [%rd2];\n") ==
        std::vector<Accesses>{reloaded, loaded, none});
}

TEST_CASE("a count that scales an index is not an address") {
  CHECK(accesses("\tshl.b64 %rd4, %rd3, 2;\n\tadd.s64 %rd5, %rd1, %rd4;\n\tld.global.f32 %f1, [%rd5];\n") ==
        std::vector<Accesses>{loaded, none, none});
}

TEST_CASE("an asynchronous copy reads its source, and writes its destination if that is global") {
  CHECK(accesses("\tcp.async.ca.shared.global [%r1], [%rd1], 16;\n") ==
        std::vector<Accesses>{loaded, none, none});
  CHECK(accesses("\tcp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r1], 16;\n") ==
        std::vector<Accesses>{none, stored, none});
}

TEST_CASE("the uses of a pointer that is stored are unknown") {
  CHECK(accesses("\tst.local.u64 [%rd9], %rd1;\n") == std::vector<Accesses>{unknown, none, none});
}

TEST_CASE("a module without the entry has no accesses") {
  CHECK(accesses_of(ptx::Source("k.ptx", ".version 8.0\n.target sm_90\n").module(), "k").empty());
}

TEST_CASE("what an atomic returns is awaited if an instruction uses it, except in a compare-and-swap") {
  const Accesses awaited{.is_accumulated = true, .is_awaited = true};
  CHECK(accesses("\tatom.global.inc.u32 %r1, [%rd1], %r2;\n\tsetp.eq.u32 %p1, %r1, %r2;\n") ==
        std::vector<Accesses>{awaited, none, none});
  CHECK(accesses("\tatom.global.add.u32 %r1, [%rd1], %r2;\n\tmov.u32 %r1, 0;\n") ==
        std::vector<Accesses>{accumulated, none, none});
  CHECK(accesses("\tatom.global.cas.b32 %r1, [%rd1], %r2, %r3;\n\tsetp.eq.u32 %p1, %r1, %r2;\n") ==
        std::vector<Accesses>{accumulated, none, none});
}
