// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/models/automatictype.h"

#include "core/io/pathlist.h"
#include "core/io/safetensors/checkpoint.h"
#include "core/lm/device/device.h"
#include "core/lm/load.h"

#include <iomanip>
#include <sstream>

namespace headscope::app {

namespace fs = std::filesystem;

std::string storedType(const io::Checkpoint& checkpoint)
{
    std::uint64_t f32 = 0, f16 = 0, bf16 = 0;
    for (const std::string& name : checkpoint.names()) {
        const auto tensor = checkpoint.find(name);
        const std::uint64_t size = tensor->bytes.size();
        f32 += tensor->info.dtype == io::Dtype::F32 ? size : 0;
        f16 += tensor->info.dtype == io::Dtype::F16 ? size : 0;
        bf16 += tensor->info.dtype == io::Dtype::BF16 ? size : 0;
    }
    return bf16 > f32 && bf16 > f16 ? "bf16" : f16 > f32 ? "fp16" : "fp32";
}

std::string automaticType(const std::string& stored, std::int64_t parameters, double timesAsFast)
{
    return parameters >= kLargeModel && timesAsFast >= 1 ? stored : "fp32";
}

std::string reason(const TypeChoice& choice)
{
    if (choice.timesAsFast <= 0 || (choice.dtype == choice.stored && !choice.roomDecided))
        return {};
    std::ostringstream times;
    times << std::setprecision(2) << choice.timesAsFast;
    const std::string speed = "this processor multiplies " + choice.stored + ", as the file has it, " + times.str()
                              + " times as fast as fp32";
    return choice.roomDecided
               ? "The model stays in " + choice.stored + ", for fp32 there is too little memory; " + speed + "."
               : "The model runs in fp32: " + speed + ".";
}

Result<TypeChoice> chooseType(const fs::path& folder, const std::string& device, const std::string& dtype,
                              std::int64_t memory)
{
    TypeChoice choice{.dtype = dtype, .automatic = dtype == "auto"};
    const auto checkpoint = io::Checkpoint::open(folder);
    if (!checkpoint.has_value()) // whoever loads it tells why
        return choice;
    choice.stored = storedType(**checkpoint);
    // Where a GPU is, it is used: what it does with `auto` is not decided here.
    if (!choice.automatic || (device != "cpu" && lm::cudaAvailable()))
        return choice;
    choice.dtype = "fp32";
    const auto parameters = static_cast<std::int64_t>((*checkpoint)->bytes() / 2); // as many as there can be
    if (parameters < kLargeModel || choice.stored == "fp32")
        return choice; // nothing has to be measured
    choice.timesAsFast = cachedSpeedup(choice.stored, io::cacheFolder());
    choice.dtype = automaticType(choice.stored, parameters, choice.timesAsFast);
    if (choice.dtype != "fp32")
        return choice;
    const lm::LoadOptions whole{.device = "cpu", .dtype = "fp32", .memoryLimit = memory};
    const auto inspected = lm::inspect(folder, whole);
    choice.roomDecided = inspected.has_value() && !lm::checkMemory(*inspected, whole).has_value();
    if (choice.roomDecided)
        choice.dtype = choice.stored;
    return choice;
}

} // namespace headscope::app
