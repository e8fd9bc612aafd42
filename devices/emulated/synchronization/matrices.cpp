// mma, ldmatrix and stmatrix: operations on the registers of the whole warp.
#include <cstring>

#include "devices/emulated/synchronization/warp_sync.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

using isa::warp_size;

void WarpSync::whole_warp(Warp& warp, Members members) {
  const DivergentGroup& first = warp.groups[members[0]];
  const Instruction& i = first.instruction();
  Frame& frame = *first.frame;
  for (const std::size_t k : members)
    if (warp.groups[k].frame != first.frame || warp.groups[k].pc != first.pc)
      throw Unsupported("lanes of a warp execute a matrix instruction at different places in the program",
                        parts_.program.position(i));
  if (warp.lanes_of(members) != all_lanes)
    parts_.findings.crash(i, "a matrix instruction needs all 32 lanes of the warp");
  if (Provenance* provenance = parts_.shadow.provenance())
    provenance->give_up("the kernel uses matrix instructions, through which values are not traced yet");
  if (i.action != Action::matrix_multiply) return move_matrices(warp, frame, i);
  parts_.shadow.multiplying(frame, i, all_lanes);
  i.compute(frame.registers(), i, all_lanes);
}

// ISA 9.7.14.5.15: lanes 8k … 8k+7 provide the row addresses of matrix k, 16 bytes per row. Thread t holds
// elements 2(t mod 4) and the next of row t / 4; .trans swaps rows and columns.
void WarpSync::move_matrices(Warp& warp, Frame& frame, const Instruction& i) {
  constexpr unsigned element_bytes = 2;
  parts_.progress.changed();
  const MachineOperands& detail = parts_.program.details[i.detail];
  const auto matrices = static_cast<unsigned>(detail.data.size());
  const bool loads = i.action == Action::load_matrix, transposed = i.form->has("trans");
  WarpAccess access(warp, frame, i, detail, lowest_lanes(matrices * 8));
  parts_.find_addresses(access, detail.address);
  parts_.addresses.resolve(access, loads ? "read" : "write", access.bytes);
  if (parts_.events.accesses() && access.valid != 0) parts_.events.emit_access(access);
  for (unsigned k = 0; k < matrices; ++k)
    for (unsigned t = 0; t < warp_size; ++t)
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned major = t / 4, minor = 2 * (t % 4) + half;
        const unsigned row = transposed ? minor : major, element = transposed ? major : minor;
        const MatrixPart part{detail.data[k], t * 4 + half * element_bytes, k * 8 + row,
                              element * element_bytes};
        if (!contains(access.valid, part.giver)) continue;
        parts_.shadow.matrix_moved(access, part);
        std::byte* column = frame.registers() + part.row + part.column;
        std::byte* memory = access.hosts[part.giver] + part.offset;
        std::memcpy(loads ? column : memory, loads ? memory : column, element_bytes);
      }
}

}  // namespace foldproof::emulated
