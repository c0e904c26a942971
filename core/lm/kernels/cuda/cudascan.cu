// SPDX-License-Identifier: GPL-3.0-or-later
// Mamba-1's selective scan: a thread keeps the N states of one channel in registers and walks over the positions; the
// block shares B and C, which are the same for all channels of a sample.
#include "cudascan.h"

#include <cuda_runtime.h>

namespace headscope_kernels { // an unnamed one would be named after the folder of the build

constexpr int kThreads = 64;  // channels of a block: many blocks even for one sample
constexpr int kShared = 4096; // numbers of B, and of C, held at a time

template <int kStates> __global__ void __launch_bounds__(kThreads) scan(HeadscopeScan s)
{
    constexpr int kRows = kShared / kStates; // positions of a tile
    __shared__ float b[kShared], c[kShared];
    const std::int64_t sample = blockIdx.y, channel = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    const bool active = channel < s.channels;
    float state[kStates], rate[kStates];
    float* const kept = s.state + (sample * s.channels + channel) * s.states;
#pragma unroll
    for (int n = 0; n < kStates; ++n) {
        const bool used = active && n < s.states;
        state[n] = used ? kept[n] : 0.0F;
        rate[n] = used ? s.a[channel * s.states + n] : 0.0F;
    }
    for (std::int64_t from = 0; from < s.length; from += kRows) {
        const int rows = static_cast<int>(s.length - from < kRows ? s.length - from : kRows);
        const std::int64_t first = (sample * s.length + from) * s.states;
        __syncthreads(); // the tile before is read to its end
        for (int i = threadIdx.x; i < rows * kStates; i += kThreads) {
            const int row = i / kStates, n = i % kStates;
            b[i] = n < s.states ? s.b[first + row * s.states + n] : 0.0F;
            c[i] = n < s.states ? s.c[first + row * s.states + n] : 0.0F;
        }
        __syncthreads();
        for (int row = 0; active && row < rows; ++row) {
            const std::int64_t at = (sample * s.length + from + row) * s.channels + channel;
            const float step = s.dt[at], input = step * s.x[at];
            float sum = 0.0F;
#pragma unroll
            for (int n = 0; n < kStates; ++n) {
                state[n] = expf(step * rate[n]) * state[n] + input * b[row * kStates + n];
                sum += c[row * kStates + n] * state[n];
            }
            s.y[at] = sum;
        }
    }
#pragma unroll
    for (int n = 0; n < kStates; ++n)
        if (active && n < s.states)
            kept[n] = state[n];
}

} // namespace headscope_kernels

extern "C" int headscope_selective_scan(const HeadscopeScan* s)
{
    using namespace headscope_kernels;
    if (s->batch < 1 || s->batch > 65535 || s->length < 1 || s->channels < 1 || s->states < 1 || s->states > 64)
        return cudaErrorInvalidValue;
    if (const cudaError_t set = cudaSetDevice(s->device); set != cudaSuccess)
        return set;
    const dim3 blocks(static_cast<unsigned>((s->channels + kThreads - 1) / kThreads), static_cast<unsigned>(s->batch));
    const auto stream = static_cast<cudaStream_t>(s->stream);
    if (s->states <= 16)
        scan<16><<<blocks, kThreads, 0, stream>>>(*s);
    else
        scan<64><<<blocks, kThreads, 0, stream>>>(*s);
    return cudaGetLastError();
}
