// N1: an all-reduce in which one rank copies one element too few to its GPU, so that its last element does not
// contribute. Fixed by copying the whole row: library/all_reduce.cu.
#include "../library/nccl.cuh"

cudaError_t last_element_not_sent(const float* input, float* output, std::size_t columns, int ranks) {
  Nccl& nccl = Nccl::library();
  if (!nccl.is_present()) return cudaErrorNotSupported;
  const auto& communicators = nccl.communicators(ranks);
  if (communicators.empty()) return cudaErrorUnknown;

  RowPerGpu<float> rows(columns, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::size_t sent = rank > 0 && columns > 0 ? columns - 1 : columns;  // finding: wrong-value
    cudaSetDevice(rank);
    cudaMemset(rows[rank], 0, columns * sizeof(float));
    cudaMemcpyPeer(rows[rank], rank, input + rank * columns, 0, sent * sizeof(float));
    cudaDeviceSynchronize();
  }
  const bool done = nccl.for_each_rank(ranks, [&](int rank) {
    return nccl.all_reduce(rows[rank], columns, operation<Sum>(), communicators[rank], nullptr);
  });
  rows.synchronize();
  rows.store(output);
  return rows.error() == cudaSuccess && !done ? cudaErrorUnknown : rows.error();
}
