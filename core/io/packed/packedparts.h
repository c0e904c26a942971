// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tensors of one packed map, taken by the names of their parts and checked. The first failure is kept, and later
// results are empty, so that a form's reader needs no branches. Any thread.

#include "core/io/packed/packing.h"

#include <functional>
#include <initializer_list>
#include <string_view>

namespace headscope::io {

/// Returns the full name of a part: "*.absmax" is appended to a map's name, "qweight" replaces its "weight"; empty, and
/// so not a tensor's name, if it has none (biases).
[[nodiscard]] std::string partName(const std::string& map, std::string_view part);

class PackedParts
{
public:
    PackedParts(const Checkpoint& checkpoint, const Packing& packing, const std::string& map)
        : m_checkpoint(checkpoint), m_packing(packing), m_map(map)
    {
    }

    [[nodiscard]] const Packing& packing() const { return m_packing; }
    [[nodiscard]] const Checkpoint& checkpoint() const { return m_checkpoint; }
    [[nodiscard]] const std::string& map() const { return m_map; }

    /// Returns a non-empty part of one of these types.
    [[nodiscard]] TensorView take(std::string_view part, std::initializer_list<Dtype> types);
    /// Returns a part of two dimensions; after a failure a view of shape [1, 1].
    [[nodiscard]] TensorView matrix(std::string_view part, std::initializer_list<Dtype> types);
    /// Returns the part; nothing if it does not exist.
    [[nodiscard]] std::optional<TensorView> optional(std::string_view part, std::initializer_list<Dtype> types);
    [[nodiscard]] bool has(std::string_view part) const;
    void expectShape(const TensorView& part, const std::vector<std::int64_t>& shape);
    /// Returns the scheme of the config that fits; fails if none does.
    [[nodiscard]] PackedScheme scheme(const TensorView& codes, const TensorView& scales,
                                      const std::function<bool(const PackedScheme&)>& fits);
    void fail(std::string sentence);
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    /// Returns the map, or the first failure.
    [[nodiscard]] Result<TensorView> made(const std::function<TensorView()>& view) const;

    static constexpr std::initializer_list<Dtype> kFactors = {Dtype::F32, Dtype::F16, Dtype::BF16};

private:
    const Checkpoint& m_checkpoint;
    const Packing& m_packing;
    const std::string& m_map;
    std::optional<Error> m_error;
};

} // namespace headscope::io
