// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/device/device.h"

#include "core/io/safetensorsheader.h"

#include <ATen/Context.h>
#include <dlfcn.h>

#include <charconv>

namespace headscope::lm {

bool cudaAvailable()
{
    static const bool available = [] {
        // Needs the driver; without it the large library is not even opened.
        if (!dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL))
            return false;
        return dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) != nullptr && at::hasCUDA();
    }();
    return available;
}

Result<at::Device> parseDevice(const std::string& text)
{
    if (text == "cpu")
        return at::Device(at::kCPU);
    if (text == "auto")
        return at::Device(cudaAvailable() ? at::kCUDA : at::kCPU,
                          cudaAvailable() ? at::DeviceIndex(0) : at::DeviceIndex(-1));
    int index = 0;
    if (text != "cuda") {
        const char* end = text.data() + text.size();
        if (!text.starts_with("cuda:") || std::from_chars(text.data() + 5, end, index).ptr != end || index < 0
            || text.size() == 5)
            return inputError("The device '" + text + "' is not known; expected auto, cpu, cuda or cuda:i.");
    }
    if (!cudaAvailable())
        return inputError("The device '" + text + "' is not available: no NVIDIA GPU was found; use cpu.");
    const auto count = at::detail::getCUDAHooks().deviceCount();
    if (index >= count)
        return inputError("There is no device '" + text + "'; this machine has " + std::to_string(count) + " GPU(s).");
    return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(index));
}

Result<at::ScalarType> parseDtype(const std::string& text, at::ScalarType automatic)
{
    if (text == "auto")
        return automatic;
    if (text == "fp32")
        return at::kFloat;
    if (text == "bf16")
        return at::kBFloat16;
    if (text == "fp16")
        return at::kHalf;
    return inputError("The dtype '" + text + "' is not known; expected auto, fp32, bf16 or fp16.");
}

std::optional<at::ScalarType> scalarType(io::Dtype dtype)
{
    switch (dtype) {
    case io::Dtype::F32: return at::kFloat;
    case io::Dtype::F16: return at::kHalf;
    case io::Dtype::BF16: return at::kBFloat16;
    case io::Dtype::F64: return at::kDouble;
    default: return {};
    }
}

std::string dtypeName(at::ScalarType dtype)
{
    return dtype == at::kBFloat16 ? "bf16" : dtype == at::kHalf ? "fp16" : "fp32";
}

std::string deviceName(const at::Device& device)
{
    return device.str();
}

} // namespace headscope::lm
