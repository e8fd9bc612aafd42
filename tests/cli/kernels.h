// Kernels as PTX, for tests that run without a compiler.
#pragma once

#include <string>

namespace foldproof::test {

/// Each thread sums its elements of a grid-stride loop: sum(const float* input, float* partials, size_t
/// count).
inline const std::string sum_ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry sum(.param .u64 input, .param .u64 partials, .param .u64 count)
{
  .reg .pred %end;
  .reg .b32 %block, %threads, %thread, %own, %blocks;
  .reg .f32 %sum, %element;
  .reg .b64 %input, %partials, %count, %first, %stride, %i, %at;
  ld.param.u64 %input, [input];
  ld.param.u64 %partials, [partials];
  ld.param.u64 %count, [count];
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.u32 %own, %block, %threads, %thread;
  cvt.u64.u32 %first, %own;
  mul.wide.u32 %stride, %blocks, %threads;
  mov.u64 %i, %first;
  mov.f32 %sum, 0f00000000;
again:
  setp.ge.u64 %end, %i, %count;
  @%end bra done;
  shl.b64 %at, %i, 2;
  add.s64 %at, %at, %input;
  ld.global.f32 %element, [%at];
  add.rn.f32 %sum, %sum, %element;
  add.s64 %i, %i, %stride;
  bra again;
done:
  shl.b64 %at, %first, 2;
  add.s64 %at, %at, %partials;
  st.global.f32 [%at], %sum;
  ret;
}
)";

/// A contract for sum_ptx in sum.ptx, with these lines at its top and in its domain.
inline std::string sum_contract(const std::string& top, const std::string& domain) {
  return "format = 1\n" + top + R"(
[source]
path = "sum.ptx"
[reduction]
operator = "sum"
input = "f32"
result = "partials"
[output]
count = "grid * block"
[domain]
)" + domain +
         R"(
[[launch]]
entry = "sum"
grid = "grid"
block = "block"
arguments = ["input", "output", "count"]
)";
}

/// Each thread adds one to its element: add_one(int* x, unsigned count).
inline const std::string add_one_ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry add_one(.param .u64 add_one_param_0, .param .u32 add_one_param_1)
{
  .reg .pred %p<2>;
  .reg .b32 %r<7>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [add_one_param_0];
  ld.param.u32 %r1, [add_one_param_1];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra $done;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r6, [%rd4];
  add.s32 %r6, %r6, 1;
  st.global.u32 [%rd4], %r6;
$done:
  ret;
}
)";

/// Stores both words of a struct passed by value: store_pair(unsigned* x, struct { unsigned a, b; }).
inline const std::string store_pair_ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry store_pair(.param .u64 store_pair_param_0, .param .align 4 .b8 store_pair_param_1[8])
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [store_pair_param_0];
  ld.param.u32 %r1, [store_pair_param_1];
  ld.param.u32 %r2, [store_pair_param_1+4];
  cvta.to.global.u64 %rd2, %rd1;
  st.global.u32 [%rd2], %r1;
  st.global.u32 [%rd2+4], %r2;
  ret;
}
)";

/// Stores a word of shared memory that was never written: pass_on(unsigned* x).
inline const std::string pass_on_ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry pass_on(.param .u64 pass_on_param_0)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  .shared .align 4 .b8 tile[4];
  ld.param.u64 %rd1, [pass_on_param_0];
  ld.shared.u32 %r1, [tile];
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

/// Each block draws a ticket; the order of the blocks is not determined: draw(unsigned* tickets, unsigned*
/// next).
inline const std::string draw_ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry draw(.param .u64 tickets, .param .u64 next)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [tickets];
  ld.param.u64 %rd2, [next];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  atom.global.add.u32 %r2, [%rd2], 1;
  st.global.u32 [%rd4], %r2;
  ret;
}
)";

/// Writes just past its shared array, as sum32(const float*, float*) with a __shared__ float tile[32] might.
inline const std::string past_tile_ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry _Z5sum32PKfPf(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<2>;
  .shared .align 4 .b8 _ZZ5sum32PKfPfE4tile[128];
  mov.u32 %r1, 0;
  st.shared.u32 [_ZZ5sum32PKfPfE4tile+128], %r1;
  ret;
}
)";

/// An endless loop that changes its state, so that only the budget ends it: count_forever().
inline const std::string count_forever_ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry count_forever()
{
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 0;
$again:
  add.s64 %rd1, %rd1, 1;
  bra $again;
}
)";

/// One thread adds up the input, but only in the first call: total(const float* input, float* output,
/// unsigned count).
inline const std::string total_once_ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .global .u32 calls = 0;
.visible .entry total(.param .u64 input, .param .u64 output, .param .u32 count)
{
  .reg .pred %is_later, %end;
  .reg .b32 %calls, %count, %i;
  .reg .f32 %sum, %element;
  .reg .b64 %calls_at, %output, %at;
  mov.u64 %calls_at, calls;
  ld.global.u32 %calls, [%calls_at];
  setp.ne.u32 %is_later, %calls, 0;
  @%is_later bra done;
  st.global.u32 [%calls_at], 1;
  ld.param.u64 %at, [input];
  ld.param.u64 %output, [output];
  ld.param.u32 %count, [count];
  mov.f32 %sum, 0f00000000;
  mov.u32 %i, 0;
again:
  setp.ge.u32 %end, %i, %count;
  @%end bra store;
  ld.global.f32 %element, [%at];
  add.rn.f32 %sum, %sum, %element;
  add.s64 %at, %at, 4;
  add.u32 %i, %i, 1;
  bra again;
store:
  st.global.f32 [%output], %sum;
done:
  ret;
}
)";

/// A contract for the only kernel of total.ptx.
inline const std::string total_contract = R"toml(format = 1
[source]
path = "total.ptx"
[reduction]
operator = "sum"
input = "f32"
[domain]
count = "0 .. 64"
[[launch]]
entry = "total"
grid = 1
block = 1
arguments = ["input", "output", "count"]
)toml";

}  // namespace foldproof::test
