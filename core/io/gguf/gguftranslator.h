// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Translates metadata into the keys of config.json for ggufConfig(): a translator that records which were read, and the
// parts in separate files. Any thread.

#include "core/io/gguf/gguffile.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

namespace headscope::io {

/// Returns a float of the file in its short form: 1e-05, not its exact value 9.999999747378752e-06.
[[nodiscard]] std::string ggufDigits(double value);
[[nodiscard]] double ggufShortest(double value);

/// Copies existing metadata of one architecture into config keys, and records which were read.
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
    /// Returns a number; a flag counts as 0 or 1.
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
    /// Requires a key, like llama.cpp, which has no default for it. A file without layers contains only a vocabulary.
    void demand(const std::string& key)
    {
        if (!m_problem && wasRead("block_count") && !wasRead(key))
            m_problem = inputError("it has no '" + m_prefix + key + "'");
    }
    /// Copies integers that the file must have: pairs of its key and ours.
    void demandIntegers(std::initializer_list<std::pair<const char*, const char*>> keys)
    {
        for (const auto& [theirs, ours] : keys) {
            integer(theirs, ours);
            demand(theirs);
        }
    }
    void ignore(const std::string& key) { m_read.insert(m_prefix + key); }
    [[nodiscard]] bool wasRead(const std::string& key) const { return m_read.contains(m_prefix + key); }
    /// Fails, unless there was an earlier failure: the key has another value than the implemented one.
    void refuse(const std::string& key, const std::string& expected);
    /// Fails, unless there was an earlier failure: a clause that follows the name of the file.
    void fail(const std::string& why)
    {
        if (!m_problem)
            m_problem = inputError(why);
    }
    /// Fails if the key exists with another value.
    void expect(const std::string& key, double value)
    {
        if (const auto found = number(key); found && !(std::abs(*found - value) <= 1e-6 * std::abs(value)))
            refuse(key, ggufDigits(value));
    }
    /// Returns whether a layer has this tensor, named without "blk.N.".
    [[nodiscard]] bool layersHaveTensor(std::string_view tensor) const;
    /// Returns whether keys and queries rotate: a granitehybrid file specifies it, in jamba and nemotron_h none do.
    [[nodiscard]] bool rotates();
    /// Returns the width of a head that rotates; nothing if the file does not specify it.
    [[nodiscard]] std::optional<std::int64_t> headWidth();
    [[nodiscard]] const std::optional<Error>& problem() const { return m_problem; }
    [[nodiscard]] std::vector<std::string> warnings() const;

    nlohmann::json config = nlohmann::json::object();
    bool mixed = false;                ///< layers may lack a part, for which a list of numbers has 0
    std::vector<std::string> notes;    ///< further warnings, one sentence each
    std::vector<std::string> onlyHere; ///< keys read here that llama.cpp ignores for this architecture

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

/// Translates the base of the rotary frequencies and their scaling: metadata, or tensors of factors.
[[nodiscard]] Result<void> translateGgufRotation(GgufTranslator& to, const GgufFile& file);
/// Returns the factors that a tensor has for the frequencies: a positive one for each two dimensions that rotate.
[[nodiscard]] Result<std::vector<float>> ggufFactors(GgufTranslator& to, const GgufFile& file, std::string_view name);
/// Translates all of Gemma 4, whose two kinds of layers differ in size.
[[nodiscard]] Result<void> translateGgufGemma4(GgufTranslator& to, const GgufFile& file);
/// Translates which layers have a sliding window: all but each n-th, or those of a list. `usual`: n if the file has
/// neither.
void translateGgufWindows(GgufTranslator& to, std::int64_t usual);
/// Translates experts after the first dense layers, beside one that processes all tokens.
void translateGgufGroupedExperts(GgufTranslator& to);
/// Translate additional keys of these families. (Lfm2: lfm2moe too.)
void translateGgufDeltaNet(GgufTranslator& to);
void translateGgufLfm2(GgufTranslator& to);
void translateGgufFalconH1(GgufTranslator& to);
void translateGgufGraniteScales(GgufTranslator& to);
void translateGgufGraniteMoe(GgufTranslator& to);
void translateGgufGraniteHybrid(GgufTranslator& to);
void translateGgufJamba(GgufTranslator& to);
void translateGgufNemotronH(GgufTranslator& to);
/// Translates a Transformer built like Llama, under any of its names.
[[nodiscard]] Result<void> translateGgufDecoder(GgufTranslator& to, const GgufFile& file);

} // namespace headscope::io
