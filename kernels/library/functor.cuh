// Our operators as function objects, for libraries.
#pragma once

#include "../reduction_operators.cuh"

/// cooperative_groups::reduce takes a functor of one type parameter for one of its own on that type; this one
/// has two, and CUB asks for neither.
template <typename Op, typename T>
struct Functor {
  __device__ T operator()(T a, T b) const { return Op::apply(a, b); }
};
