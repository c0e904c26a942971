// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors/safetensorsheader.h"

#include "core/io/textfiles/quote.h"
#include "core/io/textfiles/strictjson.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace headscope::io {

namespace {

struct DtypeRow {
    std::string_view name;
    std::uint64_t bits;
};

// In the order of the enumeration.
constexpr std::array<DtypeRow, 22> kDtypes = {{
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
    {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
    {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64},
}};

/// Walks the header's JSON events; the first thing that is not as it must be stops the parser with a reason.
class HeaderReader : public nlohmann::json_sax<nlohmann::json>
{
public:
    SafetensorsHeader header;
    std::string failure;

    bool null() override
    {
        if (m_place == Place::MetadataStart) {
            m_place = Place::Top;
            return true;
        }
        return scalar("null");
    }
    bool boolean(bool) override { return scalar("a boolean"); }
    bool number_integer(number_integer_t) override { return scalar("a negative number"); }
    bool number_float(number_float_t, const string_t&) override
    {
        return scalar("a number that is not an integer below 2^64");
    }
    bool binary(binary_t&) override { return fail("it contains binary data"); }
    bool number_unsigned(number_unsigned_t value) override
    {
        if (m_place == Place::Shape) {
            if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
                return fail("tensor " + inQuotes(m_tensor.name) + " has a dimension above 2^63-1");
            m_tensor.shape.push_back(static_cast<std::int64_t>(value));
            return true;
        }
        if (m_place == Place::Offsets) {
            if (m_offsets == 2)
                return fail("tensor " + inQuotes(m_tensor.name) + " has more than two data_offsets");
            (m_offsets++ == 0 ? m_tensor.begin : m_tensor.end) = value;
            return true;
        }
        return scalar("a number");
    }
    bool string(string_t& value) override
    {
        if (m_place == Place::Metadata) {
            if (!header.metadata.emplace(m_key, value).second)
                return fail("__metadata__ has the key " + inQuotes(m_key) + " twice");
            return true;
        }
        if (m_place == Place::Entry && m_key == "dtype") {
            const auto dtype = dtypeFromName(value);
            if (!dtype)
                return fail("tensor " + inQuotes(m_tensor.name) + " has the unknown dtype " + inQuotes(value));
            m_tensor.dtype = *dtype;
            return true;
        }
        return scalar("a string");
    }
    bool start_object(std::size_t) override
    {
        switch (m_place) {
        case Place::Nothing: m_place = Place::Top; return true;
        case Place::MetadataStart: m_place = Place::Metadata; return true;
        case Place::EntryStart: m_place = Place::Entry; return true;
        case Place::Metadata:
        case Place::Entry:
        case Place::Ignored: return nested("an object");
        default: return scalar("an object");
        }
    }
    bool end_object() override
    {
        switch (m_place) {
        case Place::Ignored: return unnest();
        case Place::Metadata: m_place = Place::Top; return true;
        case Place::Entry: return finishEntry();
        default: m_place = Place::Done; return true;
        }
    }
    bool start_array(std::size_t) override
    {
        if (m_place == Place::Entry && m_key == "shape") {
            m_place = Place::Shape;
            return true;
        }
        if (m_place == Place::Entry && m_key == "data_offsets") {
            m_place = Place::Offsets;
            return true;
        }
        return nested("an array");
    }
    bool end_array() override
    {
        if (m_place == Place::Ignored)
            return unnest();
        if (m_place == Place::Offsets && m_offsets != 2)
            return fail("tensor " + inQuotes(m_tensor.name) + " has " + std::to_string(m_offsets)
                        + " data_offsets; expected 2");
        m_place = Place::Entry;
        return true;
    }
    bool key(string_t& text) override
    {
        if (m_place == Place::Top) {
            if (text == "__metadata__") {
                if (m_sawMetadata)
                    return fail("it contains __metadata__ twice");
                m_sawMetadata = true;
                m_place = Place::MetadataStart;
                return true;
            }
            m_tensor = {};
            m_tensor.name = text;
            m_seen = {};
            m_offsets = 0;
            m_place = Place::EntryStart;
            return true;
        }
        m_key = text;
        if (m_place != Place::Entry)
            return true;
        const auto field = std::find(kFields.begin(), kFields.end(), text);
        if (field == kFields.end())
            return true;
        bool& seen = m_seen[static_cast<std::size_t>(field - kFields.begin())];
        if (seen)
            return fail("tensor " + inQuotes(m_tensor.name) + " has the field " + inQuotes(text) + " twice");
        seen = true;
        return true;
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override
    {
        if (failure.empty())
            failure = "the header is not valid JSON at byte " + std::to_string(position);
        return false;
    }

private:
    enum class Place { Nothing, Top, MetadataStart, Metadata, EntryStart, Entry, Shape, Offsets, Ignored, Done };
    static constexpr std::array<std::string_view, 3> kFields = {"dtype", "shape", "data_offsets"};

    bool fail(std::string why)
    {
        failure = "the header is refused: " + std::move(why);
        return false;
    }
    [[nodiscard]] bool inKnownField() const
    {
        return m_place == Place::Entry && std::find(kFields.begin(), kFields.end(), m_key) != kFields.end();
    }
    /// A value that no case above took: fine in a field that nobody knows, wrong anywhere else.
    bool scalar(const std::string& what)
    {
        if (m_place == Place::Ignored || (m_place == Place::Entry && !inKnownField()))
            return true;
        if (m_place == Place::Nothing)
            return fail("expected an object, got " + what);
        if (m_place == Place::Metadata || m_place == Place::MetadataStart)
            return fail("__metadata__ must map strings to strings, got " + what);
        if (m_place == Place::EntryStart)
            return fail("tensor " + inQuotes(m_tensor.name) + " is " + what + "; expected an object");
        const std::string field = m_place == Place::Shape     ? "shape"
                                  : m_place == Place::Offsets ? "data_offsets"
                                                              : m_key;
        return fail("tensor " + inQuotes(m_tensor.name) + " has " + what + " in its field " + inQuotes(field));
    }
    bool nested(const std::string& what)
    {
        if (m_place != Place::Ignored && (m_place != Place::Entry || inKnownField()))
            return scalar(what);
        m_place = Place::Ignored;
        if (++m_depth > kMaxJsonDepth - 2)
            return fail("it is nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
        return true;
    }
    bool unnest()
    {
        if (--m_depth == 0)
            m_place = Place::Entry;
        return true;
    }
    bool finishEntry()
    {
        for (std::size_t i = 0; i < kFields.size(); ++i)
            if (!m_seen[i])
                return fail("tensor " + inQuotes(m_tensor.name) + " lacks the field " + inQuotes(kFields[i]));
        header.tensors.push_back(std::move(m_tensor));
        m_place = Place::Top;
        return true;
    }

    Place m_place = Place::Nothing;
    bool m_sawMetadata = false;
    std::string m_key;
    TensorInfo m_tensor;
    std::array<bool, 3> m_seen{};
    int m_offsets = 0;
    int m_depth = 0; ///< levels inside an ignored value
};

std::string duplicateName(const std::vector<TensorInfo>& tensors, bool& found)
{
    std::vector<const std::string*> names;
    names.reserve(tensors.size());
    for (const TensorInfo& tensor : tensors)
        names.push_back(&tensor.name);
    std::sort(names.begin(), names.end(), [](auto a, auto b) { return *a < *b; });
    const auto twice = std::adjacent_find(names.begin(), names.end(), [](auto a, auto b) { return *a == *b; });
    found = twice != names.end();
    return found ? **twice : std::string();
}

Result<void> checkPlaces(const std::vector<TensorInfo>& tensors, std::uint64_t dataBytes)
{
    std::uint64_t at = 0;
    for (const TensorInfo& tensor : tensors) {
        const std::string who = "tensor " + inQuotes(tensor.name);
        if (tensor.begin != at || tensor.end < tensor.begin)
            return inputError(who + " has data_offsets [" + std::to_string(tensor.begin) + ", "
                              + std::to_string(tensor.end) + "]; expected a range that starts at " + std::to_string(at)
                              + ", for tensors may not overlap or leave holes");
        const auto bytes = tensorBytes(tensor.dtype, tensor.shape);
        if (!bytes.has_value())
            return inputError(who + " " + bytes.error().message);
        if (*bytes != tensor.end - tensor.begin)
            return inputError(who + " takes " + std::to_string(*bytes)
                              + " bytes by its shape and dtype; its data_offsets span "
                              + std::to_string(tensor.end - tensor.begin));
        at = tensor.end;
    }
    if (at != dataBytes)
        return inputError("the header describes " + std::to_string(at) + " bytes of tensors; the file contains "
                          + std::to_string(dataBytes)
                          + (at > dataBytes ? ", so it is cut short" : ", so something was appended"));
    return {};
}

} // namespace

std::uint64_t dtypeBits(Dtype dtype)
{
    return kDtypes[static_cast<std::size_t>(dtype)].bits;
}

std::string_view dtypeName(Dtype dtype)
{
    return kDtypes[static_cast<std::size_t>(dtype)].name;
}

std::optional<Dtype> dtypeFromName(std::string_view name)
{
    for (std::size_t i = 0; i < kDtypes.size(); ++i)
        if (kDtypes[i].name == name)
            return static_cast<Dtype>(i);
    return std::nullopt;
}

Result<std::uint64_t> tensorBytes(Dtype dtype, const std::vector<std::int64_t>& shape)
{
    // From the left with a check at each step: [2^62, 8, 0] overflows although its product is 0.
    std::uint64_t bits = 1;
    for (const std::int64_t size : shape)
        if (size < 0 || __builtin_mul_overflow(bits, static_cast<std::uint64_t>(size), &bits))
            return inputError("has a shape whose number of elements does not fit in 64 bits");
    if (__builtin_mul_overflow(bits, dtypeBits(dtype), &bits))
        return inputError("has a shape whose size does not fit in 64 bits");
    if (bits % 8 != 0)
        return inputError("has " + std::to_string(bits) + " bits, which is not a whole number of bytes");
    return bits / 8;
}

Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view json, std::uint64_t dataBytes)
{
    if (const auto plain = checkJsonBytes(json); !plain.has_value())
        return inputError("the header " + plain.error().message);
    HeaderReader reader;
    if (!nlohmann::json::sax_parse(json, &reader))
        return inputError(reader.failure.empty() ? "the header is not valid JSON" : reader.failure);
    auto& tensors = reader.header.tensors;
    bool found = false;
    const std::string twice = duplicateName(tensors, found);
    if (found)
        return inputError("the header has a duplicate tensor name, " + inQuotes(twice));
    std::sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
        return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    if (auto places = checkPlaces(tensors, dataBytes); !places.has_value())
        return places.error();
    return std::move(reader.header);
}

} // namespace headscope::io
