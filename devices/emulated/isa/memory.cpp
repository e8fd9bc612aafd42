// Valid forms of memory instructions, and the combining functions of atomics.
#include <bit>

#include "devices/emulated/isa/bits.h"
#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/double.h"
#include "devices/emulated/isa/half.h"
#include "devices/emulated/isa/integer.h"
#include "devices/emulated/isa/lanes.h"
#include "devices/emulated/isa/select.h"

namespace foldproof::isa::select {
namespace {

using enum Type;

/// Strong accesses have a scope, except volatile ones, and do not access constant or param space.
bool ordering_exists(const Form& form, Semantics strongest) {
  const Semantics semantics = form.semantics;
  const bool scoped = semantics == Semantics::relaxed || semantics == strongest;
  const bool unscoped =
      semantics == Semantics::none || semantics == Semantics::weak || semantics == Semantics::volatile_;
  if (!scoped && !unscoped) return false;
  if (scoped != (form.scope != Scope::none)) return false;
  if (form.has("mmio") && (semantics != Semantics::relaxed || form.scope != Scope::sys)) return false;
  const bool strong = scoped || semantics == Semantics::volatile_;
  return !strong || (form.space != StateSpace::constant && form.space != StateSpace::param);
}

/// At most 128 bits, or 256 as eight words or four double words.
bool vector_exists(const Form& form) {
  const unsigned bits = isa::bits_of(form.type) * form.vector;
  return bits <= 128 || (bits == 256 && form.vector > 2);
}

bool is_global(const Form& form) {
  return form.space == StateSpace::global || form.space == StateSpace::none;
}

}  // namespace

bool load(Form& form) { return ordering_exists(form, Semantics::acquire) && vector_exists(form); }
bool store(Form& form) {
  return ordering_exists(form, Semantics::release) && vector_exists(form) &&
         form.space != StateSpace::constant;
}
bool load_global(Form& form) { return is_global(form) && vector_exists(form); }

bool aligned(Form& form) {
  form.aligned = true;
  return true;
}

namespace {

/// Wraps a pure function on values as a Combine on bits.
template <class T, auto f>
std::uint64_t combine(std::uint64_t old, std::uint64_t b, std::uint64_t) {
  using U = lanes::Bits<T>;
  return std::bit_cast<U>(f(std::bit_cast<T>(static_cast<U>(old)), std::bit_cast<T>(static_cast<U>(b))));
}

template <class U>
std::uint64_t compare_and_swap(std::uint64_t old, std::uint64_t b, std::uint64_t c) {
  return static_cast<U>(old) == static_cast<U>(b) ? c : old;
}
std::uint64_t exchange(std::uint64_t, std::uint64_t b, std::uint64_t) { return b; }

std::uint32_t increment(std::uint32_t old, std::uint32_t limit) { return old >= limit ? 0 : old + 1; }
std::uint32_t decrement(std::uint32_t old, std::uint32_t limit) {
  return old == 0 || old > limit ? limit : old - 1;
}

float add_f32(float a, float b) { return canonical(a + b); }
/// Atomics on global memory flush subnormals.
float add_f32_flushed(float a, float b) { return flush(canonical(flush(a) + flush(b))); }

template <class H>
H min_half(H a, H b) {
  return narrow<H>(f32::min(to_float(a), to_float(b)));
}
template <class H>
H max_half(H a, H b) {
  return narrow<H>(f32::max(to_float(a), to_float(b)));
}

/// One atomic operation on one type.
struct Operation {
  AtomicKind kind;
  Type type;
  Combine global, shared;
};

constexpr Operation same(AtomicKind kind, Type type, Combine combine) {
  return {kind, type, combine, combine};
}

template <class H>
inline constexpr Combine add_halves = &combine<Pair<H>, &integer::both<&half::add<H>, H>>;
template <class H>
inline constexpr Combine min_halves = &combine<Pair<H>, &integer::both<&min_half<H>, H>>;
template <class H>
inline constexpr Combine max_halves = &combine<Pair<H>, &integer::both<&max_half<H>, H>>;

constexpr Operation operations[] = {
    same(AtomicKind::and_, b32, &combine<std::uint32_t, &bits::and_<std::uint32_t>>),
    same(AtomicKind::and_, b64, &combine<std::uint64_t, &bits::and_<std::uint64_t>>),
    same(AtomicKind::or_, b32, &combine<std::uint32_t, &bits::or_<std::uint32_t>>),
    same(AtomicKind::or_, b64, &combine<std::uint64_t, &bits::or_<std::uint64_t>>),
    same(AtomicKind::xor_, b32, &combine<std::uint32_t, &bits::xor_<std::uint32_t>>),
    same(AtomicKind::xor_, b64, &combine<std::uint64_t, &bits::xor_<std::uint64_t>>),
    same(AtomicKind::add, u32, &combine<std::uint32_t, &integer::add<std::uint32_t>>),
    same(AtomicKind::add, s32, &combine<std::uint32_t, &integer::add<std::uint32_t>>),
    same(AtomicKind::add, u64, &combine<std::uint64_t, &integer::add<std::uint64_t>>),
    {AtomicKind::add, f32, &combine<float, &add_f32_flushed>, &combine<float, &add_f32>},
    same(AtomicKind::add, f64, &combine<double, &f64::add<Rounding::rn>>),
    same(AtomicKind::add, f16, &combine<Half, &half::add<Half>>),
    same(AtomicKind::add, bf16, &combine<Bfloat, &half::add<Bfloat>>),
    same(AtomicKind::add, f16x2, add_halves<Half>),
    same(AtomicKind::add, bf16x2, add_halves<Bfloat>),
    same(AtomicKind::inc, u32, &combine<std::uint32_t, &increment>),
    same(AtomicKind::dec, u32, &combine<std::uint32_t, &decrement>),
    same(AtomicKind::min, u32, &combine<std::uint32_t, &integer::min<std::uint32_t>>),
    same(AtomicKind::min, u64, &combine<std::uint64_t, &integer::min<std::uint64_t>>),
    same(AtomicKind::min, s32, &combine<std::int32_t, &integer::min<std::int32_t>>),
    same(AtomicKind::min, s64, &combine<std::int64_t, &integer::min<std::int64_t>>),
    same(AtomicKind::min, f16, &combine<Half, &min_half<Half>>),
    same(AtomicKind::min, bf16, &combine<Bfloat, &min_half<Bfloat>>),
    same(AtomicKind::min, f16x2, min_halves<Half>),
    same(AtomicKind::min, bf16x2, min_halves<Bfloat>),
    same(AtomicKind::max, u32, &combine<std::uint32_t, &integer::max<std::uint32_t>>),
    same(AtomicKind::max, u64, &combine<std::uint64_t, &integer::max<std::uint64_t>>),
    same(AtomicKind::max, s32, &combine<std::int32_t, &integer::max<std::int32_t>>),
    same(AtomicKind::max, s64, &combine<std::int64_t, &integer::max<std::int64_t>>),
    same(AtomicKind::max, f16, &combine<Half, &max_half<Half>>),
    same(AtomicKind::max, bf16, &combine<Bfloat, &max_half<Bfloat>>),
    same(AtomicKind::max, f16x2, max_halves<Half>),
    same(AtomicKind::max, bf16x2, max_halves<Bfloat>),
};

bool combined(Form& form, Combine global, Combine shared) {
  form.combine = global;
  form.combine_shared = shared;
  return global != nullptr;
}

bool choose_operation(Form& form) {
  for (const Operation& operation : operations)
    if (operation.kind == form.atomic && operation.type == form.type)
      return combined(form, operation.global, operation.shared);
  return false;
}

bool is_half(Type type) { return type == f16 || type == bf16 || type == f16x2 || type == bf16x2; }

/// Vectors consist of f32 or 16-bit floats, up to 128 bits, in global memory. Scalar 16-bit floats support
/// only add.
bool elements_exist(const Form& form) {
  if (is_half(form.type) != form.has("noftz")) return false;
  if (form.vector == 1) return !is_half(form.type) || form.atomic == AtomicKind::add;
  const bool type_exists = form.type == f32 || is_half(form.type);
  return type_exists && is_global(form) && isa::bits_of(form.type) * form.vector <= 128;
}

bool is_shared(const Form& form) {
  return form.space == StateSpace::shared_cta || form.space == StateSpace::shared_cluster;
}

bool atomic_semantics_exist(const Form& form) {
  return form.semantics != Semantics::weak && form.semantics != Semantics::volatile_ &&
         form.semantics != Semantics::sc;
}
bool atomic_exists(const Form& form) {
  return atomic_semantics_exist(form) && (is_global(form) || is_shared(form));
}

}  // namespace

bool atomic(Form& form) {
  if (!atomic_exists(form) || !elements_exist(form)) return false;
  if (form.atomic == AtomicKind::exch)
    return form.vector == 1 && bytes_of(form.type) >= 4 && combined(form, &exchange, &exchange);
  return choose_operation(form);
}

bool atomic_cas(Form& form) {
  const auto swap = [&] {
    switch (bytes_of(form.type)) {
      case 2: return &compare_and_swap<std::uint16_t>;
      case 4: return &compare_and_swap<std::uint32_t>;
      default: return &compare_and_swap<std::uint64_t>;
    }
  }();
  return atomic_exists(form) && combined(form, swap, swap);
}

bool reduction(Form& form) {
  if (form.semantics == Semantics::acquire || form.semantics == Semantics::acq_rel) return false;
  return form.atomic != AtomicKind::exch && atomic(form);
}

namespace {

bool folded(Form& form, Combine combine) { return combined(form, combine, combine); }

/// Each thread contributes 0 or 1.
bool fold_votes(Form& form) {
  const bool counts = form.has("popc");
  if (counts != (form.type == u32)) return false;
  if (counts) return folded(form, &combine<std::uint32_t, &integer::add<std::uint32_t>>);
  return folded(form, form.has("and") ? &combine<std::uint32_t, &bits::and_<std::uint32_t>>
                                      : &combine<std::uint32_t, &bits::or_<std::uint32_t>>);
}

/// f32 extrema across a warp: NaNs are ignored, or propagate (.NaN); a NaN result is canonical.
template <auto f, bool absolute>
float fold_f32(float a, float b) {
  return absolute ? canonical(f(f32::abs(a), f32::abs(b))) : canonical(f(a, b));
}
template <auto f>
bool choose_fold_f32(Form& form) {
  return folded(form, form.abs ? &combine<float, &fold_f32<f, true>> : &combine<float, &fold_f32<f, false>>);
}

}  // namespace

bool barrier_reduce(Form& form) { return fold_votes(form); }
bool bar_reduce(Form& form) {
  form.aligned = true;
  return fold_votes(form);
}

bool redux(Form& form) {
  if (form.atomic == AtomicKind::inc || form.atomic == AtomicKind::dec || form.atomic == AtomicKind::exch)
    return false;
  return choose_operation(form);
}
bool redux_f32(Form& form) {
  if (form.has("min"))
    return form.nan ? choose_fold_f32<&f32::min_nan>(form) : choose_fold_f32<&f32::min>(form);
  return form.nan ? choose_fold_f32<&f32::max_nan>(form) : choose_fold_f32<&f32::max>(form);
}

/// The default of fence is .acq_rel.
bool fence(Form& form) {
  if (form.semantics == Semantics::none) form.semantics = Semantics::acq_rel;
  return form.semantics >= Semantics::acquire;
}
/// membar is fence.sc from sm_70 on.
bool membar(Form& form) {
  form.semantics = Semantics::sc;
  return true;
}

bool async_copy(Form& form) { return form.space == StateSpace::shared_cta; }

/// barrier.cluster: by default arrive releases and wait acquires; .relaxed overrides it.
bool cluster_arrive(Form& form) {
  if (form.semantics == Semantics::none) form.semantics = Semantics::release;
  return form.semantics == Semantics::release || form.semantics == Semantics::relaxed;
}
bool cluster_wait(Form& form) {
  if (form.semantics == Semantics::none) form.semantics = Semantics::acquire;
  return form.semantics == Semantics::acquire;
}

bool mbarrier(Form& form) {
  return atomic_semantics_exist(form) && (form.space == StateSpace::none || is_shared(form));
}

}  // namespace foldproof::isa::select
