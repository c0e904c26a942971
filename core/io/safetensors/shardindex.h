// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// model.safetensors.index.json: which tensor is in which shard. Any thread.

#include "core/base/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::io {

struct ShardIndex {
    std::map<std::string, std::string> shardOf; ///< tensor name to the plain name of a file beside the index; not empty
    std::optional<double> totalSize;            ///< bytes, as stated in the index

    /// Checks the text of an index, not the files. The message is a clause that follows the name of the index.
    [[nodiscard]] static Result<ShardIndex> parse(std::string_view text);
};

} // namespace headscope::io
