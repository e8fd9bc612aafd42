// Where a job's undefined bits came from.
//
//   Undefined bits arise where memory is read that was never written, where a variable has no value, and
//   where a shuffle has no source. Copying and discarding them is no fault; letting them decide an address, a
//   branch or an output is.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/emulated/state/places.h"
#include "devices/emulated/state/undefined_bits.h"
#include "devices/undefined.h"
#include "sanitizer/finding.h"

namespace foldproof::emulated {

/// Where undefined bits came from.
struct Origin {
  Kind kind = Kind::uninitialized_read;
  Position at;                     ///< of a variable: its first reader
  std::optional<ThreadId> thread;  ///< of a variable: none
  std::string what;                ///< "4 bytes of the shared tile that were never written"
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
  std::map<Place, Stored> stored;     ///< says nothing of bytes whose bits are defined by now
  std::optional<UndefinedFill> fill;  ///< see emulated::JobRun
  UseOfUndefined use;
};

/// A finding that `what` depends on undefined bits.
Finding undefined_finding(const Origin& origin, const Position& at, const ThreadId& who,
                          std::string_view what);

}  // namespace foldproof::emulated
