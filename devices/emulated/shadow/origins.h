// The origins of a job's undefined bits, and the undefined bytes that its launches left in a buffer: defects,
// and possible padding.
//
//   Undefined bits originate from reads of never-written memory, uninitialized variables, and shuffles
//   without a source. Copying and discarding them is allowed; an address, branch or output that depends on
//   them is reported.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/emulated/memory/memory.h"
#include "devices/emulated/state/places.h"
#include "devices/emulated/state/register_shadow.h"
#include "devices/runner.h"
#include "devices/undefined_fill.h"
#include "sanitizer/finding.h"

namespace foldproof::emulated {

/// The origin of undefined bits.
struct Origin {
  Kind kind = Kind::uninitialized_read;
  Position at;                     ///< for a variable: its first reader
  std::optional<ThreadId> thread;  ///< none for a variable
  std::string what;                ///< "4 bytes of the shared variable tile that were never written"
};

/// All origins of a job's launches, and the memory to which undefined bits were stored.
struct Origins {
  struct Stored {
    OriginId origin = 0;
    Position at;  ///< the store
    ThreadId thread;
    bool as_number = false;  ///< stored from a register of at least 4 bytes without a defined bit
  };
  std::vector<Origin> all;
  std::map<Place, Stored> stored;     ///< entries of bytes that have become defined since are ignored
  std::optional<UndefinedFill> fill;  ///< see emulated::JobRun
  UseOfUndefined use;
};

/// A finding that `what` depends on undefined bits.
Finding undefined_finding(const Origin& origin, const Position& at, const ThreadId& who,
                          std::string_view what);

/// Examines a buffer at `address`, inside `region`. Elements of structures may have padding
/// (JobBuffer::loose_element: inside an element; with 1, anywhere). A hole that has the shape of padding, and
/// whose bytes still hold the contents of never-written memory, is assumed to be padding that was copied with
/// a structure, and is not an error. If it was stored from registers of 4 bytes or more, it may be an
/// unwritten member, and a warning is reported.
UndefinedOutput undefined_output(const Origins& origins, const Region& region, Address address,
                                 const JobBuffer& buffer);

}  // namespace foldproof::emulated
