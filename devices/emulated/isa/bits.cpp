#include "devices/emulated/isa/bits.h"

#include <cstring>

#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/select.h"
#include "devices/emulated/isa/windows.h"

namespace foldproof::isa::select {
namespace {

using enum Type;

/// The same operation on whole predicate masks, with sources at operands 1 and 2.
template <auto f>
void on_masks(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const auto& operand = instruction.operand;
  if constexpr (requires { f(LaneMask{}); })
    lanes::assign(frame, operand[0], f(mask(frame, operand[1])), lanes);
  else
    lanes::assign(frame, operand[0], f(mask(frame, operand[1]), mask(frame, operand[2])), lanes);
}

/// `Operation` gives the function for masks and for words.
template <class Operation>
bool logic(Form& form, Operation) {
  if (form.type == pred) return computed(form, &on_masks<Operation{}.template operator()<LaneMask>()>);
  return computed_for<b16, b32, b64>(
      form, []<Type t> { return columns<Operation{}.template operator()<Value<t>>()>; });
}

}  // namespace

bool and_(Form& form) {
  return logic(form, []<class T> { return &bits::and_<T>; });
}
bool or_(Form& form) {
  return logic(form, []<class T> { return &bits::or_<T>; });
}
bool xor_(Form& form) {
  return logic(form, []<class T> { return &bits::xor_<T>; });
}
bool not_(Form& form) {
  return logic(form, []<class T> { return &bits::not_<T>; });
}
bool cnot(Form& form) {
  return computed_for<b16, b32, b64>(form, []<Type t> { return columns<&bits::cnot<Value<t>>>; });
}

bool shl(Form& form) {
  return computed_for<b16, b32, b64>(form, []<Type t> { return columns<&bits::shl<Value<t>>>; });
}
bool shr(Form& form) {
  return computed_for<b16, b32, b64, u16, u32, u64, s16, s32, s64>(
      form, []<Type t> { return columns<&bits::shr<Value<t>>>; });
}
bool shf(Form& form) {
  return computed(form, choose_flag(form.has("wrap"), [&]<bool wrap> {
                    return form.has("l") ? columns<&bits::shf_l<wrap>> : columns<&bits::shf_r<wrap>>;
                  }));
}

bool popc(Form& form) {
  return computed_for<b32, b64>(form, []<Type t> { return columns<&bits::popc<Value<t>>>; });
}
bool clz(Form& form) {
  return computed_for<b32, b64>(form, []<Type t> { return each_lane<&bits::clz<Value<t>>>; });
}
bool brev(Form& form) {
  return computed_for<b32, b64>(form, []<Type t> { return each_lane<&bits::brev<Value<t>>>; });
}
bool bfind(Form& form) {
  return computed_for<u32, u64, s32, s64>(form, [&]<Type t> {
    return form.has("shiftamt") ? each_lane<&bits::bfind<Value<t>, true>>
                                : each_lane<&bits::bfind<Value<t>, false>>;
  });
}
bool fns(Form& form) { return computed(form, each_lane<&bits::fns>); }
bool bfe(Form& form) {
  return computed_for<u32, u64, s32, s64>(form, []<Type t> { return each_lane<&bits::bfe<Value<t>>>; });
}
bool bfi(Form& form) {
  return computed_for<b32, b64>(form, []<Type t> { return each_lane<&bits::bfi<Value<t>>>; });
}
bool szext(Form& form) {
  return computed_for<u32, s32>(form, [&]<Type t> {
    return form.has("wrap") ? each_lane<&bits::szext<Value<t>, true>>
                            : each_lane<&bits::szext<Value<t>, false>>;
  });
}
bool bmsk(Form& form) {
  return computed(form, form.has("wrap") ? each_lane<&bits::bmsk<true>> : each_lane<&bits::bmsk<false>>);
}
bool lop3(Form& form) { return computed(form, columns<&bits::lop3>); }

bool prmt(Form& form) {
  using enum bits::Permute;
  if (form.has("f4e")) return computed(form, each_lane<&bits::prmt<f4e>>);
  if (form.has("b4e")) return computed(form, each_lane<&bits::prmt<b4e>>);
  if (form.has("rc8")) return computed(form, each_lane<&bits::prmt<rc8>>);
  if (form.has("ecl")) return computed(form, each_lane<&bits::prmt<ecl>>);
  if (form.has("ecr")) return computed(form, each_lane<&bits::prmt<ecr>>);
  if (form.has("rc16")) return computed(form, each_lane<&bits::prmt<rc16>>);
  return computed(form, each_lane<&bits::prmt<generic>>);
}

namespace {

/// lop3.and/.or: the destination predicate is whether the result is nonzero, combined with the predicate q.
void lop3_and_test(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const std::uint32_t* operand = rows_of(instruction);  // d e a b c lut q
  const auto* a = row<std::uint32_t>(frame, operand[2]);
  const auto* b = row<std::uint32_t>(frame, operand[3]);
  const auto* c = row<std::uint32_t>(frame, operand[4]);
  const auto* lut = row<std::uint32_t>(frame, operand[5]);
  std::uint32_t value[warp_size];
  LaneMask nonzero = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    value[lane] = bits::lop3(a[lane], b[lane], c[lane], lut[lane]);
    nonzero |= LaneMask{value[lane] != 0} << lane;
  }
  const LaneMask q = mask(frame, operand[6]);
  const LaneMask joined = instruction.form->has("and") ? nonzero & q : nonzero | q;
  if (operand[1] != no_operand) lanes::assign(frame, operand[1], joined, lanes);
  if (operand[0] != no_operand) lanes::blend(row<std::uint32_t>(frame, operand[0]), value, lanes);
}

/// The size in bytes of one part of a packing mov.
unsigned part_bytes(const Form& form) { return bytes_of(form.type) / form.vector; }

/// Two or four parts of whole bytes, as in the ISA; .v8 exists only for memory accesses.
bool splits(const Form& form) { return form.vector <= 4 && bytes_of(form.type) % form.vector == 0; }

/// Registers and parts are little-endian: part 0 is the lowest bytes.
void run_pack(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const Form& form = *instruction.form;
  const unsigned bytes = part_bytes(form), whole = bytes * form.vector;
  std::byte value[warp_size * 16];
  for (unsigned part = 0; part < form.vector; ++part) {
    const std::byte* source = frame + instruction.operand[1 + part];
    for (unsigned lane = 0; lane < warp_size; ++lane)
      std::memcpy(value + lane * whole + part * bytes, source + lane * bytes, bytes);
  }
  for_lanes(lanes, [&](unsigned lane) {
    std::memcpy(frame + instruction.operand[0] + lane * whole, value + lane * whole, whole);
  });
}

void run_unpack(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const Form& form = *instruction.form;
  const unsigned bytes = part_bytes(form), whole = bytes * form.vector;
  std::byte value[warp_size * 16];
  std::memcpy(value, frame + instruction.operand[form.vector], warp_size * whole);
  for (unsigned part = 0; part < form.vector; ++part) {
    if (instruction.operand[part] == no_operand) continue;
    std::byte* destination = frame + instruction.operand[part];
    for_lanes(lanes, [&](unsigned lane) {
      std::memcpy(destination + lane * bytes, value + lane * whole + part * bytes, bytes);
    });
  }
}

}  // namespace

bool mov(Form& form) {
  if (form.type == pred) return computed(form, &on_masks<&bits::copy<LaneMask>>);
  return computed(form, choose_size<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, u128>(
                            bytes_of(form.type), []<class T> { return columns<&bits::copy<T>>; }));
}

bool pack(Form& form) { return computed(form, splits(form) ? &run_pack : nullptr); }
bool unpack(Form& form) { return computed(form, splits(form) ? &run_unpack : nullptr); }

namespace {

/// A generic address is the address in its state space plus the base of the space's window.
template <std::uint64_t window>
std::uint64_t to_generic(std::uint64_t a) {
  return a + window;
}
template <std::uint64_t window>
std::uint64_t from_generic(std::uint64_t a) {
  return a - window;
}
template <std::uint64_t window>
bool inside(std::uint64_t a) {
  return (a & ~(window_size - 1)) == window;
}

/// Whether the address is in the shared memory of the block of that rank: without a rank field, or with this
/// rank.
bool inside_own_shared(std::uint64_t a, std::uint32_t rank) {
  const std::uint64_t named = (a & ~shared_offset_mask) - shared_window;
  return (named == 0) | (named == std::uint64_t{rank + 1} << shared_rank_shift);
}
/// Global memory is everything that no other window covers.
bool inside_global(std::uint64_t a) {
  return !inside<shared_window>(a) && !inside<local_window>(a) && !inside<constant_window>(a) &&
         !inside<param_window>(a);
}

/// The same offset in the shared memory of another block of the cluster. A generic address stays in its
/// window.
template <class T>
T of_rank(T a, std::uint32_t rank) {
  const T window = a & static_cast<T>(~(window_size - 1));
  return window | (a & static_cast<T>(shared_offset_mask)) | T{rank + 1} << shared_rank_shift;
}

/// For the spaces that have a window; global memory has the rest of the address space.
template <class F>
Compute choose_window(StateSpace space, F f) {
  switch (space) {
    case StateSpace::shared_cta:
    case StateSpace::shared_cluster: return f.template operator()<shared_window>();
    case StateSpace::local: return f.template operator()<local_window>();
    case StateSpace::constant: return f.template operator()<constant_window>();
    case StateSpace::param: return f.template operator()<param_window>();
    case StateSpace::global:
    case StateSpace::none: return nullptr;
  }
  return nullptr;
}

}  // namespace

bool cvta(Form& form) {
  if (form.space == StateSpace::global) return computed(form, columns<&bits::copy<std::uint64_t>>);
  return computed(form, choose_window(form.space, [&]<std::uint64_t window> {
                    return form.has("to") ? columns<&from_generic<window>> : columns<&to_generic<window>>;
                  }));
}

bool isspacep(Form& form) {
  if (form.space == StateSpace::global) return computed(form, columns<&inside_global>);
  if (form.space == StateSpace::shared_cta) return false;
  return computed(form,
                  choose_window(form.space, []<std::uint64_t window> { return columns<&inside<window>>; }));
}
bool isspacep_own(Form& form) {
  return form.space == StateSpace::shared_cta && computed(form, columns<&inside_own_shared>);
}

bool mapa(Form& form) {
  if (form.space != StateSpace::none && form.space != StateSpace::shared_cluster) return false;
  return computed_for<u32, u64>(form, []<Type t> { return columns<&of_rank<Value<t>>>; });
}

bool lop3_test(Form& form) { return computed(form, &lop3_and_test); }

}  // namespace foldproof::isa::select
