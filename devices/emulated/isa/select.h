// The select functions named in ptx.def: each assigns the semantics of a form, or rejects the combination.
#pragma once

#include "devices/emulated/isa/form.h"

namespace foldproof::isa::select {

using Select = bool (*)(Form&);

/// For rows whose combinations all exist and whose semantics are implemented by the machine.
inline constexpr Select machine = nullptr;

// integer.cpp
bool add_int(Form&), sub_int(Form&), mul_int(Form&), mad_int(Form&), mul24(Form&), mad24(Form&), sad(Form&);
bool div_int(Form&), rem(Form&), abs_int(Form&), neg_int(Form&), min_int(Form&), max_int(Form&);
bool dp4a(Form&), dp2a(Form&), vabsdiff2(Form&), vabsdiff4(Form&), add_cc(Form&), addc(Form&), sub_cc(Form&);
bool subc(Form&), mad_cc(Form&), madc(Form&);

// bits.cpp
bool and_(Form&), or_(Form&), xor_(Form&), not_(Form&), cnot(Form&), shl(Form&), shr(Form&), shf(Form&),
    popc(Form&), clz(Form&);
bool brev(Form&), bfind(Form&), fns(Form&), bfe(Form&), bfi(Form&), szext(Form&), bmsk(Form&), lop3(Form&);
bool lop3_test(Form&), prmt(Form&), mov(Form&), pack(Form&), unpack(Form&), cvta(Form&), isspacep(Form&),
    isspacep_own(Form&), mapa(Form&);

// float.cpp
bool add_float(Form&), sub_float(Form&), mul_float(Form&), fma_float(Form&), div_float(Form&), rcp(Form&),
    sqrt(Form&);
bool min_float(Form&), max_float(Form&), abs_float(Form&), neg_float(Form&), copysign(Form&), testp(Form&);

// compare.cpp
bool setp(Form&), setp_half(Form&), setp_pair(Form&), selp(Form&), slct(Form&), set(Form&), set_pair(Form&);

// convert.cpp
bool cvt(Form&), cvt_pack(Form&), cvt_scale(Form&);

// half.cpp
bool add_half(Form&), sub_half(Form&), mul_half(Form&), fma_half(Form&), min_half(Form&), max_half(Form&);
bool neg_half(Form&), abs_half(Form&), add_mixed(Form&), sub_mixed(Form&), fma_mixed(Form&);

// approx.cpp
bool rcp_approx(Form&), sqrt_approx(Form&), rsqrt_approx(Form&), sin_approx(Form&), cos_approx(Form&);
bool lg2_approx(Form&), ex2_approx(Form&), tanh_approx(Form&), div_approx(Form&), div_full(Form&);
bool rcp_f64(Form&), rsqrt_f64(Form&), ex2_half(Form&), tanh_half(Form&);

// matrix.cpp
bool mma(Form&), movmatrix(Form&), matrices(Form&);

// memory.cpp
bool load(Form&), load_global(Form&), store(Form&), atomic(Form&), atomic_cas(Form&), reduction(Form&);
bool aligned(Form&), barrier_reduce(Form&), bar_reduce(Form&), redux(Form&), redux_f32(Form&);
bool fence(Form&), membar(Form&), async_copy(Form&), cluster_arrive(Form&), cluster_wait(Form&),
    mbarrier(Form&);

}  // namespace foldproof::isa::select
