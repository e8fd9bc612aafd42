// Communication between lanes of a warp, and inline assembly: scopes in braces, registers without '%',
// several statements on one line.

constexpr unsigned everyone = 0xffffffffu;

template <class T>
__device__ T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(everyone, value, offset);
  return value;
}

__global__ void shuffles(float* f, double* d, int* i) {
  f[threadIdx.x] = warp_sum(f[threadIdx.x]);
  d[threadIdx.x] = warp_sum(d[threadIdx.x]);
  i[threadIdx.x] = __shfl_xor_sync(everyone, i[threadIdx.x], 3, 8) + __shfl_up_sync(everyone, i[threadIdx.x], 1);
  i[threadIdx.x] += __shfl_sync(0x0000ffffu, i[threadIdx.x], 5, 16);
}

__global__ void votes(int* i, long long* l) {
  const int x = i[threadIdx.x];
  int all_equal = 0;
  l[threadIdx.x] += __match_any_sync(everyone, l[threadIdx.x]) + __match_all_sync(everyone, x, &all_equal);
  i[threadIdx.x] = __ballot_sync(everyone, x > 0) + __any_sync(everyone, x) + __all_sync(everyone, x) +
                   __popc(__activemask()) + __clz(x) + __brev(x) + __ffs(x) + all_equal;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__global__ void reduxes(int* i, unsigned* u) {
  i[threadIdx.x] = __reduce_add_sync(everyone, i[threadIdx.x]) + __reduce_max_sync(everyone, i[threadIdx.x]);
  u[threadIdx.x] = __reduce_min_sync(everyone, u[threadIdx.x]) + __reduce_xor_sync(everyone, u[threadIdx.x]);
}

__global__ void copies(const float* from, float* to) {
  __shared__ __align__(16) float tile[128];
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(tile + 4 * threadIdx.x));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from + 4 * threadIdx.x));
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;");
  __syncthreads();
  to[threadIdx.x] = tile[threadIdx.x];
}

__global__ void matrices(const unsigned* a, float* d) {
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]));
  d[threadIdx.x] = c0 + c1 + c2 + c3;
}
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void barriers(int* i) {
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x));
  __syncthreads();
  asm volatile(
      "{\n .reg .b64 state; .reg .pred done;\n"
      " mbarrier.arrive.shared::cta.b64 state, [%0];\n"
      "again: mbarrier.try_wait.shared::cta.b64 done, [%0], state; @!done bra again;\n}" ::"r"(at)
      : "memory");
  int elected;
  asm volatile(
      "{ .reg .pred p; .reg .b32 lane; elect.sync lane|p, 0xffffffff; @p mov.s32 %0, 1; @!p mov.s32 %0, 0; }"
      : "=r"(elected));
  i[threadIdx.x] = elected;
}
#endif

__global__ void scopes(int* i, unsigned long long* l) {
  int x = i[threadIdx.x], y;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0; @p bra over; add.s32 %0, %0, 1; over: }" : "+r"(x));
  asm volatile("{ .reg .s32 t<2>, u; mov.s32 t0, %1; { .reg .s32 t0; mov.s32 t0, -7; add.s32 t1, t0, 1; }"
               " add.s32 %0, t0, t1; }"
               : "=r"(y)
               : "r"(x));
  unsigned low, high;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(l[threadIdx.x]));
  asm("{.reg .b32 t; mov.b64 {t, %0}, %1;}" : "=r"(high) : "l"(l[threadIdx.x]));
  asm volatile("st.global.u32 [%0+-4], %1; /* a comment */ st.global.u32 [%0 + 4 * 3], (1 << 4) | 0b11; // another\n" ::"l"(
                   i + threadIdx.x),
               "r"(low));
  asm("mov.b64 %0, {%1, %2};" : "=l"(l[threadIdx.x]) : "r"(high), "r"(low));
  i[threadIdx.x] = x + y;
}
