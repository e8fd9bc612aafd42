// C11: an all-reduce by NCCL over several GPUs of one machine. Each GPU contributes a row, and each receives the fold of
// all rows.
#include "nccl.cuh"

/// Input and output are matrices of `ranks` rows and `columns` columns on the first GPU. Row r of the input is sent to
/// GPU r, and row r of the output is the result that GPU r holds.
template <typename Op, typename T>
cudaError_t all_reduce(const T* input, T* output, std::size_t columns, int ranks) {
  Nccl& nccl = Nccl::library();
  if (!nccl.is_present()) return cudaErrorNotSupported;
  const auto& communicators = nccl.communicators(ranks);
  if (communicators.empty()) return cudaErrorUnknown;

  RowPerGpu<T> rows(columns, ranks);
  rows.load(input);
  if (rows.error() != cudaSuccess) return rows.error();
  const bool done = nccl.for_each_rank(ranks, [&](int rank) {
    return nccl.all_reduce(rows[rank], columns, operation<Op>(), communicators[rank], nullptr);
  });
  rows.synchronize();
  rows.store(output);
  return rows.error() == cudaSuccess && !done ? cudaErrorUnknown : rows.error();
}
