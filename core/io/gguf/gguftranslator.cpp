// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/gguf/gguftranslator.h"

#include "core/base/words/counted.h"
#include "core/io/textfiles/quote.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace headscope::io {

namespace {

/// Of the vocabulary: what ggufTokenizer() and core/text read, and tokens that only name themselves.
constexpr std::array kTokenizerKeys = {"model",  "pre",    "tokens",        "token_type",    "token_type_count",
                                       "scores", "merges", "add_bos_token", "add_eos_token", "add_space_prefix"};

bool isOfTokenizer(std::string_view key)
{
    constexpr std::string_view kPrefix = "tokenizer.ggml.";
    if (!key.starts_with(kPrefix))
        return key.starts_with("tokenizer.chat_template") || key == "tokenizer.huggingface.json";
    key.remove_prefix(kPrefix.size());
    return key.ends_with("_token_id")
           || std::find(kTokenizerKeys.begin(), kTokenizerKeys.end(), key) != kTokenizerKeys.end();
}

/// A value as people write it, short.
std::string shown(const GgufValue& value)
{
    const auto one = [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool>)
            return v ? "true" : "false";
        else if constexpr (std::is_same_v<T, std::string>)
            return inQuotes(v);
        else if constexpr (std::is_arithmetic_v<T>)
            return ggufDigits(static_cast<double>(v));
        else
            return "a list of " + std::to_string(v.size());
    };
    return std::visit(one, value);
}

} // namespace

std::string ggufDigits(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.7g", value);
    return text;
}

double ggufShortest(double value)
{
    return std::strtod(ggufDigits(value).c_str(), nullptr);
}

bool GgufTranslator::rotates()
{
    return architecture() == "granitehybrid" ? number("rope.scaling.finetuned").value_or(1) != 0
                                             : architecture() != "jamba" && !architecture().starts_with("nemotron_h");
}

std::optional<std::int64_t> GgufTranslator::headWidth()
{
    const auto heads = integer("attention.head_count"), width = integer("embedding_length");
    if (const auto own = integer("attention.key_length"))
        return own;
    return heads && width && *heads > 0 ? std::optional(*width / *heads) : std::nullopt;
}

bool GgufTranslator::layersHaveTensor(std::string_view tensor) const
{
    return std::ranges::any_of(m_header.tensors, [&](const GgufTensor& one) {
        return one.name.starts_with("blk.") && one.name.ends_with(tensor)
               && one.name.find('.', 4) + 1 + tensor.size() == one.name.size();
    });
}

void GgufTranslator::refuse(const std::string& key, const std::string& expected)
{
    const auto found = m_header.metadata.find(m_prefix + key);
    if (!m_problem)
        m_problem = inputError("its '" + m_prefix + key + "' is "
                               + (found == m_header.metadata.end() ? "missing" : shown(found->second)) + "; expected "
                               + expected);
}

std::vector<std::string> GgufTranslator::warnings() const
{
    std::vector<std::string> unread, all = notes;
    for (const auto& [key, value] : m_header.metadata) {
        const bool elsewhere = key.starts_with("general.") || key.starts_with("quantize.imatrix.")
                               || key.starts_with("split.") || isOfTokenizer(key)
                               || (key.starts_with("tokenizer.") && value == GgufValue(false));
        if (!elsewhere && !m_read.contains(key))
            unread.push_back(inQuotes(key) + " (" + shown(value) + ")");
    }
    const auto joined = [](const std::vector<std::string>& names) {
        std::string text;
        for (const std::string& name : names)
            text += (text.empty() ? "" : ", ") + name;
        return text;
    };
    if (!unread.empty())
        all.push_back("The file has " + counted(unread.size(), "metadata key that is", "metadata keys that are")
                      + " not used for the architecture " + inQuotes(architecture()) + ": " + joined(unread) + ".");
    if (!onlyHere.empty())
        all.push_back(
            "These metadata keys are read as transformers reads them, and llama.cpp ignores them for the architecture "
            + inQuotes(architecture()) + ": " + joined(onlyHere) + ".");
    return all;
}

} // namespace headscope::io
