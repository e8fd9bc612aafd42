// Every operator, one thread per part of the input, right or with one fault.
#include <cfloat>
#include <climits>

#include "tests/operators/data/faults.h"

enum class Op {
#define FOLDPROOF_OPERATOR(id, ...) id,
#include "oracles/operators.def"
#undef FOLDPROOF_OPERATOR
};

struct Operands {
  const void* second;
  const int* targets;
  const unsigned long long* offsets;
};

template <typename T>
struct Numbers;
template <>
struct Numbers<float> {
  static __device__ float lowest() { return -INFINITY; }
  static __device__ float highest() { return INFINITY; }
  using Magnitude = float;
  static __device__ float magnitude(float x) { return fabsf(x); }
};
template <>
struct Numbers<int> {
  static __device__ int lowest() { return INT_MIN; }
  static __device__ int highest() { return INT_MAX; }
  using Magnitude = unsigned;
  static __device__ unsigned magnitude(int x) { return x < 0 ? 0u - static_cast<unsigned>(x) : x; }
};

// The elements of one part, and where its results go.
template <typename T>
struct Part {
  const T *x, *y;
  long n, stride;
  int target;
  Fault fault;
  void* out;
  long at;

  __device__ long first() const { return fault == Fault::repeats_first && n > 0 ? -1 : 0; }
  __device__ long end() const { return fault == Fault::drops_last && n > 1 ? n - 1 : n; }
  __device__ long index(long j) const {
    j = j < 0 ? 0 : j;
    return fault == Fault::starts_at_block ? (j + blockDim.x) % n : j;
  }
  __device__ T element(long j) const { return x[index(j) * stride]; }
  __device__ T partner(long j) const { return y[index(j) * stride]; }
  template <typename R>
  __device__ void put(R result, long k = 0) const {
    static_cast<R*>(out)[at + k * stride] = fault == Fault::answers_empty && n == 0 ? R(42) : result;
  }
  __device__ bool beats(T a, T b) const { return fault == Fault::takes_last_tie ? a >= b : a > b; }
};

#define EACH _Pragma("unroll 1") for (long j = part.first(); j < part.end(); ++j)

template <typename T>
__device__ void fold(Op op, const Part<T>& part) {
  using N = Numbers<T>;
  using M = typename N::Magnitude;
  T r = 0;
  M m = 0;
  switch (op) {
    case Op::sum: EACH r += part.element(j); return part.put(r);
    case Op::prod:
      r = 1;
      EACH r *= part.element(j);
      return part.put(r);
    case Op::min:
      r = N::highest();
      EACH r = min(r, part.element(j));
      return part.put(r);
    case Op::max:
      r = N::lowest();
      EACH r = max(r, part.element(j));
      return part.put(r);
    case Op::sum_of_squares: EACH r += part.element(j) * part.element(j); return part.put(r);
    case Op::asum: EACH m += N::magnitude(part.element(j)); return part.put(m);
    case Op::absmax: EACH m = max(m, N::magnitude(part.element(j))); return part.put(m);
    default: return;
  }
}

template <typename T>
__device__ void tally(Op op, const Part<T>& part) {
  unsigned c = 0;
  EACH c += part.element(j) != T(0);
  if (op == Op::any) c = c != 0;
  if (op == Op::all) c = c == part.end() - part.first();
  part.put(c);
}

template <typename T>
__device__ void extreme_index(Op op, const Part<T>& part) {
  long best = part.first();
  EACH {
    const T a = part.element(j), b = part.element(best);
    if (op == Op::argmax ? part.beats(a, b) : part.beats(b, a)) best = j;
  }
  part.put(static_cast<int>(best < 0 ? 0 : best));
}

__device__ void bits(Op op, const Part<int>& part) {
  int r = op == Op::bit_and ? -1 : 0;
  EACH {
    const int v = part.element(j);
    r = op == Op::bit_and ? r & v : op == Op::bit_or ? r | v : op == Op::bit_xor ? r ^ v : r + v + r * v;
  }
  part.put(r);
}

__device__ void counts(const Part<int>& part) {
  for (int bin = 0; bin < 8; ++bin) {
    unsigned c = 0;
    EACH c += part.element(j) == bin;
    part.put(c, bin);
  }
}

__device__ float mean_of(const Part<float>& part) {
  float s = 0;
  EACH s += part.element(j);
  return s / part.n;
}

__device__ float squares_of(const Part<float>& part, float center) {
  float s = 0;
  EACH s += (part.element(j) - center) * (part.element(j) - center);
  return s;
}

__device__ float maximum_of(const Part<float>& part) {
  float m = -INFINITY;
  EACH m = fmaxf(m, part.element(j));
  return m;
}

__device__ float exponentials_of(const Part<float>& part, float maximum) {
  float s = 0;
  EACH s += expf(part.element(j) - maximum);
  return s;
}

__device__ float huber_of(float d) {
  const float size = fabsf(d);
  return size <= 1 ? 0.5f * d * d : size - 0.5f;
}

__device__ void number(Op op, const Part<float>& part) {
  float r = 0;
  switch (op) {
    case Op::mean: return part.put(mean_of(part));
    case Op::norm: return part.put(sqrtf(squares_of(part, 0)));
    case Op::variance: return part.put(squares_of(part, mean_of(part)) / part.n);
    case Op::deviation: return part.put(sqrtf(squares_of(part, mean_of(part)) / part.n + 0x1p-10f));
    case Op::reciprocal_deviation:
      return part.put(1 / sqrtf(squares_of(part, mean_of(part)) / part.n + 0x1p-10f));
    case Op::formula: EACH r += part.element(j) * part.element(j) - part.element(j); return part.put(r);
    case Op::dot: EACH r += part.element(j) * part.partner(j); return part.put(r);
    case Op::squared_error:
    case Op::mse:
      EACH r += (part.element(j) - part.partner(j)) * (part.element(j) - part.partner(j));
      return part.put(op == Op::mse ? r / part.n : r);
    case Op::absolute_error:
    case Op::mae: EACH r += fabsf(part.element(j) - part.partner(j)); return part.put(op == Op::mae ? r / part.n : r);
    case Op::huber:
    case Op::mean_huber: EACH r += huber_of(part.element(j) - part.partner(j)); return part.put(op == Op::mean_huber ? r / part.n : r);
    case Op::kl_divergence:
      EACH if (part.element(j) != 0) r += part.element(j) * logf(part.element(j) / part.partner(j));
      return part.put(r);
    case Op::max_ratio:
      r = -INFINITY;
      EACH r = fmaxf(r, part.element(j) / part.partner(j));
      return part.put(r);
    default: break;
  }
  const float m = maximum_of(part);
  r = m + logf(exponentials_of(part, m));
  if (op == Op::dense_cross_entropy) {
    float loss = 0;
    EACH loss += part.partner(j) * (r - part.element(j));
    return part.put(loss);
  }
  if (op == Op::cross_entropy && part.n > 0) r -= part.element(part.target);
  part.put(op == Op::log_sum_exp && m == -INFINITY ? m : r);
}

__device__ void elements(Op op, const Part<float>& part) {
  const float m = maximum_of(part), s = exponentials_of(part, m);
  const float mean = mean_of(part), variance = squares_of(part, mean) / part.n;
  const float square = squares_of(part, 0), epsilon = 0x1p-10f;
  const float root = sqrtf((op == Op::layer_norm ? variance : square / part.n) + epsilon);
  float total = 0;
  EACH total += part.element(j);
  for (long j = 0; j < part.n; ++j) {
    const float x = part.element(j);
    switch (op) {
      case Op::element_formula: part.put(x * total, j); break;
      case Op::softmax: part.put(expf(x - m) / s, j); break;
      case Op::log_softmax: part.put(x - m - logf(s), j); break;
      case Op::layer_norm: part.put((x - mean) / root, j); break;
      case Op::l2_normalize: part.put(x / fmaxf(sqrtf(square), epsilon), j); break;
      default: part.put(x / root, j); break;
    }
  }
}

__device__ void ranked(Op op, const Part<float>& part) {
  long chosen = -1;
  for (int rank = 0; rank < 2; ++rank) {
    long best = -1;
    EACH if (j >= 0 && j != chosen && (best < 0 || part.beats(part.element(j), part.element(best)))) best = j;
    if (op == Op::top_k)
      part.put(static_cast<int>(best), rank);
    else
      part.put(part.element(best), rank);
    chosen = best;
  }
}

__device__ void leading(const Part<float>& part) {
  float s = 0;
  unsigned c = 0;
  EACH {
    if (s >= 1) break;
    s += part.element(j), ++c;
  }
  part.put(c);
}

template <typename T>
__device__ void reduce(Op op, const Part<T>& part) {
  if (part.n == 0 && part.fault == Fault::leaves_empty) return;
  switch (op) {
    case Op::any:
    case Op::all:
    case Op::count: return tally(op, part);
    case Op::argmin:
    case Op::argmax: return extreme_index(op, part);
    default: return fold(op, part);
  }
}

__device__ void reduce_all(Op op, const Part<int>& part) {
  if (part.n == 0 && part.fault == Fault::leaves_empty) return;
  switch (op) {
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::custom: return bits(op, part);
    case Op::histogram: return counts(part);
    default: return reduce(op, part);
  }
}

__device__ void reduce_all(Op op, const Part<float>& part) {
  if (part.n == 0 && part.fault == Fault::leaves_empty) return;
  switch (op) {
    case Op::mean:
    case Op::norm:
    case Op::variance:
    case Op::deviation:
    case Op::reciprocal_deviation:
    case Op::dot:
    case Op::formula:
    case Op::max_ratio:
    case Op::squared_error:
    case Op::absolute_error:
    case Op::mse:
    case Op::mae:
    case Op::huber:
    case Op::mean_huber:
    case Op::kl_divergence:
    case Op::dense_cross_entropy:
    case Op::log_sum_exp:
    case Op::cross_entropy: return number(op, part);
    case Op::softmax:
    case Op::log_softmax:
    case Op::l2_normalize:
    case Op::element_formula:
    case Op::layer_norm:
    case Op::rms_norm: return elements(op, part);
    case Op::top_k:
    case Op::largest: return ranked(op, part);
    case Op::top_p: return leading(part);
    default: return reduce(op, part);
  }
}

__device__ long outputs_per_part(Op op, Shape shape, long n) {
  if (op == Op::top_k || op == Op::largest) return 2;
  const bool gives_elements = op == Op::softmax || op == Op::log_softmax || op == Op::l2_normalize ||
                              op == Op::layer_norm || op == Op::rms_norm || op == Op::element_formula;
  return shape == Shape::rows && gives_elements ? n : 1;
}

// The elements from which the one at `p` is scanned, in rows of that length: their number and the first of them.
__device__ long scanned(Scan scan, long length, long p, long& first) {
  const long k = p % length;
  const bool includes = scan == Scan::inclusive || scan == Scan::reverse;
  const bool reverse = scan == Scan::reverse || scan == Scan::reverse_exclusive;
  first = !reverse ? p - k : includes ? p : p + 1;
  return (reverse ? length - k - 1 : k) + (includes ? 1 : 0);
}

template <typename T>
__device__ __noinline__ void reduce_parts(Op op, Shape shape, Fault fault, const T* x, Operands operands,
                                          void* out, long count, long rows, long columns, long segments,
                                          Scan scan = Scan::inclusive) {
  const T* y = static_cast<const T*>(operands.second);
  long parts = 1;
  if (shape == Shape::partials) parts = gridDim.x;
  if (shape == Shape::rows) parts = rows;
  if (shape == Shape::columns) parts = columns;
  if (shape == Shape::segments) parts = segments;
  if (shape == Shape::scan || shape == Shape::row_scans) parts = count;
  for (long p = blockIdx.x * blockDim.x + threadIdx.x; p < parts; p += gridDim.x * blockDim.x) {
    Part<T> part{x, y, count, 1, 0, fault, out, p};
    long first = 0;
    if (shape == Shape::partials) first = p, part.stride = parts, part.n = (count - p + parts - 1) / parts;
    if (shape == Shape::partials && part.n < 0) part.n = 0;
    if (shape == Shape::rows) first = p * columns, part.n = columns;
    if (shape == Shape::columns) first = p, part.stride = columns, part.n = rows;
    if (shape == Shape::segments) first = operands.offsets[p], part.n = operands.offsets[p + 1] - first;
    if (shape == Shape::scan) part.n = scanned(scan, count, p, first);
    if (shape == Shape::row_scans) part.n = scanned(scan, columns, p, first);
    if (op == Op::cross_entropy && part.n > 0) part.target = operands.targets[p];
    part.x += first, part.y += first;
    part.at = p * outputs_per_part(op, shape, part.n);
    reduce_all(op, part);
  }
}

template <typename T>
__device__ void kernel(const T* x, Operands operands, void* out, void* additional, int main_operator,
                       int additional_operator, int shape, int fault, long count, long rows, long columns,
                       long segments) {
  const bool has_additional = additional != nullptr;
  reduce_parts(Op(main_operator), Shape(shape), has_additional ? Fault::none : Fault(fault), x, operands, out,
               count, rows, columns, segments);
  if (has_additional)
    reduce_parts(Op(additional_operator), Shape(shape), Fault(fault), x, operands, additional, count, rows,
                 columns, segments);
}

extern "C" __global__ void parts_f32(const float* x, Operands operands, void* out, void* additional,
                                     int main_operator, int additional_operator, int shape, int fault,
                                     long count, long rows, long columns, long segments) {
  kernel(x, operands, out, additional, main_operator, additional_operator, shape, fault, count, rows, columns,
         segments);
}

extern "C" __global__ void parts_i32(const int* x, Operands operands, void* out, void* additional,
                                     int main_operator, int additional_operator, int shape, int fault,
                                     long count, long rows, long columns, long segments) {
  kernel(x, operands, out, additional, main_operator, additional_operator, shape, fault, count, rows, columns,
         segments);
}
