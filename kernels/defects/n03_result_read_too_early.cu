// N3: an all-reduce on streams that do not wait for other work, whose result is read before the streams are
// synchronized. A call of NCCL only enqueues the operation. Fixed by synchronizing each stream before its result is read;
// library/all_reduce.cu synchronizes the devices.
#include "../library/nccl.cuh"

cudaError_t result_read_too_early(const float* input, float* output, std::size_t columns, int ranks) {
  return with_row_per_gpu<float>(columns, ranks, [&](Nccl& nccl, const auto& communicators, auto& rows) {
    rows.load(input);
    std::vector<cudaStream_t> streams(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      cudaSetDevice(rank);
      cudaStreamCreateWithFlags(&streams[rank], cudaStreamNonBlocking);
    }
    const bool done = nccl.for_each_rank(ranks, [&](int rank) {
      return nccl.all_reduce(rows[rank], columns, operation<Sum>(), communicators[rank], streams[rank]);
    });
    rows.store(output);  // finding: wrong-value
    for (int rank = 0; rank < ranks; ++rank) {
      cudaSetDevice(rank);
      cudaStreamSynchronize(streams[rank]);
      cudaStreamDestroy(streams[rank]);
    }
    return done;
  });
}
