// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How ggufConfig() makes metadata into the keys of config.json: a translator that knows which were read, and the parts
// that have files of their own. Any thread.

#include "core/io/gguf/gguffile.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

namespace headscope::io {

/// A float of the file as people write it: 1e-05, not 9.999999747378752e-06, which is what the float is.
[[nodiscard]] std::string ggufDigits(double value);
[[nodiscard]] double ggufShortest(double value);

/// Copies metadata of one architecture into config keys, where it is there, and knows which were read.
class GgufTranslator
{
public:
    explicit GgufTranslator(const GgufHeader& header)
        : m_header(header), m_prefix(*header.text("general.architecture") + ".")
    {
    }

    [[nodiscard]] const std::string architecture() const { return m_prefix.substr(0, m_prefix.size() - 1); }
    [[nodiscard]] std::optional<std::int64_t> integer(const std::string& key)
    {
        const auto value = mixed ? m_header.inSomeLayers(m_prefix + key) : m_header.inAllLayers(m_prefix + key);
        if (!value && m_header.integers(m_prefix + key))
            refuse(key, mixed ? "0 or the same in all layers" : "the same in all layers");
        return read(key, value);
    }
    /// A flag is 0 or 1.
    [[nodiscard]] std::optional<double> number(const std::string& key)
    {
        const auto flag = m_header.flag(m_prefix + key);
        const auto value = flag ? std::optional(*flag ? 1.0 : 0.0) : m_header.number(m_prefix + key);
        if (value && !std::isfinite(*value))
            refuse(key, "a finite number");
        return read(key, value);
    }
    [[nodiscard]] std::string text(const std::string& key, const std::string& fallback)
    {
        const std::string* value = m_header.text(m_prefix + key);
        return read(key, value ? std::optional(*value) : std::nullopt).value_or(fallback);
    }
    [[nodiscard]] const GgufHeader& header() const { return m_header; }

    void integer(const std::string& theirs, const char* ours)
    {
        if (const auto value = integer(theirs))
            config[ours] = *value;
    }
    void number(const std::string& theirs, const char* ours)
    {
        if (const auto value = number(theirs))
            config[ours] = ggufShortest(*value);
    }
    /// As llama.cpp, which has no default for it. A file without layers is a vocabulary alone.
    void demand(const std::string& key)
    {
        if (!m_problem && wasRead("block_count") && !wasRead(key))
            m_problem = inputError("it has no '" + m_prefix + key + "'");
    }
    void ignore(const std::string& key) { m_read.insert(m_prefix + key); }
    [[nodiscard]] bool wasRead(const std::string& key) const { return m_read.contains(m_prefix + key); }
    /// Keeps the first: the key has another value than the one that is computed with.
    void refuse(const std::string& key, const std::string& expected);
    /// Keeps the first, too: a clause that follows the name of the file.
    void fail(const std::string& why)
    {
        if (!m_problem)
            m_problem = inputError(why);
    }
    /// The key, where it is there, has this value.
    void expect(const std::string& key, double value)
    {
        if (const auto found = number(key); found && !(std::abs(*found - value) <= 1e-6 * std::abs(value)))
            refuse(key, ggufDigits(value));
    }
    /// Whether a layer has this tensor, named without "blk.N.".
    [[nodiscard]] bool hasInALayer(std::string_view tensor) const;
    /// Whether keys and queries rotate: of a granitehybrid the file says it, of jamba and nemotron_h none do.
    [[nodiscard]] bool rotates();
    /// Of a head that rotates; nothing where the file does not say it.
    [[nodiscard]] std::optional<std::int64_t> headWidth();
    [[nodiscard]] const std::optional<Error>& problem() const { return m_problem; }
    [[nodiscard]] std::vector<std::string> warnings() const;

    json config = json::object();
    bool mixed = false;                ///< layers may lack a part, of which a list of numbers has 0
    std::vector<std::string> notes;    ///< further warnings, each a sentence
    std::vector<std::string> onlyHere; ///< keys that are read, and that llama.cpp ignores for this architecture

private:
    template <typename T> std::optional<T> read(const std::string& key, std::optional<T> value)
    {
        if (value)
            ignore(key);
        return value;
    }

    const GgufHeader& m_header;
    std::string m_prefix;
    std::set<std::string> m_read;
    std::optional<Error> m_problem;
};

/// The base of the rotary frequencies, and what scales them: metadata, or tensors of factors.
[[nodiscard]] Result<void> translateGgufRotation(GgufTranslator& to, const GgufFile& file);
/// The factors that a tensor has for the frequencies, a positive one for each two dimensions that rotate.
[[nodiscard]] Result<std::vector<float>> ggufFactors(GgufTranslator& to, const GgufFile& file, std::string_view name);
/// All of Gemma 4, whose two kinds of layers differ in size.
[[nodiscard]] Result<void> translateGgufGemma4(GgufTranslator& to, const GgufFile& file);
/// Experts behind the first dense layers, beside one that all tokens take.
void translateGgufGroupedExperts(GgufTranslator& to);
/// What these have beside the keys of all decoders. (Lfm2: lfm2moe too.)
void translateGgufDeltaNet(GgufTranslator& to);
void translateGgufLfm2(GgufTranslator& to);
void translateGgufFalconH1(GgufTranslator& to);
void translateGgufGraniteScales(GgufTranslator& to);
void translateGgufGraniteMoe(GgufTranslator& to);
void translateGgufGraniteHybrid(GgufTranslator& to);
void translateGgufJamba(GgufTranslator& to);
void translateGgufNemotronH(GgufTranslator& to);
/// A Transformer built like Llama, under any of its names.
[[nodiscard]] Result<void> translateGgufDecoder(GgufTranslator& to, const GgufFile& file);

} // namespace headscope::io
