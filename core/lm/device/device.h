// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which processor a model runs on. CUDA is loaded at run time, so a machine without a GPU never maps it. Worker thread.

#include "core/base/result.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace headscope::io {
enum class Dtype;
}

namespace headscope::lm {

/// True when libtorch_cuda.so could be loaded and a GPU answers; the first call loads it.
[[nodiscard]] bool cudaAvailable();
/// Whether it reads as a device, here or elsewhere: auto, cpu, cuda, cuda:i, cuda:all; or several GPUs with commas
/// between them and, as the last, cpu. The sentence says what is expected.
[[nodiscard]] Result<void> checkDevice(const std::string& text);
/// The devices of such a text, each once; fails with one sentence for anything else and for a GPU that is not there.
[[nodiscard]] Result<std::vector<at::Device>> parseDevices(const std::string& text);
/// The same where only one will do.
[[nodiscard]] Result<at::Device> parseDevice(const std::string& text);
/// fp32, bf16, fp16; `automatic` stands for auto.
[[nodiscard]] Result<at::ScalarType> parseDtype(const std::string& text, at::ScalarType automatic);
/// The type of stored numbers as libtorch names it; nothing for a type that weights are not computed in.
[[nodiscard]] std::optional<at::ScalarType> scalarType(io::Dtype dtype);
[[nodiscard]] std::string dtypeName(at::ScalarType dtype); ///< "fp32", "bf16", "fp16"
[[nodiscard]] std::string deviceName(const at::Device& device);
[[nodiscard]] std::string deviceNames(const std::vector<at::Device>& devices); ///< as parseDevices() reads them
/// Of a text as deviceNames() writes it what decides about numbers: "cpu", "cuda", "cuda,cpu".
[[nodiscard]] std::string deviceKind(const std::string& names);

} // namespace headscope::lm
