#include "oracles/formats.h"

#include "catch.h"

using namespace foldproof;

TEST_CASE("element types have the sizes that their names say") {
  for (const auto& [spelled, bytes] : {std::pair{"f64", 8u},
                                       {"f32", 4u},
                                       {"f16", 2u},
                                       {"bf16", 2u},
                                       {"e4m3", 1u},
                                       {"e5m2", 1u},
                                       {"e2m1", 1u},
                                       {"i8", 1u},
                                       {"u8", 1u},
                                       {"i16", 2u},
                                       {"u16", 2u},
                                       {"i32", 4u},
                                       {"u32", 4u},
                                       {"i64", 8u},
                                       {"u64", 8u}}) {
    const auto element = element_named(spelled);
    REQUIRE(element.has_value());
    CHECK(name(*element) == spelled);
    CHECK(size_of(*element) == bytes);
    CHECK(is_float(*element) == (spelled[0] != 'i' && spelled[0] != 'u'));
  }
  CHECK_FALSE(element_named("float").has_value());
}

TEST_CASE("element types are spelled in a kernel as CUDA spells them") {
  CHECK(cuda_name(Element::f16) == "__half");
  CHECK(cuda_name(Element::bf16) == "__nv_bfloat16");
  CHECK(cuda_name(Element::e4m3) == "__nv_fp8_e4m3");
  CHECK(cuda_name(Element::e2m1) == "__nv_fp4_e2m1");
  CHECK(cuda_name(Element::i64) == "long long");
}
