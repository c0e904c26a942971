// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors/shardindex.h"

#include "core/io/safetensors/lfspointer.h"
#include "core/io/textfiles/quote.h"
#include "core/io/textfiles/strictjson.h"

namespace headscope::io {

namespace {

/// A shard is named without any path: it lies beside its index.
bool isPlainFileName(std::string_view name)
{
    return !name.empty() && name != "." && name != ".."
           && name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

} // namespace

Result<ShardIndex> ShardIndex::parse(std::string_view text)
{
    if (isLfsPointer(text))
        return inputError("it is a Git LFS pointer; fetch the real file with 'git lfs pull'.");
    const auto parsed = parseStrictJson(text);
    if (!parsed.has_value())
        return inputError("it " + parsed.error().message + ".");
    const auto& json = *parsed;
    if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object())
        return inputError("expected an object with an object 'weight_map'.");
    ShardIndex index;
    for (const auto& [tensor, shard] : json["weight_map"].items()) {
        if (!shard.is_string())
            return inputError("weight_map must name a file for tensor " + inQuotes(tensor) + "; got "
                              + shard.type_name() + ".");
        const auto& name = shard.get_ref<const std::string&>();
        if (!isPlainFileName(name))
            return inputError("tensor " + inQuotes(tensor) + " is said to be in " + inQuotes(name)
                              + "; expected a plain file name.");
        index.shardOf.emplace(tensor, name);
    }
    if (index.shardOf.empty())
        return inputError("its weight_map is empty.");
    if (json.contains("metadata") && json["metadata"].is_object() && json["metadata"].contains("total_size")
        && json["metadata"]["total_size"].is_number())
        index.totalSize = json["metadata"]["total_size"].get<double>();
    return index;
}

} // namespace headscope::io
