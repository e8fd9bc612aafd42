// Functions and data: printf, assert, indirect calls, recursion, structures by value, local arrays, jump tables,
// and initializers of every shape.
#include <cassert>
#include <cstdio>

using Operator = int (*)(int, float);
__device__ int add(int a, float b) { return a + static_cast<int>(b); }
__device__ __noinline__ int multiply(int a, float b) { return a * static_cast<int>(b); }
__device__ Operator operators[2] = {add, multiply};

__constant__ float weights[3] = {1.0f, 2.5f, -0.0f};
__constant__ unsigned char identity_matrix[2][3] = {{1, 0, 0}, {0, 1, 0}};
__device__ double thresholds[2][2] = {{1e-300, 2.0}, {3.0, -4.5}};
__device__ int counters[10];
struct Record {
  char kind;
  int* counter;
  short weight;
};
__device__ Record record = {'a', counters + 3, 7};
#pragma pack(push, 1)
struct Packed {
  char kind;
  int* counter;
  Operator apply;
};
#pragma pack(pop)
__device__ Packed packed = {'b', counters + 5, multiply};
__device__ const char* text = "a text\n\"quoted\"";
__device__ float infinity = 1.0f / 0.0f;
__device__ unsigned long long large = 0xfedcba9876543210ull;
__managed__ int managed = -1;

__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1) + factorial(n - 2); }

struct Block {
  int words[5];
  double last;
};
__device__ __noinline__ Block rotated(Block block) {
  ++block.words[threadIdx.x & 3];
  return block;
}

class Shape {
 public:
  __device__ virtual int area() const = 0;
};
class Square : public Shape {
 public:
  __device__ int area() const override { return side * side; }
  int side = 3;
};
class Stripe : public Shape {
 public:
  __device__ int area() const override { return length; }
  int length = 9;
};

__global__ void objects(int* i) {
  Square square;
  Stripe stripe;
  const Shape* shape = i[0] > 0 ? static_cast<const Shape*>(&square) : &stripe;
  i[1] = shape->area();
}

__global__ void __launch_bounds__(256, 2) calls(int* out, int i, const __grid_constant__ Block block) {
  const Block turned = rotated(block);
  printf("%d of %s: %f\n", i, text, thresholds[i & 1][1]);
  assert(i > 0 && "an index");
  int local[8];
  for (int j = 0; j < 8; ++j) local[j] = out[j];
  out[i] = operators[i & 1](i, weights[i % 3]) + *record.counter + *packed.counter + packed.apply(i, infinity) +
           local[i & 7] + turned.words[i % 5] + factorial(i) + identity_matrix[i & 1][i % 3] + managed;
  if (large == 3) __trap();
}

__global__ void __maxnreg__(64) jumps(int* out, int i) {
  switch (i) {
    case 0: out[1] = 3; break;
    case 1: out[2] += 7; break;
    case 2: out[3] ^= 2; break;
    case 3: out[4] *= 9; break;
    case 4: out[5] = out[6]; break;
    case 5: out[9] = clock(); break;
    case 6: out[99] = 4; break;
    case 7: out[7] = factorial(i); break;
    case 8: out[8] = out[1] * out[2]; break;
    case 9: out[1] = out[4] - 5; break;
    case 10: out[3] = __ldg(out + 1) / 3; break;
    case 11: asm volatile("{ .reg .b32 x; mov.u32 x, %%laneid; st.u32 [%0], x; }" ::"l"(out)); break;
    default: asm volatile("exit;");
  }
}
