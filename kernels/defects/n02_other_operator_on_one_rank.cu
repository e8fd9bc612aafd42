// N2: an all-reduce in which one rank asks for the maximum and the others for the sum. NCCL requires the same operator on
// all ranks, but does not check it: each rank folds its part of the columns with its own operator. Fixed by one operator
// for all ranks: library/all_reduce.cu.
#include "../library/nccl.cuh"

cudaError_t other_operator_on_one_rank(const float* input, float* output, std::size_t columns, int ranks) {
  Nccl& nccl = Nccl::library();
  if (!nccl.is_present()) return cudaErrorNotSupported;
  const auto& communicators = nccl.communicators(ranks);
  if (communicators.empty()) return cudaErrorUnknown;

  RowPerGpu<float> rows(columns, ranks);
  rows.load(input);
  const bool done = nccl.for_each_rank(ranks, [&](int rank) {
    const int asked = rank == 1 ? operation<Max>() : operation<Sum>();  // finding: wrong-value
    return nccl.all_reduce(rows[rank], columns, asked, communicators[rank], nullptr);
  });
  rows.synchronize();
  rows.store(output);
  return rows.error() == cudaSuccess && !done ? cudaErrorUnknown : rows.error();
}
