// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/packed/packedparts.h"

#include "core/io/textfiles/quote.h"

#include <algorithm>

namespace headscope::io {

std::string partName(const std::string& map, std::string_view part)
{
    constexpr std::string_view kWeight = "weight";
    if (part.starts_with('*'))
        return map + std::string(part.substr(1));
    return map == kWeight || map.ends_with(".weight") ? map.substr(0, map.size() - kWeight.size()) + std::string(part)
                                                      : std::string();
}

bool PackedParts::has(std::string_view part) const
{
    return m_checkpoint.find(partName(m_map, part)).has_value();
}

void PackedParts::fail(std::string sentence)
{
    if (!m_error)
        m_error = inputError(std::move(sentence));
}

TensorView PackedParts::take(std::string_view part, std::initializer_list<Dtype> types)
{
    const std::string name = partName(m_map, part);
    const auto found = m_checkpoint.find(name);
    if (!found) {
        fail("Tensor " + inQuotes(name) + " is missing; " + inQuotes(m_map) + " is packed as " + m_packing.title
             + " and needs it.");
        return {};
    }
    const bool empty = std::find(found->info.shape.begin(), found->info.shape.end(), 0) != found->info.shape.end();
    if (std::find(types.begin(), types.end(), found->info.dtype) == types.end() || !found->plain() || empty) {
        std::string expected;
        for (const Dtype type : types)
            expected += (expected.empty() ? "" : " or ") + std::string(dtypeName(type));
        fail("Tensor " + inQuotes(name) + " has dtype " + std::string(dtypeName(found->info.dtype)) + " and shape "
             + shapeText(found->info.shape) + "; expected " + expected + " numbers, row by row, for " + m_packing.title
             + ".");
        return {};
    }
    return *found;
}

TensorView PackedParts::matrix(std::string_view part, std::initializer_list<Dtype> types)
{
    TensorView view = take(part, types);
    if (!m_error && view.info.shape.size() != 2)
        fail("Tensor " + inQuotes(view.info.name) + " has shape " + shapeText(view.info.shape)
             + "; expected two dimensions, for " + m_packing.title + ".");
    if (m_error)
        view.info.shape = {1, 1};
    return view;
}

std::optional<TensorView> PackedParts::optional(std::string_view part, std::initializer_list<Dtype> types)
{
    return has(part) ? std::optional(take(part, types)) : std::nullopt;
}

void PackedParts::expectShape(const TensorView& part, const std::vector<std::int64_t>& shape)
{
    if (!m_error && part.info.shape != shape)
        fail("Tensor " + inQuotes(part.info.name) + " has shape " + shapeText(part.info.shape) + "; expected "
             + shapeText(shape) + ", for " + m_packing.title + ".");
}

PackedScheme PackedParts::scheme(const TensorView& codes, const TensorView& scales,
                                 const std::function<bool(const PackedScheme&)>& fits)
{
    const auto& schemes = m_packing.schemes;
    const auto found = std::find_if(schemes.begin(), schemes.end(), fits);
    if (found != schemes.end())
        return *found;
    if (!m_error)
        fail("Tensor " + inQuotes(codes.info.name) + " of shape " + shapeText(codes.info.shape)
             + " with scales of shape " + shapeText(scales.info.shape) + " is not " + m_packing.title
             + ", as config.json says.");
    return {};
}

Result<TensorView> PackedParts::made(const std::function<TensorView()>& view) const
{
    return m_error ? Result<TensorView>(*m_error) : Result<TensorView>(view());
}

} // namespace headscope::io
