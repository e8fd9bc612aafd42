#include "sanitizer/generator.h"

#include <array>
#include <bit>
#include <random>
#include <vector>

namespace foldproof::sanitizer_tests {
namespace {

/// Threads: bit b of `blocks`, bit w of `warps`, bit l of `lanes`.
struct Team {
  std::uint32_t blocks = ~0U, warps = ~0U, lanes = ~0U;
};

constexpr unsigned flags = 2;
constexpr unsigned flag_offset = 64, row_offset = 256;  // in both memories; the data is at 0 … 15

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  RandomProgram program() {
    blocks_ = 1 + below(3);
    clustered_ = blocks_ == 2 && below(3) == 0;
    constexpr std::array<unsigned, 9> sizes{8, 32, 32, 40, 64, 64, 72, 96, 128};
    threads_ = sizes[below(sizes.size())];
    warps_ = (threads_ + 31) / 32;
    line(
        ".shared .align 128 .b8 box[4096]; mov.u32 %r50, box; mov.u64 %rd50, buffer0; shr.u32 %r51, tid, 5; "
        "mov.b32 %r60, 0;");
    if (clustered_)
      line(
          "mov.u32 %r52, %cluster_ctarank; xor.b32 %r52, %r52, 1; "
          "mapa.shared::cluster.u32 %r53, %r50, %r52;");
    else
      line("mov.u32 %r53, %r50;");
    const unsigned steps = 3 + below(10);
    for (unsigned k = 0; k < steps; ++k) step();
    if (clustered_) line("barrier.cluster.arrive; barrier.cluster.wait;");  // no block exits early
    RandomProgram made;
    made.body = "\n" + text_;
    made.setting.buffers = {zeros(8192)};
    made.setting.grid = {blocks_, 1, 1};
    made.setting.block = {threads_, 1, 1};
    if (clustered_) made.setting.cluster = {2, 1, 1};
    constexpr std::array<const char*, 5> names{"converging", "lanes-forward", "lanes-backward",
                                               "warps-backward", "random:"};
    const std::string order = names[below(names.size())];
    made.setting.schedule = schedule_named(order == "random:" ? order + std::to_string(below(1000)) : order);
    return made;
  }

 private:
  unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }
  template <class... T>
  std::string one_of(T... choices) {
    const std::array<std::string, sizeof...(T)> all{choices...};
    return all[below(all.size())];
  }
  void line(const std::string& text) { text_ += text + "\n"; }

  std::uint32_t few(unsigned of) { return one_in(3) ? ~0U : 1U << below(of); }
  Team team() {
    Team t;
    t.blocks = few(blocks_);
    t.warps = few(warps_);
    switch (below(4)) {
      case 0: break;
      case 1: t.lanes = 3U << below(7); break;
      case 2: t.lanes = static_cast<std::uint32_t>(random_()) & 0xff; break;
      default: t.lanes = 1U << below(8);
    }
    return t;
  }
  Team single() { return {1U << below(blocks_), 1U << below(warps_), 1U << below(4)}; }

  // %p1: whether the thread belongs to the team.
  void choose(const Team& t) {
    line(fmt::format(
        "shr.u32 %r1, {}, cta; shr.u32 %r2, {}, %r51; shr.u32 %r3, {}, lane; and.b32 %r1, %r1, %r2; "
        "and.b32 %r1, %r1, %r3; and.b32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0;",
        t.blocks, t.warps, t.lanes));
  }
  // The team's instruction, guarded or in a branch.
  void by(const Team& t, const std::string& instruction) {
    choose(t);
    if (one_in(2))
      line("@%p1 " + instruction);
    else
      line(fmt::format("@!%p1 bra skip{0};\n{1}\nskip{0}:", labels_++, instruction));
  }

  void step() {
    switch (below(12)) {
      case 0: return barrier();
      case 1: return warp_barrier();
      case 2: return by(team(), fence());
      case 3: return raise();
      case 4: return await(team_for_waiting(), below(flags));
      case 5:
        if (clustered_) return cluster_barrier();
        return counted_barrier();
      case 6:
        if (one_in(4)) return leave();
        return row_access();
      case 7: return row_access();
      default: return access();
    }
  }

  std::string scope() { return one_of("cta", "gpu", "gpu", "sys", "cluster"); }
  std::string fence() {
    if (one_in(2)) return one_of("membar.cta;", "membar.gl;", "membar.sys;");
    return one_of("fence.acq_rel.", "fence.sc.", "fence.") + scope() + ";";
  }

  /// A base register and its state space.
  struct Memory {
    std::string space, base;
  };
  Memory memory() {
    if (one_in(2)) return {"global", "%rd50"};
    if (clustered_ && one_in(2)) return {"shared::cluster", "%r53"};
    return {"shared", "%r50"};
  }

  // A word of the given width, for .b8 … .b64.
  std::string access_to(const Memory& m, const std::string& address, unsigned bytes) {
    const std::string type = fmt::format(".b{}", bytes * 8), space = "." + m.space;
    const std::string reg = bytes == 8 ? "%rd10" : bytes == 4 ? "%r10" : "%h10";
    const std::string at = "[" + address + "]";
    switch (below(bytes >= 4 ? 12 : 9)) {
      case 0:
      case 1:
      case 2: return "ld" + one_of("", ".weak") + space + type + " " + reg + ", " + at + ";";
      case 3:
      case 4: return "st" + space + type + " " + at + ", " + value(bytes) + ";";
      case 5: return "ld.volatile" + space + type + " " + reg + ", " + at + ";";
      case 6: return "st.volatile" + space + type + " " + at + ", " + value(bytes) + ";";
      case 7:
        return "ld." + one_of("relaxed.", "acquire.") + scope() + space + type + " " + reg + ", " + at + ";";
      case 8:
        return "st." + one_of("relaxed.", "release.") + scope() + space + type + " " + at + ", " +
               value(bytes) + ";";
      default: return update(m, address, bytes);
    }
  }

  std::string update(const Memory& m, const std::string& address, unsigned bytes) {
    const std::string type = bytes == 8 ? ".u64" : ".u32", reg = bytes == 8 ? "%rd10" : "%r10";
    const std::string rest = "." + m.space + ".add" + type;
    if (one_in(3)) return "red." + one_of("relaxed.", "release.") + scope() + rest + " [" + address + "], 1;";
    return "atom." + one_of("relaxed.", "acquire.", "release.", "acq_rel.") + scope() + rest + " " + reg +
           ", [" + address + "], 1;";
  }

  std::string value(unsigned bytes) {
    if (one_in(3)) return "0";
    if (one_in(2)) return std::to_string(1 + below(100));
    return bytes == 8 ? "mine8" : bytes == 4 ? "tid" : "%h1";
  }

  // One address for all lanes, or one of a few, depending on the lane.
  void access() {
    const unsigned bytes = 1U << below(4);
    const Memory m = memory();
    const bool wide = m.space == "global";
    if (one_in(3)) {  // depends on the lane
      const unsigned mask = std::max(1U, 16 / bytes - 1);
      line(fmt::format(
          "and.b32 %r4, lane, {}; mul.lo.u32 %r4, %r4, {}; cvt.u64.u32 %rd4, %r4; add.u32 %r5, {}, %r4; "
          "add.u64 %rd5, %rd50, %rd4; cvt.u16.u32 %h1, tid;",
          mask, bytes, wide ? "%r50" : m.base));
      return by(team(), access_to(m, wide ? "%rd5" : "%r5", bytes));
    }
    line("cvt.u16.u32 %h1, tid;");
    if (one_in(12)) return peek();
    by(team(), access_to(m, fmt::format("{}+{}", m.base, below(16 / bytes) * bytes), bytes));
  }

  // Reads a flag, or updates it without changing its value.
  void peek() {
    const std::string at = fmt::format("[%rd50+{}]", flag_offset + 8 * below(flags));
    const std::string semantics = one_of("relaxed.", "acquire.", "release.", "acq_rel.") + scope();
    switch (below(5)) {
      case 0: return by(team(), "ld.weak.global.u32 %r10, " + at + ";");
      case 1:
        return by(team(), "ld." + one_of("relaxed.", "acquire.") + scope() + ".global.u32 %r10, " + at + ";");
      case 2: return by(team(), "ld.volatile.global.u16 %h10, " + at + ";");
      case 3:
        return by(team(),
                  "red." + one_of("relaxed.", "release.") + scope() + ".global.add.u32 " + at + ", 0;");
      default: return by(team(), "atom." + semantics + ".global.add.u32 %r10, " + at + ", 0;");
    }
  }

  // All lanes access adjacent elements, as in most kernels; sometimes vectors.
  void row_access() {
    const unsigned bytes = 4U << below(3), shift = one_in(4) ? 16 : 0;
    const Memory m = memory();
    const bool wide = m.space == "global";
    Team t;
    t.blocks = few(blocks_);
    t.warps = few(warps_);
    line(fmt::format(
        "mul.lo.u32 %r4, {}, {}; add.u32 %r4, %r4, {}; cvt.u64.u32 %rd4, %r4; add.u32 %r5, {}, %r4; "
        "add.u64 %rd5, %rd50, %rd4;",
        one_in(2) ? "tid" : "lane", bytes, row_offset + shift, wide ? "%r50" : m.base));
    const std::string at = wide ? "%rd5" : "%r5", space = "." + m.space;
    if (bytes == 16)
      return by(t, one_in(2) ? "ld" + space + ".v4.b32 {%r10, %r11, %r12, %r13}, [" + at + "];"
                             : "st" + space + ".v4.b32 [" + at + "], {0, " + value(4) + ", 0, 1};");
    if (one_in(6)) return by(t, access_to(m, at, bytes));
    const std::string type = fmt::format(".b{}", bytes * 8);
    by(t, one_in(2) ? "ld" + space + type + (bytes == 8 ? " %rd10" : " %r10") + ", [" + at + "];"
                    : "st" + space + type + " [" + at + "], " + value(bytes) + ";");
  }

  void barrier() { line(one_of("bar.sync 0;", "barrier.sync 0;", "bar.sync 0;")); }

  // Some warps wait, others may arrive without waiting. Each such barrier uses a different number.
  void counted_barrier() {
    if (next_barrier_ > 15) return barrier();
    std::uint32_t sync = 0, arrive = 0;
    for (unsigned w = 0; w < warps_; ++w) {
      if (gone_ >> w & 1) continue;
      const unsigned role = below(3);
      if (role == 0) arrive |= 1U << w;
      if (role == 1) sync |= 1U << w;
    }
    if (sync == 0) return barrier();
    const int threads = 32 * (std::popcount(sync) + std::popcount(arrive));
    by_warps(arrive, fmt::format("barrier.arrive {}, {};", next_barrier_, threads));
    by_warps(sync, fmt::format("barrier.sync {}, {};", next_barrier_, threads));
    ++next_barrier_;
  }
  void by_warps(std::uint32_t warps, const std::string& instruction) {
    if (warps != 0) by({~0U, warps, ~0U}, instruction);
  }

  void warp_barrier() {
    if (one_in(3)) return line("bar.warp.sync 0xffffffff;");
    Team t;
    t.warps = few(warps_);
    t.lanes = one_in(2) ? 0xff : 1 + (static_cast<std::uint32_t>(random_()) & 0xfe);
    by(t, fmt::format("bar.warp.sync {};", t.lanes));
  }

  void cluster_barrier() {
    if (one_in(3)) line(one_of("fence.acq_rel.cluster;", "fence.acq_rel.cta;", "fence.sc.gpu;"));
    line(one_of("barrier.cluster.arrive;", "barrier.cluster.arrive.release;",
                "barrier.cluster.arrive.relaxed;"));
    if (one_in(2)) access();
    line(one_of("barrier.cluster.wait;", "barrier.cluster.wait.acquire;"));
  }

  // Lanes exit. Of each warp, only a part exits: counted barriers wait for every warp.
  void leave() {
    Team t = team();
    if (clustered_) t.blocks = ~0U;
    if (one_in(3) && warps_ > 1) {
      t = {~0U, 1U << below(warps_), ~0U};
      gone_ |= t.warps;
    } else {
      t.lanes &= ~15U;  // lanes that signal and wait must stay
    }
    choose(t);
    // At the end of a program with clusters, no block exits before the others have finished using its memory.
    if (clustered_) return;
    line("@%p1 exit;");
  }

  Team team_for_waiting() {
    Team t = single();
    if (one_in(3)) t.lanes = 3U << below(3);
    return t;
  }

  // Waits until the flag has been set as often as the previous steps do.
  void await(const Team& t, unsigned flag) {
    if (raised_[flag] == 0) return access();
    const std::string how = one_of("volatile", "relaxed.gpu", "relaxed.cta", "acquire.gpu", "acquire.cta",
                                   "weak", "relaxed.sys", "acquire.cluster");
    choose(t);
    line(fmt::format(
        "@!%p1 bra skip{0};\nspin{0}:\nld.{1}.global.u32 %r20, [%rd50+{2}];\nsetp.lt.u32 %p2, %r20, "
        "{3}; @%p2 bra spin{0};\nskip{0}:",
        labels_, how, flag_offset + 8 * flag, raised_[flag]));
    ++labels_;
    if (one_in(2)) by(t, fence());
  }

  void raise() {
    const unsigned flag = below(flags);
    Team t = single();
    if ((gone_ & t.warps) != 0 || ((threads_ - 1) / 32 == static_cast<unsigned>(std::countr_zero(t.warps)) &&
                                   threads_ % 32 != 0 && threads_ % 32 < 8))
      return access();
    if (raised_[flag] != 0) await(t, flag);
    if (one_in(2)) by(t, fence());
    const std::string at = fmt::format(".global.u32 [%rd50+{}], ", flag_offset + 8 * flag);
    const std::string value = std::to_string(++raised_[flag]);
    const std::string returns = fmt::format("u32 %r10, [%rd50+{}], ", flag_offset + 8 * flag);
    switch (below(6)) {
      case 0: return by(t, "st" + one_of("", ".volatile") + at + value + ";");
      case 1: return by(t, "st.relaxed." + scope() + at + value + ";");
      case 2: return by(t, "st.release." + scope() + at + value + ";");
      case 3:
        return by(t, "atom." + one_of("relaxed.", "release.", "acq_rel.") + scope() +
                         ".global.exch.b32 %r10, [%rd50+" + std::to_string(flag_offset + 8 * flag) + "], " +
                         value + ";");
      case 4:
        return by(t, "red." + one_of("relaxed.", "release.") + scope() + ".global.add" + at.substr(7) + "1;");
      default:
        return by(t, "atom." + one_of("relaxed.", "acquire.", "release.", "acq_rel.") + scope() +
                         ".global.add." + returns + "1;");
    }
  }

  std::mt19937_64 random_;
  std::string text_;
  std::uint32_t blocks_ = 1, threads_ = 32, warps_ = 1;
  bool clustered_ = false;
  unsigned labels_ = 0, next_barrier_ = 1;
  std::uint32_t gone_ = 0;  // warps that may have exited
  std::array<unsigned, flags> raised_{};
};

}  // namespace

RandomProgram random_program(std::uint64_t seed) { return Generator(seed).program(); }

}  // namespace foldproof::sanitizer_tests
