// ldmatrix and stmatrix: 8 by 8 matrices between shared memory and the registers of a warp.
#include <cstring>

#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using isa::warp_size;

}  // namespace

// ISA 9.7.14.5.15: lanes 8k … 8k+7 give the rows of matrix k, 16 bytes each. Thread t holds elements 2(t mod
// 4) and the next of row t / 4; with .trans, rows and columns change places.
void Grid::matrix_access(Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  ++changes_;
  const Detail& detail = program_.details[i.detail];
  const std::size_t matrices = detail.data.size();
  const auto rows = static_cast<unsigned>(matrices * 8);
  Access access(warp, split, i, detail, lanes & lowest_lanes(rows));
  find_addresses(access, detail.address);
  const bool loads = i.action == Action::load_matrix;
  resolve(access, loads ? "read" : "write", access.bytes);
  if (watches_accesses() && access.good != 0) {
    AccessEvent event = event_of(access);
    announce_access(access, event);
  }
  const bool transposed = i.form->has("trans");
  for (std::size_t k = 0; k < matrices; ++k)
    for (unsigned t = 0; t < warp_size; ++t)
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned major = t / 4, minor = 2 * (t % 4) + half;
        const unsigned row = transposed ? minor : major, element = transposed ? major : minor;
        const unsigned giver = static_cast<unsigned>(k) * 8 + row;
        const unsigned offset = t * 4 + half * 2;
        std::byte* column = split.frame->registers() + detail.data[k] + offset;
        if (!contains(access.good, giver)) continue;
        std::byte* memory = access.hosts[giver] + element * 2;
        if (std::byte* defined = access.hosts.defined[giver])
          matrix_definedness(warp, *split.frame, i, detail.data[k], offset, giver,
                             {access.space, access.at[giver] + element * 2, defined + element * 2, 2});
        if (loads)
          std::memcpy(column, memory, 2);
        else
          std::memcpy(memory, column, 2);
      }
}

}  // namespace foldproof::machine
