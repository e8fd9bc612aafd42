// A thread reduces each row by one of the operators that are not folds, and loses its last element, uses it twice or
// uses the next row's first element as well.
#include "lossy.cuh"

/// The elements of a row as the kernel sees them.
template <typename T, Fault fault>
struct Row {
  const T* first;
  std::size_t columns;
  bool last_of_all;

  __device__ std::size_t size() const {
    if (fault == Fault::drop) return columns - 1;
    return columns + (fault == Fault::repeat || (fault == Fault::beyond && !last_of_all) ? 1 : 0);
  }
  __device__ Wide<T> operator[](std::size_t i) const {
    return static_cast<Wide<T>>(first[fault == Fault::repeat && i == columns ? columns - 1 : i]);
  }
};

struct Mean {
  template <typename W, typename View, typename Out>
  __device__ static void reduce(const View& row, Out* result) {
    W sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) sum += row[i];
    *result = static_cast<Out>(sum / static_cast<W>(row.columns));
  }
};

struct Norm {
  template <typename W, typename View, typename Out>
  __device__ static void reduce(const View& row, Out* result) {
    W sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * row[i];
    *result = static_cast<Out>(sqrt(sum));
  }
};

struct Variance {
  template <typename W, typename View, typename Out>
  __device__ static void reduce(const View& row, Out* result) {
    W sum = 0, squares = 0;
    for (std::size_t i = 0; i < row.size(); ++i) sum += row[i];
    const W mean = sum / static_cast<W>(row.columns);
    for (std::size_t i = 0; i < row.size(); ++i) squares += (row[i] - mean) * (row[i] - mean);
    *result = static_cast<Out>(squares / static_cast<W>(row.columns));
  }
};

template <typename W, typename View>
__device__ W highest_of(const View& row) {
  W highest = bottom<W>;
  for (std::size_t i = 0; i < row.columns; ++i) highest = row[i] > highest ? row[i] : highest;
  return highest == bottom<W> ? W{0} : highest;
}

template <typename W, typename View>
__device__ W exponentials_of(const View& row, W highest) {
  W sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) sum += exp(row[i] - highest);
  return sum;
}

struct LogSumExp {
  template <typename W, typename View, typename Out>
  __device__ static void reduce(const View& row, Out* result) {
    const W highest = highest_of<W>(row);
    *result = static_cast<Out>(highest + log(exponentials_of(row, highest)));
  }
};

struct Softmax {
  template <typename W, typename View, typename Out>
  __device__ static void reduce(const View& row, Out* shares) {
    const W highest = highest_of<W>(row);
    const W sum = exponentials_of(row, highest);
    for (std::size_t i = 0; i < row.columns; ++i) shares[i] = static_cast<Out>(exp(row[i] - highest) / sum);
  }
};

/// `each`: outputs per row.
template <typename Op, typename T, typename Out, Fault fault>
__global__ void rows(const T* input, Out* output, std::size_t columns, std::size_t each) {
  const Row<T, fault> row{input + blockIdx.x * columns, columns, blockIdx.x + 1 == gridDim.x};
  Op::template reduce<Wide<T>>(row, output + blockIdx.x * each);  // finding: wrong-value, input-not-used?, input-used-twice?, contract-violation?
}
