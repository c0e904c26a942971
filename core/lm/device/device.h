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

/// Returns whether libtorch_cuda.so could be loaded and a GPU responds; the first call loads it.
[[nodiscard]] bool cudaAvailable();
/// Checks the syntax of a device, which need not exist here: auto, cpu, cuda, cuda:i, cuda:all, or several GPUs
/// separated by commas, optionally followed by cpu. The error says what is expected.
[[nodiscard]] Result<void> checkDevice(const std::string& text);
/// Returns the devices of such a text, each once; fails with one sentence for invalid text and for a missing GPU.
[[nodiscard]] Result<std::vector<at::Device>> parseDevices(const std::string& text);
/// Returns the device where only one is allowed.
[[nodiscard]] Result<at::Device> parseDevice(const std::string& text);
/// Parses fp32, bf16 or fp16; auto returns `automatic`.
[[nodiscard]] Result<at::ScalarType> parseDtype(const std::string& text, at::ScalarType automatic);
/// Returns libtorch's name of a stored number type; nothing for a type in which weights cannot be computed.
[[nodiscard]] std::optional<at::ScalarType> scalarType(io::Dtype dtype);
[[nodiscard]] std::string dtypeName(at::ScalarType dtype); ///< "fp32", "bf16", "fp16"
[[nodiscard]] std::string deviceName(const at::Device& device);
[[nodiscard]] std::string deviceNames(const std::vector<at::Device>& devices); ///< in the syntax of parseDevices()
/// Reduces the output of deviceNames() to the kinds that affect numerical results: "cpu", "cuda", "cuda,cpu".
[[nodiscard]] std::string deviceKind(const std::string& names);

} // namespace headscope::lm
