// Runs one split: registers only where it can, the rest by the functions of access.cpp and synchronise.cpp.
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "devices/emulated/machine/grid.h"

namespace foldproof::machine {
namespace {

// What a poll costs of a time slice besides itself: who waits for others shall soon make room for them.
constexpr std::uint64_t poll_cost = 2048;
// Of an H200: multiprocessors, warps that each can hold, and the unit of shared memory that it gives to
// blocks.
constexpr std::uint32_t multiprocessors = 132, warps_each = 64;
constexpr std::uint32_t shared_unit = 128;
constexpr std::uint32_t deepest_call = 1024;
constexpr std::uint32_t largest_stack = 512 << 10;  // bytes of local memory a thread

// Which lanes a guard lets through.
LaneMask guarded(std::byte* registers, const Instruction& i, LaneMask lanes) {
  if (i.guard == isa::no_operand) return lanes;
  const LaneMask predicate = isa::mask(registers, i.guard);
  return lanes & (i.guard_negated ? ~predicate : predicate);
}

// Whether the instruction is one that programs repeat until another thread has done something: a strong load,
// an exchange, a wait for an mbarrier.
bool polls(const Instruction& i) {
  switch (i.action) {
    case Action::load:
      return i.form->semantics == isa::Semantics::volatile_ || i.form->semantics == isa::Semantics::relaxed ||
             i.form->semantics == isa::Semantics::acquire;
    case Action::atomic:
      return i.form->atomic == isa::AtomicKind::cas || i.form->atomic == isa::AtomicKind::exch;
    case Action::mbarrier: return i.operand[0] != isa::no_operand;
    default: return i.action == Action::nanosleep;
  }
}

// Copies the columns of `lanes` from slot to slot: arguments on the way in, results on the way out.
void copy_slot(std::byte* to, const Slot& target, const std::byte* from, const Slot& source, LaneMask lanes) {
  const std::uint32_t chunks = (std::min(target.bytes, source.bytes) + 3) / 4;
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk)
    for (unsigned lane = 0; lane < isa::warp_size; ++lane)
      if (lanes >> lane & 1)
        std::memcpy(to + target.offset + chunk * 128 + lane * 4,
                    from + source.offset + chunk * 128 + lane * 4, 4);
}

}  // namespace

Grid::Slice Grid::run_split(Warp& warp, std::size_t index, std::uint64_t quantum) {
  Split* split = &warp.splits[index];
  std::byte* registers = split->frame->registers();
  const Instruction* code = split->frame->code->instructions.data();
  std::uint32_t pc = split->pc;
  std::uint64_t uncounted = quantum;
  auto count = [&] {
    report_.warp_instructions += uncounted - quantum;
    uncounted = quantum;
  };
  auto leave_with = [&](Slice how) {
    count();
    return how;
  };
  auto charge = [&](const Instruction& i) {
    if (!polls(i)) return;
    count();
    waited_ += poll_cost;
    uncounted = quantum -= std::min(quantum, poll_cost);
  };
  for (;;) {
    const Instruction& i = code[pc];
    if (quantum == 0) {
      split->pc = pc;
      ++split->turn;
      return leave_with(Slice::expired);
    }
    const LaneMask active = guarded(registers, i, split->lanes);
    if (i.action == Action::compute) {
      --quantum;
      if (active != 0) i.compute(registers, i, active);
      ++pc;
      continue;
    }
    if (i.action == Action::join) {
      split->pc = pc;
      if (!arrive_at_join(warp, index)) return leave_with(Slice::blocked);
      if (split->pc == pc) continue;
      pc = split->pc;
      continue;
    }
    --quantum;
    if (active == 0) {
      ++pc;
      continue;
    }
    switch (i.action) {
      case Action::special:
        count();  // clocks read what was executed
        read_special(warp, *split, i, active);
        ++pc;
        continue;
      case Action::frame_address:
        read_frame_address(*split, i, active);
        ++pc;
        continue;
      case Action::load:
        split->pc = pc;
        load(warp, *split, i, active);
        charge(i);
        ++pc;
        continue;
      case Action::store:
        split->pc = pc;
        store(warp, *split, i, active);
        ++pc;
        continue;
      case Action::atomic:
      case Action::reduction:
        split->pc = pc;
        atomic(warp, *split, i, active);
        charge(i);
        ++pc;
        continue;
      case Action::async_copy:
        async_copy(warp, *split, i, active);
        ++pc;
        continue;
      case Action::mbarrier:
        mbarrier(warp, *split, i, active);
        charge(i);
        ++pc;
        continue;
      case Action::cluster_rank:
        read_cluster_rank(warp, *split, i, active);
        ++pc;
        continue;
      case Action::activemask:
        for (unsigned lane = 0; lane < isa::warp_size; ++lane)
          if (active >> lane & 1) isa::row<std::uint32_t>(registers, i.operand[0])[lane] = active;
        ++pc;
        continue;
      case Action::prefetch:
      case Action::async_commit:
      case Action::async_wait:
      case Action::fence:
      case Action::pause: ++pc; continue;
      case Action::branch:
        if (active == split->lanes) {
          pc = i.target;
          continue;
        }
        split->pc = pc;
        diverge(warp, *split, i, active);
        split = &warp.splits[index];
        ++pc;
        continue;
      default: break;
    }
    // What is left may end, move or park the split, or end the launch: it needs its place, and all its lanes
    // to take part.
    split->pc = pc;
    count();
    const std::size_t acting = active == split->lanes ? index : separate(warp, index, active);
    switch (i.action) {
      case Action::nanosleep:
        charge(i);
        warp.splits[acting].pc = pc + 1;
        ++warp.splits[acting].turn;
        return leave_with(Slice::expired);
      case Action::branch_indexed: branch_indexed(warp, acting, i); return leave_with(Slice::expired);
      case Action::call: call(warp, acting, i); break;
      case Action::ret: return_lanes(warp, acting); return leave_with(Slice::expired);
      case Action::exit: exit_lanes(warp, acting, active); return leave_with(Slice::ended);
      case Action::trap: {
        Finding finding = make_finding(Kind::crash, i, "the kernel executed a trap");
        finding.threads.push_back(thread(warp, static_cast<unsigned>(std::countr_zero(active))));
        end(std::move(finding));
      }
      case Action::unsupported:
        throw Unsupported(fmt::format("the emulated device does not know {}", program_.unsupported[i.target]),
                          program_.position(i));
      case Action::builtin:
        builtin(warp, warp.splits[acting], i, active);
        ++warp.splits[acting].pc;
        break;
      case Action::barrier_sync:
      case Action::barrier_arrive:
      case Action::barrier_reduce: barrier(warp, acting); return leave_with(Slice::blocked);
      case Action::cluster_arrive:
        ++warp.splits[acting].pc;
        cluster_arrive(warp, active);
        return leave_with(Slice::expired);  // whoever waited may run now and have moved this split
      case Action::cluster_wait:
        if (!cluster_wait(warp, acting)) return leave_with(Slice::blocked);
        break;
      case Action::shuffle:
      case Action::vote:
      case Action::match:
      case Action::warp_reduce:
      case Action::elect:
      case Action::warp_sync:
      case Action::load_matrix:
      case Action::store_matrix:
      case Action::matrix_multiply:
        if (!meet(warp, acting)) return leave_with(Slice::blocked);
        break;
      default: throw Unsupported("an instruction without an executor", program_.position(i));
    }
    if (acting != index || index >= warp.splits.size()) return leave_with(Slice::expired);
    split = &warp.splits[index];
    if (split->state != Split::State::ready) return leave_with(Slice::blocked);
    registers = split->frame->registers();
    code = split->frame->code->instructions.data();
    pc = split->pc;
  }
}

// Lanes `taken` become a split of their own at the branch's target; the others stay.
void Grid::diverge(Warp& warp, Split& split, const Instruction& i, LaneMask taken) {
  const bool known = split.join && split.join->pc == i.join && split.join->frame == split.frame;
  if (i.join != isa::no_operand && !known)
    split.join = warp.new_join(i.join, split.frame, split.lanes, split.join);
  Split other = split;
  other.lanes = taken;
  other.pc = i.target;
  split.lanes &= ~taken;
  warp.splits.push_back(other);
}

// Splits off the lanes that a guard lets through; the rest goes on behind the instruction. Returns the index
// of the split that acts, which keeps its place.
std::size_t Grid::separate(Warp& warp, std::size_t index, LaneMask lanes) {
  Split rest = warp.splits[index];
  rest.lanes &= ~lanes;
  ++rest.pc;
  warp.splits[index].lanes = lanes;
  warp.splits.push_back(rest);
  return index;
}

// Lanes other than `lanes` become a split of their own at the same place, which goes after these.
void Grid::restrict_to(Warp& warp, std::size_t index, LaneMask lanes) {
  if (warp.splits[index].lanes == lanes) return;
  Split others = warp.splits[index];
  others.lanes &= ~lanes;
  warp.splits[index].lanes = lanes;
  warp.splits.push_back(others);
}

void Grid::branch_indexed(Warp& warp, std::size_t index, const Instruction& i) {
  const auto& targets = program_.details[i.detail].targets;
  Split split = warp.splits[index];
  const auto* selector = isa::row<std::uint32_t>(split.frame->registers(), i.operand[0]);
  const bool known = split.join && split.join->pc == i.join && split.join->frame == split.frame;
  if (i.join != isa::no_operand && !known)
    split.join = warp.new_join(i.join, split.frame, split.lanes, split.join);
  LaneMask left = split.lanes;
  bool first = true;
  while (left != 0) {
    const std::uint32_t value = selector[std::countr_zero(left)];
    if (value >= targets.size())
      end(make_finding(Kind::crash, i,
                       fmt::format("an indexed branch selects target {} of {}", value, targets.size())));
    Split part = split;
    part.lanes = 0;
    part.pc = targets[value];
    for (unsigned lane = 0; lane < isa::warp_size; ++lane)
      if ((left >> lane & 1) && selector[lane] == value) part.lanes |= LaneMask{1} << lane;
    left &= ~part.lanes;
    if (first)
      warp.splits[index] = part;
    else
      warp.splits.push_back(part);
    first = false;
  }
}

// True when the split may go on (its pc is then past this join, or at it for the enclosing one); false when
// it waits here or was merged into another split.
bool Grid::arrive_at_join(Warp& warp, std::size_t index) {
  Split& split = warp.splits[index];
  Join* join = split.join;
  if (!join || join->pc != split.pc || join->frame != split.frame) {
    ++split.pc;
    return true;
  }
  join->arrived |= split.lanes;
  if (join->arrived == split.lanes && join->expected == split.lanes) {
    split.join = join->parent;
    warp.release_join(join);
    return true;
  }
  split.state = Split::State::joining;
  if (join->arrived == join->expected) warp.open(join);
  return false;
}

void Grid::exit_lanes(Warp& warp, std::size_t index, LaneMask lanes) {
  ++changes_;
  Join* join = warp.splits[index].join;
  Frame* frame = warp.splits[index].frame;
  warp.splits.erase(warp.splits.begin() + static_cast<std::ptrdiff_t>(index));
  while (join) {
    Join* parent = join->parent;
    warp.leave(join, lanes);
    join = parent;
  }
  // exit may end a lane in the middle of calls.
  while (frame) {
    Frame* parent = frame->parent;
    frame->lanes -= static_cast<std::uint32_t>(std::popcount(lanes));
    if (frame->lanes == 0) warp.release_frame(frame);
    frame = parent;
  }
  warp.exited |= lanes;
  recheck_after_exit(warp);
}

// The function that the first lane calls, and in `same` the lanes that call it too.
const Code& Grid::callee(const Split& split, const Instruction& i, LaneMask& same) {
  const Detail& detail = program_.details[i.detail];
  if (detail.function != isa::no_operand) return program_.functions[detail.function];
  const auto* target = isa::row<std::uint64_t>(split.frame->registers(), i.operand[0]);
  const std::uint64_t address = target[std::countr_zero(split.lanes)];
  for (unsigned lane = 0; lane < isa::warp_size; ++lane)
    if ((same >> lane & 1) && target[lane] != address) same &= ~(LaneMask{1} << lane);
  const std::uint64_t number = (address - function_window) / function_stride;
  if (address < function_window || address % function_stride != 0 || number >= program_.functions.size())
    end(make_finding(Kind::crash, i,
                     fmt::format("an indirect call goes to {:#x}, where no function is", address)));
  return program_.functions[number];
}

void Grid::call(Warp& warp, std::size_t index, const Instruction& i) {
  const Detail& detail = program_.details[i.detail];
  LaneMask lanes = warp.splits[index].lanes;
  const Code& code = callee(warp.splits[index], i, lanes);
  restrict_to(warp, index, lanes);
  Split& split = warp.splits[index];
  Frame* caller = split.frame;
  if (code.parameters.size() != detail.arguments.size() || code.returns.size() != detail.returns.size())
    end(make_finding(Kind::crash, i,
                     fmt::format("{} is called with {} arguments and takes {}", code.name,
                                 detail.arguments.size(), code.parameters.size())));
  const std::uint32_t local_base = (caller->local_base + caller->code->local_bytes + 15) / 16 * 16;
  if (caller->depth == deepest_call || local_base + code.local_bytes > largest_stack)
    end(make_finding(Kind::crash, i,
                     fmt::format("the stack overflows: calls are {} deep and use {} bytes", caller->depth + 1,
                                 local_base)));
  if (code.local_bytes != 0) warp.reserve_local(lanes, local_base + code.local_bytes);
  Frame* frame = warp.new_frame(code);
  frame->parent = caller;
  frame->return_pc = split.pc + 1;
  frame->call_detail = i.detail;
  frame->local_base = local_base;
  frame->depth = caller->depth + 1;
  frame->lanes = static_cast<std::uint32_t>(std::popcount(lanes));
  for (std::size_t k = 0; k < detail.arguments.size(); ++k)
    copy_slot(frame->registers(), code.parameters[k], caller->registers(), detail.arguments[k], lanes);
  split.join = warp.new_join(split.pc + 1, caller, lanes, split.join);
  split.frame = frame;
  split.pc = 0;
}

void Grid::return_lanes(Warp& warp, std::size_t index) {
  const LaneMask lanes = warp.splits[index].lanes;
  Frame* frame = warp.splits[index].frame;
  // Joins inside the function wait for these lanes no longer.
  Join* join = warp.splits[index].join;
  std::vector<Join*> left;
  while (join && join->frame == frame) {
    left.push_back(join);
    join = join->parent;
  }
  Split& split = warp.splits[index];
  Frame* caller = frame->parent;
  const Detail& detail = program_.details[frame->call_detail];
  for (std::size_t k = 0; k < detail.returns.size(); ++k)
    copy_slot(caller->registers(), detail.returns[k], frame->registers(), frame->code->returns[k], lanes);
  split.frame = caller;
  split.pc = frame->return_pc;
  split.join = join;
  frame->lanes -= static_cast<std::uint32_t>(std::popcount(lanes));
  if (frame->lanes == 0) warp.release_frame(frame);
  for (Join* inner : left) warp.leave(inner, lanes);
}

// getctarank: the rank that a shared address carries; 0 in its field means the executing block's own.
void Grid::read_cluster_rank(const Warp& warp, const Split& split, const Instruction& i,
                             LaneMask lanes) const {
  std::byte* registers = split.frame->registers();
  const unsigned bytes = isa::bytes_of(i.form->type);
  for (unsigned lane = 0; lane < isa::warp_size; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    std::uint32_t address = 0;  // the low half holds the rank, generic addresses included
    std::memcpy(&address, registers + i.operand[1] + lane * bytes, sizeof address);
    const std::uint32_t field = address >> isa::shared_rank_shift;
    isa::row<std::uint32_t>(registers, i.operand[0])[lane] = field == 0 ? warp.block->rank : field - 1;
  }
}

void Grid::read_frame_address(const Split& split, const Instruction& i, LaneMask lanes) const {
  const Detail& detail = program_.details[i.detail];
  const std::uint64_t address = split.frame->local_base + static_cast<std::uint64_t>(detail.displacement);
  for (unsigned lane = 0; lane < isa::warp_size; ++lane)
    if (lanes >> lane & 1)
      std::memcpy(split.frame->registers() + i.operand[0] + lane * detail.register_bytes, &address,
                  detail.register_bytes);
}

namespace {

std::uint32_t component(const Dim3& d, unsigned k) { return k == 0 ? d.x : k == 1 ? d.y : d.z; }

Dim3 divide(const Dim3& a, const Dim3& b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
Dim3 modulo(const Dim3& a, const Dim3& b) { return {a.x % b.x, a.y % b.y, a.z % b.z}; }

unsigned offset_in_triple(SpecialRegister id, SpecialRegister first) {
  return static_cast<unsigned>(id) - static_cast<unsigned>(first);
}

}  // namespace

// Those that differ from lane to lane.
std::optional<std::uint64_t> Grid::special_of_lane(const Warp& warp, SpecialRegister special,
                                                   unsigned lane) const {
  using R = SpecialRegister;
  const LaneMask bit = LaneMask{1} << lane;
  const std::uint64_t thread = warp.index * std::uint64_t{isa::warp_size} + lane;
  switch (special) {
    case R::tid_x: return threads_[thread].x;
    case R::tid_y: return threads_[thread].y;
    case R::tid_z: return threads_[thread].z;
    case R::laneid: return lane;
    case R::lanemask_eq: return bit;
    case R::lanemask_lt: return bit - 1;
    case R::lanemask_le: return bit | (bit - 1);
    case R::lanemask_gt: return ~(bit | (bit - 1));
    case R::lanemask_ge: return ~(bit - 1);
    default: return std::nullopt;
  }
}

std::uint64_t Grid::shared_memory_used() const {
  const std::uint64_t bytes = std::uint64_t{program_.shared_static_bytes(entry_)} + shape_.shared_bytes;
  return (bytes + shared_unit - 1) / shared_unit * shared_unit;
}

// Those that all lanes of a warp share.
std::uint64_t Grid::special_of_warp(const Warp& warp, SpecialRegister special) const {
  using R = SpecialRegister;
  const Block& block = *warp.block;
  const bool clustered = shape_.cluster.x != 0;
  const Dim3 cluster = clustered ? shape_.cluster : Dim3{1, 1, 1};
  // The clock counts the warp instructions of the launch: the same on every host.
  const std::uint64_t clock = report_.warp_instructions;
  const auto triple = [&](R first, const Dim3& d) -> std::uint64_t {
    return component(d, offset_in_triple(special, first));
  };
  switch (special) {
    case R::ntid_x:
    case R::ntid_y:
    case R::ntid_z: return triple(R::ntid_x, shape_.block);
    case R::ctaid_x:
    case R::ctaid_y:
    case R::ctaid_z: return triple(R::ctaid_x, block.index);
    case R::nctaid_x:
    case R::nctaid_y:
    case R::nctaid_z: return triple(R::nctaid_x, shape_.grid);
    case R::warpid: return warp.index;
    case R::nwarpid: return warps_each;
    case R::smid: return block.linear % multiprocessors;
    case R::nsmid: return multiprocessors;
    case R::gridid: return 1;
    case R::cluster_ctaid_x:
    case R::cluster_ctaid_y:
    case R::cluster_ctaid_z: return triple(R::cluster_ctaid_x, modulo(block.index, cluster));
    case R::cluster_nctaid_x:
    case R::cluster_nctaid_y:
    case R::cluster_nctaid_z: return triple(R::cluster_nctaid_x, cluster);
    case R::clusterid_x:
    case R::clusterid_y:
    case R::clusterid_z: return triple(R::clusterid_x, divide(block.index, cluster));
    case R::nclusterid_x:
    case R::nclusterid_y:
    case R::nclusterid_z: return triple(R::nclusterid_x, divide(shape_.grid, cluster));
    case R::cluster_ctarank: return block.rank;
    case R::cluster_nctarank: return cluster.volume();
    case R::is_explicit_cluster: return clustered;
    case R::clock:
    case R::globaltimer_lo: return clock & 0xffffffff;
    case R::clock_hi:
    case R::globaltimer_hi: return clock >> 32;
    case R::clock64:
    case R::globaltimer: return clock;
    case R::dynamic_smem_size: return shape_.shared_bytes;
    case R::total_smem_size: return shared_memory_used();
    case R::aggr_smem_size: return shared_memory_used() + reserved_shared_bytes;
    case R::reserved_smem_begin:
    case R::reserved_smem_0: return reserved_shared_address;
    case R::reserved_smem_1: return reserved_shared_address + reserved_shared_bytes / 2;
    case R::reserved_smem_end: return reserved_shared_address + reserved_shared_bytes;
    case R::reserved_smem_cap: return reserved_shared_bytes;
    case R::envreg1: return workspace_ >> 32;
    case R::envreg2: return workspace_ & 0xffffffff;
    default: return 0;
  }
}

void Grid::read_special(const Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  const Detail& detail = program_.details[i.detail];
  if (detail.special >= SpecialRegister::clock && detail.special <= SpecialRegister::globaltimer_hi)
    ++changes_;
  const bool per_lane = special_of_lane(warp, detail.special, 0).has_value();
  const std::uint64_t shared = per_lane ? 0 : special_of_warp(warp, detail.special);
  std::byte* registers = split.frame->registers();
  if (detail.register_bytes == 0) {
    LaneMask& mask = isa::mask(registers, i.operand[0]);
    mask = shared != 0 ? mask | lanes : mask & ~lanes;
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint64_t value = per_lane ? *special_of_lane(warp, detail.special, lane) : shared;
    std::memcpy(registers + i.operand[0] + lane * detail.register_bytes, &value, detail.register_bytes);
  }
}

}  // namespace foldproof::machine
