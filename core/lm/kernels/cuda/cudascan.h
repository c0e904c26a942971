// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The one function of libheadscope_cuda.so, a plain CUDA library that is searched for at run time. Worker thread.

#include <cstdint>

extern "C" {

/// Device pointers, fp32, contiguous: x, dt, y [B, T, E]; a [E, N]; b, c [B, T, N]; state [B, E, N], read and replaced.
struct HeadscopeScan {
    const float *x, *dt, *a, *b, *c;
    float *state, *y;
    std::int64_t batch, length, channels;
    int states; ///< at most 64, the number that fits a thread's registers
    int device;
    void* stream; ///< a cudaStream_t; null: the default stream
};

/// Mamba-1's scan (lm::selectiveScan has the formula). Returns after the launch: 0, or a cudaError_t.
int headscope_selective_scan(const HeadscopeScan* scan);
}
