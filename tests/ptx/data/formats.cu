// Arithmetic in every number format: half, bfloat16 and fp8 if the architecture has them, approximations,
// rounding modes, packed forms and conversions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
#include <cuda_fp8.h>
#endif

__global__ void halves(__half* h, __half2* h2, float* f) {
  const __half a = h[threadIdx.x], b = h[threadIdx.x + 1];
  h[threadIdx.x] = __hfma(a, b, __hmax(a, b)) + __hsub_sat(a, b) + hexp2(a) + __float2half_rz(f[threadIdx.x]);
  const __half2 p = h2[threadIdx.x], q = h2[threadIdx.x + 1];
  h2[threadIdx.x] = __hadd2(__hmul2(p, q), __hmin2(p, __heq2(p, q)));
  atomicAdd(&h2[0], p);
  f[threadIdx.x] = __half2float(a) + __low2float(p) + __half2int_rn(b);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__global__ void bfloats(__nv_bfloat16* h, __nv_bfloat162* h2, float* f) {
  const __nv_bfloat16 a = h[threadIdx.x], b = h[threadIdx.x + 1];
  h[threadIdx.x] = __hfma(a, b, __hmax(a, b)) + __float2bfloat16_rn(f[threadIdx.x]);
  h2[threadIdx.x] = __hadd2(h2[threadIdx.x], h2[threadIdx.x + 1]);
  atomicAdd(&h2[0], h2[threadIdx.x]);
  f[threadIdx.x] = __bfloat162float(a);
}
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
__global__ void fp8s(__nv_fp8_e4m3* a, __nv_fp8_e5m2* b, float* f, __half* h) {
  f[threadIdx.x] = float(a[threadIdx.x]) + float(b[threadIdx.x]);
  a[threadIdx.x] = __nv_fp8_e4m3(f[threadIdx.x]);
  b[threadIdx.x] = __nv_fp8_e5m2(h[threadIdx.x]);
  reinterpret_cast<__nv_fp8x4_e4m3*>(a)[threadIdx.x] = __nv_fp8x4_e4m3(reinterpret_cast<float4*>(f)[threadIdx.x]);
}
#endif

__global__ void singles(float* f, int* i, unsigned long long* l) {
  const float x = f[threadIdx.x], y = f[threadIdx.x + 1];
  f[threadIdx.x] = expf(x) + logf(y) + sinf(x) * cosf(y) + sqrtf(x) + rsqrtf(y) + x / y + powf(x, y) + tanhf(x) +
                   __fadd_rd(x, y) + __fmul_ru(x, y) + __fmaf_rz(x, y, 1.5f) + __saturatef(x) + fmaxf(x, y) +
                   fminf(x, -0.0f) + __fdividef(x, y) + rintf(x) + floorf(y) + erff(x) + fmodf(x, y);
  i[threadIdx.x] = __float2int_rz(x) + __float2uint_rn(y) + isnan(x) + signbit(y) + __mulhi(i[0], i[1]) +
                   __dp4a(i[0], i[1], i[2]) + __byte_perm(i[0], i[1], 0x5410) + __funnelshift_l(i[0], i[1], 3) +
                   __sad(i[0], i[1], 4u) + __popcll(l[0]) + abs(i[2]) + i[3] / i[4] + i[5] % 7;
  l[threadIdx.x] = __umul64hi(l[0], l[1]) / (l[2] | 1) + __float2ull_rn(x);
}

__global__ void doubles(double* d, float* f) {
  const double x = d[threadIdx.x], y = d[threadIdx.x + 1];
  d[threadIdx.x] = exp(x) + log(y) + sin(x) + sqrt(y) + x / y + fma(x, y, 0x1.8p-3) + __dadd_rd(x, y) + fmax(x, y) +
                   rsqrt(x) + double(f[threadIdx.x]) + 1e300;
  f[threadIdx.x] = float(x) + __double2float_rd(y) + __double2int_rn(x) + __int2double_rn(3);
}
