// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/device/device.h"

#include "core/io/safetensors/safetensorsheader.h"

#include <ATen/Context.h>
#include <dlfcn.h>

#include <charconv>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>

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

namespace {

struct DeviceWord {
    enum class Kind { Auto, Cpu, Cuda, EveryCuda } kind = Kind::Auto;
    int index = 0; ///< of Cuda
};

std::optional<DeviceWord> wordOf(const std::string& text)
{
    using enum DeviceWord::Kind;
    static const std::map<std::string, DeviceWord::Kind> kWords = {
        {"auto", Auto}, {"cpu", Cpu}, {"cuda", Cuda}, {"cuda:all", EveryCuda}};
    if (const auto known = kWords.find(text); known != kWords.end())
        return DeviceWord{known->second};
    constexpr std::string_view kIndexed = "cuda:";
    const char *const begin = text.data() + kIndexed.size(), *const end = text.data() + text.size();
    if (!text.starts_with(kIndexed) || text.find_first_not_of("0123456789", kIndexed.size()) != text.npos)
        return {};
    DeviceWord word{Cuda};
    if (std::from_chars(begin, end, word.index).ec != std::errc()
        || word.index > std::numeric_limits<at::DeviceIndex>::max())
        return {};
    return word;
}

Result<std::vector<DeviceWord>> deviceWords(const std::string& text)
{
    std::vector<DeviceWord> words;
    std::string part;
    std::istringstream in(text + ",");
    while (std::getline(in, part, ',')) {
        const auto word = wordOf(part);
        if (!word)
            return inputError("The device '" + part
                              + "' is not known; expected auto, cpu, cuda, cuda:i, cuda:all, or several such as "
                                "cuda:0,cuda:1 or cuda:0,cpu.");
        words.push_back(*word);
    }
    using enum DeviceWord::Kind;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool last = i + 1 == words.size(), alone = words.size() == 1;
        if (words[i].kind == Auto && !alone)
            return inputError("The devices '" + text + "' have auto among them; expected it alone.");
        if (words[i].kind == Cpu && !last)
            return inputError("In the devices '" + text
                              + "' the processor is not the last; it takes the layers that GPUs have no room for.");
        for (std::size_t before = 0; before < i; ++before)
            if (words[i].kind != Cpu
                && (words[i].kind == EveryCuda || words[before].kind == EveryCuda
                    || words[i].index == words[before].index))
                return inputError("The devices '" + text + "' name a GPU twice; expected each once.");
    }
    return words;
}

} // namespace

Result<void> checkDevice(const std::string& text)
{
    const auto words = deviceWords(text);
    return words.has_value() ? Result<void>() : words.error();
}

Result<std::vector<at::Device>> parseDevices(const std::string& text)
{
    const auto words = deviceWords(text);
    if (!words.has_value())
        return words.error();
    using enum DeviceWord::Kind;
    std::vector<at::Device> devices;
    for (const DeviceWord& word : *words) {
        if (word.kind == Cpu || (word.kind == Auto && !cudaAvailable())) {
            devices.emplace_back(at::kCPU);
            continue;
        }
        if (!cudaAvailable())
            return inputError("The device '" + text + "' is not available: no NVIDIA GPU was found; use cpu.");
        const int count = at::detail::getCUDAHooks().deviceCount();
        if (word.index >= count)
            return inputError("There is no device 'cuda:" + std::to_string(word.index) + "'; this machine has "
                              + std::to_string(count) + " GPU(s).");
        for (int i = word.index; i < (word.kind == EveryCuda ? count : word.index + 1); ++i)
            devices.emplace_back(at::kCUDA, static_cast<at::DeviceIndex>(i));
    }
    return devices;
}

Result<at::Device> parseDevice(const std::string& text)
{
    const auto devices = parseDevices(text);
    if (!devices.has_value())
        return devices.error();
    if (devices->size() > 1)
        return inputError("'" + text + "' names several devices; expected one.");
    return devices->front();
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

std::string deviceNames(const std::vector<at::Device>& devices)
{
    std::string names;
    for (const at::Device& device : devices)
        names += (names.empty() ? "" : ",") + deviceName(device);
    return names;
}

std::string deviceKind(const std::string& names)
{
    const std::string first = names.substr(0, names.find(':'));
    return first != "cpu" && names.ends_with(",cpu") ? first + ",cpu" : first;
}

} // namespace headscope::lm
