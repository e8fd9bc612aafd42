// C11: an all-reduce by NCCL over several GPUs of one machine. Each GPU contributes a row, and each receives the fold of
// all rows.
#include "nccl.cuh"

/// Input and output are matrices of `ranks` rows and `columns` columns on the first GPU. Row r of the input is sent to
/// GPU r, and row r of the output is the result that GPU r holds.
template <typename Op, typename T>
cudaError_t all_reduce(const T* input, T* output, std::size_t columns, int ranks) {
  return with_row_per_gpu<T>(columns, ranks, [&](Nccl& nccl, const auto& communicators, auto& rows) {
    rows.load(input);
    if (rows.error() != cudaSuccess) return false;
    const bool done = nccl.for_each_rank(ranks, [&](int rank) {
      return nccl.all_reduce(rows[rank], columns, operation<Op>(), communicators[rank], nullptr);
    });
    rows.synchronize();
    rows.store(output);
    return done;
  });
}
