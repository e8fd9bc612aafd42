// N2: an all-reduce in which one rank asks for the maximum and the others for the sum. NCCL requires the same operator on
// all ranks, but does not check it: each rank folds its part of the columns with its own operator. Fixed by one operator
// for all ranks: library/all_reduce.cu.
#include "../library/nccl.cuh"

cudaError_t other_operator_on_one_rank(const float* input, float* output, std::size_t columns, int ranks) {
  return with_row_per_gpu<float>(columns, ranks, [&](Nccl& nccl, const auto& communicators, auto& rows) {
    rows.load(input);
    const bool done = nccl.for_each_rank(ranks, [&](int rank) {
      const int asked = rank == 1 ? operation<Max>() : operation<Sum>();  // finding: wrong-value
      return nccl.all_reduce(rows[rank], columns, asked, communicators[rank], nullptr);
    });
    rows.synchronize();
    rows.store(output);
    return done;
  });
}
