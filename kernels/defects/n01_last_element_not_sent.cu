// N1: an all-reduce in which one rank copies one element too few to its GPU, so that its last element does not
// contribute. Fixed by copying the whole row: library/all_reduce.cu.
#include "../library/nccl.cuh"

cudaError_t last_element_not_sent(const float* input, float* output, std::size_t columns, int ranks) {
  return with_row_per_gpu<float>(columns, ranks, [&](Nccl& nccl, const auto& communicators, auto& rows) {
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
    return done;
  });
}
