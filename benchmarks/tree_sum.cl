// The tree sum of kernels/tree/sequential.cu in OpenCL C, one element per work-item.
kernel void sequential(global const float* input, global float* partials, ulong count, local float* values) {
  const ulong i = get_global_id(0);
  const uint thread = get_local_id(0);
  values[thread] = i < count ? input[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    if (thread < half_size) values[thread] += values[thread + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (thread == 0) partials[get_group_id(0)] = values[0];
}
