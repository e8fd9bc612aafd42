// foldproof-lab: measurements of Foldproof itself, of its catalogue and of published claims about reductions.
#include "benchmarks/verbs.h"
#include "command/gpu_workers.h"
#include "command/program.h"

namespace {

using namespace foldproof;

constexpr Verb verbs[] = {
    {"claims", "Test published claims (docs/claims.md)", attach_claims},
    {"compare", "Compare the emulated device with a GPU", attach_compare},
    {"all-reduce", "Compare the bits of NCCL's all-reduces", attach_all_reduce},
    {"detection", "Show which tool finds which defect", attach_detection},
    {"fingerprint", "Print hashes of the emulated device's behaviour", attach_fingerprint},
    {"instructions", "Compare instructions with a GPU", attach_instructions},
    {"kernels", "Describe the kernels of a folder (docs/kernels.md)", attach_kernels},
    {"bench", "Measure the speed of Foldproof and its kernels", attach_bench},
    {"gpu-worker", "Run the jobs of another foldproof-lab on a GPU", attach_gpu_worker, false},
};

}  // namespace

int main(int argc, char** argv) {
  return run({"foldproof-lab", "The laboratory of Foldproof: measurements for its developers.", verbs}, argc,
             argv);
}
