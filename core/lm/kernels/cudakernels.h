// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Our own CUDA code, where libheadscope_cuda.so and libheadscope_cudagraphs.so lie beside the program or in the lib
// folder next to it. Worker thread.

#include "core/lm/device/layergraphs.h"

#include <ATen/core/Tensor.h>

namespace headscope::lm {

/// True when the library of kernels is there and has the functions asked for; the first call looks for it.
[[nodiscard]] bool cudaKernelsAvailable();

/// selectiveScan on CUDA tensors without gradients, as in mamba1.h; `state` becomes the state after the last position.
/// Call only when cudaKernelsAvailable(). A launch that fails throws, as ATen's own do.
[[nodiscard]] at::Tensor cudaSelectiveScan(const at::Tensor& x, const at::Tensor& dt, const at::Tensor& a,
                                           const at::Tensor& b, const at::Tensor& c, at::Tensor& state);

/// Records into CUDA graphs, which share their memory for what is temporary. Empty where the library or the GPU is not
/// there.
[[nodiscard]] Recorder cudaRecorder(const at::Device& device);

} // namespace headscope::lm
