// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors/safetensorswriter.h"

#include "core/io/textfiles/quote.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope::io {

namespace {

/// Entries in the order of the file; built by hand because a JSON object would sort them by name.
std::string headerText(std::span<const TensorToWrite* const> tensors, const SafetensorsMetadata& metadata)
{
    std::string text = "{";
    if (!metadata.empty())
        text += "\"__metadata__\":" + nlohmann::json(metadata).dump();
    std::uint64_t at = 0;
    for (const TensorToWrite* tensor : tensors) {
        const nlohmann::json name = tensor->name;
        const nlohmann::json shape = tensor->shape;
        const std::uint64_t end = at + tensor->bytes.size();
        if (text.size() > 1)
            text += ',';
        text += name.dump() + ":{\"dtype\":\"" + std::string(dtypeName(tensor->dtype)) + "\",\"shape\":" + shape.dump()
                + ",\"data_offsets\":[" + std::to_string(at) + ',' + std::to_string(end) + "]}";
        at = end;
    }
    text += '}';
    text.append((8 - text.size() % 8) % 8, ' ');
    return text;
}

} // namespace

Result<void> writeSafetensors(const std::filesystem::path& path, std::span<const TensorToWrite> tensors,
                              const SafetensorsMetadata& metadata, Sync sync)
{
    const std::string cannot = "Cannot write " + inQuotes(path.string()) + ": ";
    std::vector<const TensorToWrite*> sorted;
    for (const TensorToWrite& tensor : tensors) {
        const auto bytes = tensorBytes(tensor.dtype, tensor.shape);
        if (!bytes.has_value())
            return inputError(cannot + "tensor " + inQuotes(tensor.name) + " " + bytes.error().message + ".");
        if (*bytes != tensor.bytes.size())
            return inputError(cannot + "tensor " + inQuotes(tensor.name) + " takes " + std::to_string(*bytes)
                              + " bytes by its shape; got " + std::to_string(tensor.bytes.size()) + ".");
        if (tensor.name == "__metadata__")
            return inputError(cannot + "a tensor cannot be named '__metadata__'.");
        sorted.push_back(&tensor);
    }
    std::sort(sorted.begin(), sorted.end(),
              [](auto a, auto b) { return a->dtype != b->dtype ? a->dtype > b->dtype : a->name < b->name; });
    std::vector<std::string_view> names;
    for (const TensorToWrite* tensor : sorted)
        names.push_back(tensor->name);
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
        return inputError(cannot + "there are two tensors named " + inQuotes(*twice) + ".");

    std::string header;
    try {
        header = headerText(sorted, metadata);
    } catch (const nlohmann::json::exception&) {
        return inputError(cannot + "a name in it is not valid UTF-8.");
    }
    if (header.size() > kMaxSafetensorsHeader)
        return inputError(cannot + "its header would have " + std::to_string(header.size()) + " bytes; at most "
                          + std::to_string(kMaxSafetensorsHeader) + " are allowed.");

    OutputFile file;
    const std::uint64_t length = header.size();
    Result<void> done = file.open(path);
    const auto add = [&](const void* bytes, std::size_t size) {
        if (done.has_value())
            done = file.append({static_cast<const char*>(bytes), size});
    };
    add(&length, sizeof length);
    add(header.data(), header.size());
    for (const TensorToWrite* tensor : sorted)
        add(tensor->bytes.data(), tensor->bytes.size());
    return done.has_value() ? file.commit(sync) : done;
}

} // namespace headscope::io
