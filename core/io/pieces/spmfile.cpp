// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pieces/spmfile.h"

#include "core/io/pieces/piecetokenizer.h"

#include <nlohmann/json.hpp>

#include <cstring>
#include <optional>

namespace headscope::io {

namespace {

using nlohmann::json;

/// One field of a message: a number, or bytes.
struct Field {
    std::uint64_t number = 0;
    std::uint64_t value = 0;
    std::string_view bytes;
    [[nodiscard]] float real() const
    {
        float real = 0;
        if (bytes.size() == sizeof real)
            std::memcpy(&real, bytes.data(), sizeof real);
        return real;
    }
};

/// The fields of a message one after the other. After a wrong one nothing follows and bad() is true.
class Message
{
public:
    explicit Message(std::string_view bytes) : m_rest(bytes) {}
    [[nodiscard]] std::optional<Field> next()
    {
        const std::optional<std::uint64_t> tag = m_rest.empty() || m_bad ? std::nullopt : varint();
        if (!tag)
            return {};
        Field field;
        field.number = *tag >> 3;
        switch (*tag & 7) {
        case 0: field.value = varint().value_or(0); break;
        case 1: field.bytes = take(8); break;
        case 2: field.bytes = take(varint().value_or(0)); break;
        case 5: field.bytes = take(4); break;
        default: m_bad = true;
        }
        m_bad = m_bad || field.number == 0;
        return m_bad ? std::nullopt : std::optional(field);
    }
    [[nodiscard]] bool bad() const { return m_bad; }

private:
    std::optional<std::uint64_t> varint()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (m_rest.empty())
                break;
            const auto byte = static_cast<unsigned char>(m_rest.front());
            m_rest.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if ((byte & 0x80U) == 0)
                return value;
        }
        m_bad = true;
        return {};
    }
    std::string_view take(std::uint64_t size)
    {
        if (size > m_rest.size()) {
            m_bad = true;
            return {};
        }
        const std::string_view bytes = m_rest.substr(0, static_cast<std::size_t>(size));
        m_rest.remove_prefix(bytes.size());
        return bytes;
    }
    std::string_view m_rest;
    bool m_bad = false;
};

std::string toBase64(std::string_view bytes)
{
    static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t bits = 0;
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            text.push_back(k <= count ? kLetters[bits >> (18 - 6 * k) & 63] : '=');
    }
    return text;
}

// Field numbers are those of sentencepiece_model.proto.
bool readPiece(std::string_view bytes, PieceVocabulary& v, std::vector<std::int64_t>& types)
{
    Message message(bytes);
    std::string piece;
    double score = 0;
    std::int64_t type = kNormal;
    while (const auto field = message.next()) {
        if (field->number == 1)
            piece = field->bytes;
        else if (field->number == 2)
            score = static_cast<double>(field->real());
        else if (field->number == 3)
            type = static_cast<std::int64_t>(field->value);
    }
    v.pieces.push_back(std::move(piece));
    v.scores.push_back(score);
    types.push_back(type);
    return !message.bad();
}

struct Trainer {
    std::uint64_t kind = 1; ///< 1 unigram, 2 byte pairs, 3 words, 4 characters
    bool suffix = false;    ///< the space is put behind words
};

bool readTrainer(std::string_view bytes, PieceVocabulary& v, Trainer& trainer)
{
    Message message(bytes);
    v.byteFallback = false;
    while (const auto field = message.next()) {
        if (field->number == 3)
            trainer.kind = field->value;
        else if (field->number == 24)
            trainer.suffix = field->value != 0;
        else if (field->number == 35)
            v.byteFallback = field->value != 0;
        else if (field->number == 40)
            v.unknown = static_cast<std::size_t>(field->value);
    }
    v.unigram = trainer.kind == 1;
    return !message.bad();
}

bool readNormalizer(std::string_view bytes, PieceVocabulary& v)
{
    Message message(bytes);
    v.joinsSpaces = true;
    while (const auto field = message.next()) {
        if (field->number == 2)
            v.characterMap = toBase64(field->bytes);
        else if (field->number == 3)
            v.prefix = field->value != 0;
        else if (field->number == 4)
            v.joinsSpaces = field->value != 0;
    }
    return !message.bad();
}

} // namespace

Result<std::string> spmTokenizer(std::string_view bytes)
{
    PieceVocabulary v;
    v.joinsSpaces = true;
    v.byteFallback = false;
    v.unigram = true;
    std::vector<std::int64_t> types;
    Trainer trainer;
    Message message(bytes);
    bool good = true;
    while (const auto field = message.next()) {
        if (field->number == 1)
            good = readPiece(field->bytes, v, types) && good;
        else if (field->number == 2)
            good = readTrainer(field->bytes, v, trainer) && good;
        else if (field->number == 3)
            good = readNormalizer(field->bytes, v) && good;
    }
    if (!good || message.bad() || v.pieces.empty())
        return inputError("it is not a SentencePiece model; expected one, or tokenizer.json");
    if (trainer.kind != 1 && trainer.kind != 2)
        return inputError("its SentencePiece model is one of words or characters; expected one of pieces");
    if (trainer.suffix)
        return inputError("its SentencePiece model puts spaces after words, which is not supported");
    PieceParts parts = pieceParts(v);
    const json tokenizer{{"version", "1.0"},
                         {"truncation", nullptr},
                         {"padding", nullptr},
                         {"added_tokens", addedTokensOf(v.pieces, types)},
                         {"normalizer", std::move(parts.normalizer)},
                         {"pre_tokenizer", nullptr},
                         {"post_processor", nullptr},
                         {"decoder", std::move(parts.decoder)},
                         {"model", std::move(parts.model)}};
    return tokenizer.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace headscope::io
