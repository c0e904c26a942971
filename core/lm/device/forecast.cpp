// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/device/forecast.h"

#include "core/lm/device/device.h"

#include <ATen/Context.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace headscope::lm {

namespace {

// Tiles of attention scores and blocks of scans hold about this many fp32 numbers, a few times over (attention.cpp,
// ssd.cpp, mamba1.cpp).
constexpr std::int64_t kAttentionTile = std::int64_t{1} << 24;
constexpr std::int64_t kScanTile = std::int64_t{1} << 25;

// Scores or scan terms of one mixer, in bytes.
std::int64_t workBytes(const MixerSpec& mixer, std::int64_t length)
{
    if (mixer.kind == MixerKind::Attention)
        return 14
               * std::min(kAttentionTile,
                          std::int64_t{mixer.heads} * length * length); // up to 3.4 copies, with a soft cap
    const std::int64_t inner = std::int64_t{mixer.heads} * mixer.headDim;
    const std::int64_t scan =
        4 * (4 * inner * length + 3 * std::min(kScanTile, inner * std::max(mixer.state, 1) * length));
    if (mixer.kind != MixerKind::GatedDeltaNet && mixer.kind != MixerKind::KimiDelta)
        return scan;
    // Decays between the positions of a chunk, in double and fp32; of Kimi's one a channel (gateddeltanet.cpp).
    const std::int64_t chunk = std::min<std::int64_t>(length, 64);
    const std::int64_t channels = mixer.kind == MixerKind::KimiDelta ? std::max(mixer.state, 1) : 1;
    return scan + 24 * std::min(kAttentionTile, std::int64_t{mixer.heads} * chunk * chunk * channels);
}

// Channels that pass the convolution: x, and for the Mamba-2 kinds B and C of each group.
std::int64_t convChannels(const MixerSpec& mixer, bool firstLayer)
{
    const std::int64_t inner = std::int64_t{mixer.heads} * mixer.headDim;
    switch (mixer.kind) {
    case MixerKind::Mamba1:
    case MixerKind::ShortConvolution:
    case MixerKind::GatedRecurrence: return inner;
    case MixerKind::Mamba2:
    case MixerKind::DiscreteMamba2:
    case MixerKind::KimiDelta:
    case MixerKind::GatedDeltaNet: return inner + 2 * std::int64_t{mixer.kvHeads} * mixer.state;
    case MixerKind::Rwkv7: // the token before of the mixer and of the MLP, and behind the first layer of the embedding
        return std::int64_t{mixer.heads} * mixer.state * (firstLayer ? 2 : 3);
    case MixerKind::LightningAttention:
    case MixerKind::Mlstm:
    case MixerKind::Attention: break;
    }
    return 0;
}

// Of a head's state beside the values: what its rows are divided by, and the largest exponent.
std::int64_t countedBy(const MixerSpec& mixer)
{
    return mixer.kind == MixerKind::Mlstm ? mixer.state + 1 : 0;
}

} // namespace

std::int64_t cacheBytes(const ModelSpec& spec, std::int64_t length, at::ScalarType dtype)
{
    const auto element = static_cast<std::int64_t>(c10::elementSize(dtype));
    std::int64_t bytes = 0;
    for (const LayerSpec& layer : spec.layers)
        for (const MixerSpec& mixer : layer.mixers) {
            if (mixer.kind == MixerKind::Attention)
                bytes += length * mixer.kvHeads * (mixer.headDim + (mixer.keyDim > 0 ? mixer.keyDim : mixer.headDim))
                         * element;
            else
                bytes +=
                    std::int64_t{mixer.heads} * (mixer.headDim * mixer.state + countedBy(mixer)) * 4
                    + convChannels(mixer, &layer == &spec.layers.front()) * std::max(mixer.convWidth - 1, 0) * element;
        }
    return bytes;
}

Forecast forecast(const ModelSpec& spec, std::int64_t weightBytes, std::int64_t length, at::ScalarType dtype)
{
    const auto element = static_cast<std::int64_t>(c10::elementSize(dtype));
    const auto layers = static_cast<std::int64_t>(std::max<std::size_t>(spec.layers.size(), 1));
    const std::int64_t hidden = std::max(spec.hidden, 1);
    // A map of [out, in] weights makes `out` numbers a token, so a layer's maps make about its parameters / D of them.
    const std::int64_t tables = std::int64_t{spec.vocabulary} * hidden * (spec.tiedHead ? 1 : 2);
    const std::int64_t maps = std::max<std::int64_t>(spec.parameters - tables, 0) / layers / hidden;
    std::int64_t work = 0;
    for (const LayerSpec& layer : spec.layers)
        for (const MixerSpec& mixer : layer.mixers)
            work = std::max(work, workBytes(mixer, length));
    // Besides: the stream, its normed copy and one in fp32; logits with a log-softmax at up to 64 positions.
    const std::int64_t stream = length * hidden * (2 * element + 4);
    const std::int64_t logits = 3 * 4 * std::min<std::int64_t>(length, 64) * spec.vocabulary;
    return {length, weightBytes, cacheBytes(spec, length, dtype), length * maps * element + stream + work + logits};
}

std::optional<std::int64_t> availableMemory(const at::Device& device)
{
    if (device.is_cuda()) {
        at::globalContext().lazyInitDevice(device.type());
        return static_cast<std::int64_t>(c10::getDeviceAllocator(device.type())->getMemoryInfo(device.index()).first);
    }
    std::optional<std::int64_t> available;
    std::ifstream info("/proc/meminfo");
    for (std::string key; info >> key; info.ignore(1 << 10, '\n'))
        if (std::int64_t kilobytes = 0; key == "MemAvailable:" && info >> kilobytes)
            available = kilobytes * 1024;
    // A container may be given less.
    std::int64_t limit = 0, used = 0;
    if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit && std::ifstream("/sys/fs/cgroup/memory.current") >> used)
        available = std::min(available.value_or(limit), std::max<std::int64_t>(limit - used, 0));
    return available;
}

std::int64_t graphBytes(const ModelSpec& spec, const LayerSpec& layer)
{
    std::int64_t floats = 30 * std::int64_t{spec.hidden};
    for (const MixerSpec& mixer : layer.mixers)
        if (mixer.kind == MixerKind::Mamba1)
            floats += 12 * std::int64_t{mixer.heads} * mixer.state;
    return floats * static_cast<std::int64_t>(sizeof(float));
}

std::string sizeText(std::int64_t bytes)
{
    const bool small = bytes < 100'000'000;
    const std::int64_t unit = small ? 1'000'000 : 1'000'000'000, tenths = (bytes + unit / 20) / (unit / 10);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + (small ? " MB" : " GB");
}

std::string Room::text(const at::Device& device) const
{
    return sizeText(bytes) + (isLimit ? " may be used" : " are free on " + deviceName(device));
}

std::string Room::advice() const
{
    return isLimit ? "allow more or use a smaller model" : "use a machine with more memory or a smaller model";
}

std::optional<Room> roomOn(const at::Device& device, std::optional<std::int64_t> limit)
{
    if (limit)
        return Room{*limit, true};
    const auto free = availableMemory(device);
    return free ? std::optional(Room{*free, false}) : std::nullopt;
}

Result<void> checkFits(const Forecast& needed, const Room& room, const ModelSpec& spec, at::ScalarType dtype,
                       const at::Device& device)
{
    if (needed.total() <= room.bytes)
        return {};
    const std::string what = "The model needs " + sizeText(needed.total()) + " (" + sizeText(needed.weights)
                             + " of weights in " + dtypeName(dtype) + " and the rest for a text of "
                             + std::to_string(needed.length) + " tokens), and " + room.text(device) + "; ";
    const auto layers = static_cast<std::int64_t>(spec.layers.size());
    const std::int64_t element = static_cast<std::int64_t>(c10::elementSize(dtype));
    const std::int64_t tables = std::int64_t{spec.vocabulary} * spec.hidden * (spec.tiedHead ? 1 : 2) * element;
    const std::int64_t perLayer =
        std::max<std::int64_t>((needed.weights - tables) / std::max<std::int64_t>(layers, 1), 1);
    const std::int64_t fitting = (room.bytes - tables - needed.activations - needed.cache) / perLayer;
    if (fitting >= 1 && fitting < layers)
        return Error{Error::Kind::Memory,
                     what + "its first " + std::to_string(fitting) + " layers would fit: upto:L"
                         + std::to_string(fitting - 1) + ".",
                     {}};
    return Error{Error::Kind::Memory, what + room.advice() + ".", {}};
}

} // namespace headscope::lm
