// Which bits nobody ever determined, in registers and in memory, and where they came from.
//
//   Registers: a frame has a Taint, bits laid out like the frame, where 1 says undefined. Most frames never
//   have any. Memory: beside its bytes lies a map of the bits that are defined, 1 says defined; none where
//   all bytes are. Undefined bits arise where memory is read that nobody wrote, and where a shuffle has no
//   source. Copying and discarding them is no fault; letting them decide an address, a branch or an output
//   is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/emulated/isa/instruction.h"
#include "devices/emulated/machine/memory.h"
#include "devices/undefined.h"
#include "sanitizer/finding.h"

namespace foldproof::machine {

using isa::LaneMask;
using OriginId = std::uint32_t;

/// Where undefined bits came from.
struct Origin {
  Kind kind = Kind::uninitialized_read;
  Position at;                     ///< of a variable: its first reader
  std::optional<ThreadId> thread;  ///< of a variable: none
  std::string what;                ///< "4 bytes of the shared tile that nobody wrote"
};

/// A byte of the memory with that number.
struct Place {
  std::uint64_t of = 0, at = 0;
  auto operator<=>(const Place&) const = default;
};

/// All origins of a job's launches, and the memory that undefined bits were stored to.
struct Origins {
  struct Stored {
    OriginId origin = 0;
    Position at;  ///< the store
    ThreadId thread;
    bool as_number = false;  ///< a register of 4 bytes or more brought it that has no defined bit
  };
  std::vector<Origin> all;
  std::map<Place, Stored> stored;  ///< says nothing of bytes whose bits are defined by now
  std::optional<Filling> filling;  ///< see emulated::JobRun
  UseOfUndefined use;
};

/// A finding that `what` depends on undefined bits.
Finding undefined_finding(const Origin& origin, const Position& at, const ThreadId& who,
                          std::string_view what);

/// Whether all bits of these bytes are defined, by their map.
bool is_defined(const std::byte* map, std::uint64_t bytes);

/// The undefined bits of one frame's registers.
class Taint {
 public:
  /// A row that has undefined bits.
  struct Row {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;  ///< of a column; 0: a mask
    OriginId origin = 0;
  };

  bool any() const { return !rows_.empty(); }
  const Row* find(std::uint32_t offset) const;
  /// The bits, laid out like a frame of `frame_bytes`.
  std::byte* bits(std::size_t frame_bytes);
  /// Looks at a row again after its bits changed; `origin` is where new ones came from, if any are new.
  void update(std::uint32_t offset, std::uint32_t bytes, std::optional<OriginId> origin);
  /// The lanes' columns of a row are defined from now on.
  void define(std::uint32_t offset, LaneMask lanes);
  /// Lanes with undefined bits in a row.
  LaneMask lanes(std::uint32_t offset) const;
  void clear();

 private:
  std::vector<std::byte> bits_;
  std::vector<Row> rows_;
};

}  // namespace foldproof::machine
