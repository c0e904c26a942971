// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Headscope's CUDA code, if libheadscope_cuda.so and libheadscope_cudagraphs.so are next to the program or in the
// adjacent lib folder. Worker thread.

#include "core/lm/device/layergraphs.h"

#include <ATen/core/Tensor.h>

namespace headscope::lm {

/// Returns whether the kernel library exists and has the required functions; the first call searches for it.
[[nodiscard]] bool cudaKernelsAvailable();

/// Runs selectiveScan on CUDA tensors without gradients, as in mamba1.h; `state` becomes the state after the last
/// position. Call only if cudaKernelsAvailable(). Throws if the launch fails, like ATen's own functions.
[[nodiscard]] at::Tensor cudaSelectiveScan(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a,
                                           const at::Tensor& b, const at::Tensor& c, at::Tensor& state);

/// Returns a recorder of CUDA graphs, which share memory for temporary tensors. Empty if the library or the GPU is
/// missing.
[[nodiscard]] Recorder cudaRecorder(const at::Device& device);

} // namespace headscope::lm
