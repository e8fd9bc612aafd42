// Our operators as function objects, for libraries.
#pragma once

#include "../reduction_operators.cuh"

/// cooperative_groups::reduce assumes that a functor with one type parameter is one of its own; this one has
/// two parameters, and CUB requires neither.
template <typename Op, typename T>
struct Functor {
  __device__ T operator()(T a, T b) const { return Op::apply(a, b); }
};
