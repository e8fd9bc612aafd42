// One launch of one kernel: blocks, warps and splits take turns until all have ended.
//
//   Grid ─ window of resident blocks ─ Block ─ warps ─ Warp ─ splits ─ Split
//
//   At every level whoever runs does so for a quantum at most, so that spin locks, look-back scans and grid
//   barriers make progress. Blocks enter in order through a bounded window, as on hardware; only a
//   cooperative launch has all of them resident.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "devices/emulated/machine/access.h"
#include "devices/emulated/machine/barrier.h"
#include "devices/emulated/machine/memory.h"
#include "devices/emulated/machine/program.h"
#include "devices/emulated/machine/warp.h"
#include "devices/launch.h"
#include "devices/order.h"
#include "sanitizer/observer.h"

namespace foldproof::machine {

struct Cluster;

struct Block {
  Dim3 index;
  std::uint64_t linear = 0;
  Cluster* cluster = nullptr;
  std::uint32_t rank = 0;  ///< in its cluster
  BlockNumber number = 0;  ///< as observers know it: those of a cluster follow each other
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<std::byte> shared;
  std::vector<std::byte> shared_defined;  ///< its map of defined bits, where definedness is tracked
  std::array<Barrier, 16> barriers;
  std::uint32_t barriers_in_use = 0;  ///< bit b: somebody has come to barrier b
  unsigned live_warps = 0;
  unsigned next_warp = 0;
  bool started = false;
};

/// Blocks that run at the same time and reach each other's shared memory; a cluster of one without `cluster`.
struct Cluster {
  std::uint64_t number = 0;
  Dim3 index;
  std::vector<std::unique_ptr<Block>> blocks;
  std::uint64_t phase = 0;        ///< barriers completed
  std::vector<LaneMask> arrived;  ///< by block and warp
  unsigned live_blocks = 0;
};

/// Ends a launch from the inside: a trap, an exhausted budget, a deadlock. The finding has been made.
struct LaunchEnded {};

class Grid final : private Scene {
 public:
  Grid(const Program& program, const Code& entry, Memory& memory, const LaunchShape& shape,
       std::vector<std::byte> parameters, const Schedule& schedule, const Limits& limits,
       const Observers& observers, Origins* origins, Provenance* provenance);
  LaunchReport run();

 private:
  using Members = std::span<const std::size_t>;                 ///< indices of the splits that meet
  enum class Slice : std::uint8_t { blocked, expired, ended };  ///< how a time slice came to its end

  // grid.cpp: who runs
  void admit();
  void run_blocks();
  std::unique_ptr<Cluster> new_cluster(std::uint64_t number);
  void start(Block& block);
  void retire(std::size_t resident);
  bool run_block(Block& block);
  Slice run_warp(Warp& warp, std::uint64_t quantum);
  std::uint64_t time() const { return report_.warp_instructions + waited_; }
  Split* choose(Warp& warp) {
    if (warp.splits.size() != 1) return choose_among(warp);
    Split& only = warp.splits.front();
    if (only.state == Split::State::joining) return choose_among(warp);
    return only.state == Split::State::ready ? &only : nullptr;
  }
  Split* choose_among(Warp& warp);
  bool impatient(const Split& joining, const Split& ready);
  std::uint64_t quantum(std::uint64_t usual) {
    return schedule_.order != Schedule::Order::random ? usual : random_quantum(usual);
  }
  std::uint64_t random_quantum(std::uint64_t usual);
  bool lane_by_lane() const;
  void divide_at_random(Warp& warp, std::size_t index);
  [[noreturn]] void report_timeout(const Warp& warp);

  // deadlock.cpp: when nobody can ever go on
  void watch_for_livelock();
  bool everybody_runs_in_circles();
  bool runs_in_a_circle(Warp& warp, std::size_t index);
  [[noreturn]] void report_deadlock(Kind kind, const char* how);
  void describe_waiters(const Block& block, std::vector<std::string>& who, std::vector<ThreadId>& threads,
                        const Instruction*& first) const;

  // execute.cpp: one split
  Slice run_split(Warp& warp, std::size_t index, std::uint64_t quantum);
  template <bool tracks, bool counts, bool follows>
  Slice run_split(Warp& warp, std::size_t index, std::uint64_t quantum);
  bool execute_in_place(Warp& warp, const Split& split, const Instruction& instruction, LaneMask lanes);
  std::optional<Slice> execute_moving(Warp& warp, std::size_t index, const Instruction& instruction,
                                      LaneMask lanes);
  [[noreturn]] void trap(const Warp& warp, const Instruction& instruction, LaneMask lanes);
  static void read_activemask(const Split& split, const Instruction& instruction, LaneMask lanes);
  void read_cluster_rank(const Warp& warp, const Split& split, const Instruction& instruction,
                         LaneMask lanes) const;
  void read_frame_address(const Split& split, const Instruction& instruction, LaneMask lanes) const;

  // divergence.cpp: splits divide, meet again and end
  void diverge(Warp& warp, std::size_t index, const Instruction& instruction, LaneMask taken);
  void branch_indexed(Warp& warp, std::size_t index, const Instruction& instruction);
  void separate(Warp& warp, std::size_t index, LaneMask lanes);
  static void restrict_to(Warp& warp, std::size_t index, LaneMask lanes);
  bool arrive_at_join(Warp& warp, std::size_t index);
  void exit_lanes(Warp& warp, std::size_t index, LaneMask lanes);
  void recheck_after_exit(Warp& warp);

  // calls.cpp
  void call(Warp& warp, std::size_t index, const Instruction& instruction);
  const Code& callee(const Split& split, const Instruction& instruction, LaneMask& same);
  void return_lanes(Warp& warp, std::size_t index);

  // special_registers.cpp
  const std::uint32_t* special_of_lanes(const Warp& warp, SpecialRegister special) const;
  std::uint64_t special_of_place(const Block& block, SpecialRegister special) const;
  std::uint64_t special_of_warp(const Warp& warp, SpecialRegister special) const;
  std::uint64_t shared_memory_used() const;
  void read_special(const Warp& warp, const Split& split, const Instruction& instruction, LaneMask lanes);

  // access.cpp: memory
  void load(Warp& warp, const Split& split, const Instruction& instruction, LaneMask lanes);
  void store(Warp& warp, const Split& split, const Instruction& instruction, LaneMask lanes);
  void atomic(Warp& warp, const Split& split, const Instruction& instruction, LaneMask lanes);
  void slot_access(const Split& split, const Instruction& instruction, LaneMask lanes) const;
  void load_parameter(const Split& split, const Instruction& instruction, LaneMask lanes);
  void find_addresses(Access& access, const Detail::Address& address);

  // resolve.cpp: where addresses lead
  Region region(Warp& warp, isa::StateSpace space, std::uint64_t address, unsigned lane);
  Region local_region(Warp& warp, unsigned lane, std::uint64_t begin) const;
  Region shared_region(Block& block, std::uint64_t address, std::uint64_t origin);
  void find_common(Access& access);  // sets host and defined
  void find_common_shared(Access& access) const;
  void resolve(Access& access, const char* what, std::uint32_t alignment);  // sets good and hosts
  void report_access(Kind kind, const Access& access, LaneMask lanes, const std::string& sentence);
  static isa::StateSpace owner(isa::StateSpace space, std::uint64_t address);
  static bool writable(isa::StateSpace space, std::uint64_t address);
  std::string describe_address(isa::StateSpace space, std::uint64_t address, std::uint32_t bytes) const;

  // matrices.cpp
  void matrix_access(Warp& warp, const Split& split, const Instruction& instruction, LaneMask lanes);

  // mbarrier.cpp
  void mbarrier(Warp& warp, const Split& split, const Instruction& instruction, LaneMask lanes);
  void announce_mbarrier(const Access& access);

  // async_copies.cpp
  void async_copy(Warp& warp, const Split& split, const Instruction& instruction, LaneMask lanes);
  void announce_copy(const Warp& warp, const CopyUnderWay& copy, LaneMask lanes);
  void read_source(Access& source, CopyUnderWay& copy);
  void leave_undelivered(const Warp& warp, const CopyUnderWay& copy, unsigned lane);
  static void close_group(Warp& warp, LaneMask lanes);
  void wait_for_copies(Warp& warp, const Split& split, const Instruction& instruction, LaneMask lanes);
  void deliver(Warp& warp, LaneMask lanes, const std::array<std::uint32_t, isa::warp_size>& last);

  // undefined.cpp: bits that nobody determined
  bool tracks() const { return origins_ != nullptr; }
  const Filling& filling() const { return filling_; }
  /// Of undefined bits: a variable without a value, or not.
  enum class Source : bool { elsewhere, variable };
  /// The origin of an instruction's undefined bits; what() puts it into words when it is the first time.
  template <class What>
  OriginId origin_at(Kind kind, const Instruction& instruction, const Warp& warp, unsigned lane,
                     const What& what, Source source = Source::elsewhere) {
    const auto [known, is_new] = origin_sites_.try_emplace({kind, instruction.site, source}, 0);
    if (is_new) {
      known->second = static_cast<OriginId>(origins_->all.size());
      Origin& origin = origins_->all.emplace_back();
      origin = {kind, program_.position(instruction), {}, what()};
      if (source != Source::variable) origin.thread = thread(warp, lane);
    }
    return known->second;
  }
  void begin_undefined(const Warp& warp, Frame& frame, LaneMask lanes);
  void spread(Frame& frame, const Instruction& instruction, LaneMask split_lanes, LaneMask lanes);
  void check_sink(const Warp& warp, const Frame& frame, const Instruction& instruction, std::uint32_t row,
                  LaneMask lanes, const char* what);
  void report_undefined(const Warp& warp, const Instruction& instruction, unsigned lane, OriginId origin,
                        const char* what);
  void note_compared(Frame& frame, const Instruction& instruction, LaneMask lanes);
  void check_choice(const Warp& warp, const Frame& frame, const Instruction& instruction, std::uint32_t row,
                    LaneMask lanes, const char* what);
  void note_load(Access& access);

  // undefined_memory.cpp: between registers and memory
  /// Bytes of memory, by address and by their map of defined bits.
  struct Bytes {
    isa::StateSpace space;
    std::uint64_t address;
    std::byte* defined;
    std::uint32_t count;
  };
  Place place(const Warp& warp, isa::StateSpace space, std::uint64_t address, unsigned lane) const;
  void forget_stored(const Block& block);
  void taint_loaded(const Access& access);
  OriginId origin_of_loaded(const Warp& warp, const Instruction& instruction, unsigned lane,
                            const Bytes& from);
  void store_bits(const Warp& warp, const Instruction& instruction, unsigned lane, const Bytes& to,
                  const std::byte* undefined, OriginId origin);
  void store_undefined(const Warp& warp, const Instruction& instruction, unsigned lane, const Bytes& to,
                       OriginId origin);
  void note_store(Access& access);
  void store_definedness(Access& access);
  std::byte* map_of(const Access& access, unsigned lane);
  std::byte* make_map(const Access& access, unsigned lane);
  void atomic_definedness(Access& access, unsigned lane);
  void slot_definedness(const Split& split, const Instruction& instruction, LaneMask lanes) const;
  void shuffle_definedness(const Warp& warp, Members members, const Split& split, LaneMask present,
                           const std::array<std::uint8_t, isa::warp_size>& from);
  void gather_definedness(const Warp& warp, Members members, std::size_t source, bool bitwise);
  void matrix_definedness(const Warp& warp, Frame& frame, const Instruction& instruction, std::uint32_t row,
                          std::uint32_t column, unsigned giver, const Bytes& memory);
  static void define_results(Frame& frame, const Instruction& instruction, LaneMask lanes);

  // follow.cpp: what values are made of
  /// Expressions that are not the whole truth are of no use: no more is added to them.
  bool follows() const { return provenance_ && !provenance_->expressions.gap(); }
  void compute_followed(Frame& frame, const Instruction& instruction, LaneMask lanes);
  void follow_operation(Frame& frame, const Instruction& instruction, const Node& operation, LaneMask lanes);
  void follow_wiring(Frame& frame, const Instruction& instruction, LaneMask lanes);
  void follow_bytes(Frame& frame, const Instruction& instruction, LaneMask lanes);
  void set_values(const Frame& frame, const Instruction& instruction, LaneMask lanes);
  void follow_choice(Frame& frame, const Instruction& instruction, LaneMask lanes);
  void follow_decision(const Frame& frame, std::uint32_t row, LaneMask lanes);
  void follow_votes(const Warp& warp, Members members, std::size_t source);
  std::array<NodeId, isa::warp_size> held_by(const Warp& warp, Members members, std::size_t source) const;
  NodeId reduced(const Warp& warp, Members members);

  // follow_memory.cpp
  void follow_load(const Access& access);
  void follow_store(const Access& access);
  void follow_atomic(const Access& access, unsigned lane, std::uint32_t k, std::uint64_t now);
  struct Value {
    NodeId node;
    std::uint64_t bits;
  };
  NodeId swapped(NodeId stored, NodeId expected, NodeId found, std::uint32_t bytes);
  NodeId combined(const Value& old, const Value& given, std::uint64_t now, const isa::Form& form,
                  std::uint32_t bytes, bool flushes);
  void follow_slot(const Split& split, const Instruction& instruction, LaneMask lanes) const;
  void follow_source(const Access& source, CopyUnderWay& copy, unsigned lane, std::uint32_t bytes);
  void follow_delivery(const Warp& warp, const CopyUnderWay& copy, unsigned lane);
  void make_of(const Place& to, NodeId node, std::uint32_t bytes, std::uint64_t bits);
  NodeId address_node(const Access& access, unsigned lane) const;

  // announce.cpp: for observers
  static AccessEvent event_of(const Warp& warp, const AccessManner& manner, const Addresses& at,
                              LaneMask lanes) {
    AccessEvent event;
    static_cast<AccessManner&>(event) = manner;
    event.warp = id(warp);
    event.lanes = lanes;
    event.consecutive = at.consecutive;
    event.at = at.at.data();
    return event;
  }
  static AccessEvent event_of(const Access& access) {
    return event_of(access.warp, access.detail.manner, access.at, access.good);
  }
  bool watched() const { return !observers_.empty(); }
  bool counts() const { return !of_executions_.empty(); }
  bool watches_accesses() const { return !of_accesses_.empty(); }
  void announce_execution(const Warp& warp, const Split& split, const Instruction& instruction,
                          LaneMask active);
  void announce_division(const Warp& warp, const Split& split, const Instruction& instruction);
  void announce_access(const Warp& warp, isa::StateSpace space, const Addresses& at, AccessEvent& event);
  void announce_access(const Access& access, AccessEvent& event) {
    announce_access(access.warp, access.space, access.at, event);
  }
  struct SharedPlace {
    BlockNumber block;
    std::uint64_t offset;
  };
  SharedPlace shared_place(const Warp& warp, std::uint64_t address) const;
  void announce_shared(const Warp& warp, AccessEvent& event, LaneMask lanes);
  void announce_store(const Access& access);
  void announce_run_store(const Access& access, const std::byte* memory, const std::byte* registers);
  void announce_fence(const Warp& warp, const Instruction& instruction, LaneMask lanes);
  void announce_barrier(const Warp& warp, const Split& split, std::uint32_t number, std::uint32_t threads);
  void announce_untold(Block& block, std::uint32_t number);
  void announce_untold();
  void announce_completion(Block& block, std::uint32_t number);
  void announce_arrival(const Warp& warp, const Split& split, const Instruction& instruction);
  void announce_meeting(const Warp& warp, Members members);
  void announce_departure(const Warp& warp, const Split& split, LaneMask behind);
  static bool only_ends(const Code& code, std::uint32_t pc);
  void announce_cluster_arrival(const Warp& warp, LaneMask lanes, const Instruction& instruction);
  void announce_cluster_wait(const Warp& warp, LaneMask lanes, const Instruction& instruction);
  void announce_exit(const Warp& warp, LaneMask lanes);
  static WarpId id(const Warp& warp) { return {warp.block->number, warp.index}; }
  std::uint32_t threads_per_block() const override;
  std::uint32_t blocks_per_cluster() const override;
  std::uint64_t blocks() const override;
  Position position(Site site) const override;
  bool orders_its_own(Site site) const override;
  bool has_plain_strong_accesses() const override;
  InstructionClass class_of(Site site) const override;
  ThreadId thread(WarpId warp, unsigned lane) const override;
  std::string memory_at(bool shared, std::uint64_t address) const override;

  // meetings.cpp: .sync instructions
  bool meet(Warp& warp, std::size_t index);
  void try_meeting(Warp& warp, LaneMask mask, const isa::Form* form);
  void hold_meeting(Warp& warp, Members members);
  static LaneMask lanes_of(const Warp& warp, Members members);
  void shuffle(Warp& warp, Members members);
  void vote(Warp& warp, Members members);
  void match(Warp& warp, Members members);
  void warp_reduce(Warp& warp, Members members);
  void elect(Warp& warp, Members members);
  void whole_warp(Warp& warp, Members members);
  void merge_ready(Warp& warp);

  // block_barriers.cpp
  void barrier(Warp& warp, std::size_t index);
  std::uint32_t barrier_in_register(Warp& warp, std::size_t index);
  void count_votes(const Warp& warp, Barrier& barrier, const Split& split);
  void give_result(const Barrier& barrier, const Split& split) const;
  static bool complete(const Block& block, Barrier& barrier);
  void release(Block& block, unsigned number);

  // cluster_barriers.cpp
  bool cluster_wait(Warp& warp, std::size_t index);
  void cluster_arrive(Warp& warp, const Instruction& instruction, LaneMask lanes);
  void check_cluster(Cluster& cluster);

  // builtins.cpp
  void builtin(Warp& warp, const Split& split, const Instruction& instruction, LaneMask lanes);
  struct Formatted {
    std::string text;
    std::uint32_t arguments = 0;  ///< how many were taken
  };
  Formatted format(Warp& warp, const Instruction& instruction, unsigned lane, std::uint64_t text,
                   std::uint64_t values);
  std::string read_string(Warp& warp, const Instruction& instruction, unsigned lane, std::uint64_t address);
  const std::byte* printed(Warp& warp, const Instruction& instruction, unsigned lane, std::uint64_t address,
                           std::uint32_t bytes);

  // report.cpp
  const Instruction& at(const Split& split) const { return split.frame->code->instructions[split.pc]; }
  Finding make_finding(Kind kind, const Instruction& instruction, const std::string& sentence) const;
  ThreadId thread(const Warp& warp, unsigned lane) const;
  Dim3 block_index(std::uint64_t cluster, std::uint32_t rank) const;
  Dim3 thread_index(std::uint32_t warp, unsigned lane) const;
  [[noreturn]] void end(Finding finding);

  const Program& program_;
  const Code& entry_;
  Memory& memory_;
  const LaunchShape shape_;
  const std::vector<std::byte> parameters_;
  const Schedule schedule_;
  const Limits limits_;
  std::mt19937_64 random_;
  std::vector<Observer*> observers_;  ///< that watch this launch
  // Those of them who want to know of each:
  std::vector<Observer*> of_accesses_;
  std::vector<Observer*> of_barriers_;
  std::vector<Observer*> of_executions_;
  Origins* origins_;        ///< null where definedness is not tracked
  Provenance* provenance_;  ///< null where values are not followed
  const Filling filling_;
  std::map<std::tuple<Kind, Site, Source>, OriginId> origin_sites_;
  std::set<std::pair<Site, OriginId>> reported_sinks_;

  struct SharedRegion {
    std::uint32_t address, bytes, host;
    const SharedVariable* variable;
  };
  std::vector<SharedRegion> shared_;
  std::uint32_t shared_bytes_ = 0;
  std::array<std::vector<std::uint32_t>, 3>
      threads_;  ///< %tid.x, .y and .z by place in the block; whole warps
  std::vector<std::byte> constants_;
  std::uint64_t workspace_ = 0;  ///< what %envreg1/2 point to: the grid barrier's counter

  std::uint64_t clusters_total_ = 0, next_cluster_ = 0;
  std::vector<std::unique_ptr<Cluster>> resident_;
  std::vector<std::unique_ptr<Cluster>> spare_;
  LaunchReport report_;
  std::uint64_t changes_ = 0;  ///< of what others can see: memory, barriers, exits, clocks read
  std::uint64_t reads_ = 0;    ///< loads and atomics
  std::uint64_t changes_before_ = 0, quiet_rounds_ = 0, next_proof_ = 0;
  std::uint64_t waited_ = 0;  ///< time that polls took besides their instructions
  std::set<std::pair<Kind, const Instruction*>> reported_;
};

}  // namespace foldproof::machine
