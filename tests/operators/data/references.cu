// The kernels of parts.cu with the parameters that users give theirs: pointers to elements, and sizes.
#include "tests/operators/data/parts.cu"

inline __device__ Operands operands_of(const float* second) { return {second, nullptr, nullptr}; }
inline __device__ Operands operands_of(const int* targets) { return {nullptr, targets, nullptr}; }

template <typename X, typename Y, int op, int shape, int fault>
__global__ void whole(const X* x, Y* y, int count) {
  reduce_parts(Op(op), Shape(shape), Fault(fault), x, {}, y, count, 0, 0, 0);
}

template <typename X, typename Y, int op, int shape, int fault, typename Z>
__global__ void whole_with(const X* x, const Z* operand, Y* y, int count) {
  reduce_parts(Op(op), Shape(shape), Fault(fault), x, operands_of(operand), y, count, 0, 0, 0);
}

template <typename X, typename Y, int op, int shape, int fault>
__global__ void matrix(const X* x, Y* y, int rows, int columns) {
  reduce_parts(Op(op), Shape(shape), Fault(fault), x, {}, y, long(rows) * columns, rows, columns, 0);
}

template <typename X, typename Y, int op, int shape, int fault, typename Z>
__global__ void matrix_with(const X* x, const Z* operand, Y* y, int rows, int columns) {
  reduce_parts(Op(op), Shape(shape), Fault(fault), x, operands_of(operand), y, long(rows) * columns, rows, columns,
               0);
}

template <typename X, typename Y, int op, int shape, int fault>
__global__ void segmented(const X* x, const unsigned long long* offsets, Y* y, int segments) {
  reduce_parts(Op(op), Shape(shape), Fault(fault), x, {nullptr, nullptr, offsets}, y, 0, 0, 0, segments);
}

template <typename X, typename Y, int op, int shape, int fault, typename Z>
__global__ void segmented_with(const X* x, const Z* second, const unsigned long long* offsets, Y* y, int segments) {
  reduce_parts(Op(op), Shape(shape), Fault(fault), x, {second, nullptr, offsets}, y, 0, 0, 0, segments);
}

template <typename X, typename Y, int op, int shape, int fault, int scan>
__global__ void scanned_whole(const X* x, Y* y, int count) {
  reduce_parts(Op(op), Shape(shape), Fault(fault), x, {}, y, count, 0, 0, 0, Scan(scan));
}

template <typename X, typename Y, int op, int shape, int fault, int scan>
__global__ void scanned_matrix(const X* x, Y* y, int rows, int columns) {
  reduce_parts(Op(op), Shape(shape), Fault(fault), x, {}, y, long(rows) * columns, rows, columns, 0, Scan(scan));
}
