// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dumpanalyses.h"

#include "core/why/headweights.h"
#include "core/why/lenses/lens.h"
#include "core/why/paths/direct.h"
#include "core/why/paths/patching.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace headscope::engine {

using lm::Site;

namespace {

constexpr int kMostHeads = 8;
constexpr std::int64_t kLensPositions = 8;

std::string firstWord(const std::string& key)
{
    return key.substr(0, key.find('.'));
}

// The words behind the first: "composition.q.L0.L1" gives q, L0, L1.
std::vector<std::string> wordsBehind(const std::string& key)
{
    std::vector<std::string> words;
    for (std::size_t at = key.find('.'); at != std::string::npos;) {
        const std::size_t end = key.find('.', at + 1);
        words.push_back(key.substr(at + 1, end == std::string::npos ? end : end - at - 1));
        at = end;
    }
    return words;
}

// "L12" as a number; nothing where it is no layer of the model.
std::optional<int> layerOf(const std::string& word, const lm::Model& model)
{
    int layer = 0;
    const char* const end = word.data() + word.size();
    if (word.size() < 2 || word[0] != 'L')
        return std::nullopt;
    const auto [stop, code] = std::from_chars(word.data() + 1, end, layer);
    if (code != std::errc{} || stop != end || layer < 0 || layer >= static_cast<int>(model.spec().layers.size()))
        return std::nullopt;
    return layer;
}

at::Tensor floats(const std::vector<double>& values)
{
    return at::tensor(values, at::kDouble).to(at::kFloat);
}

} // namespace

Error unknownDumpKey(const std::string& key)
{
    return inputError("The key '" + key + "' is not known, or this model does not have it.");
}

/// Heads that a key names.
struct AnalysisDump::Heads {
    int layer = 0;
    Site site = Site::Attention;
    int count = 0;
};

AnalysisDump::AnalysisDump(const lm::Model& model, AnalysisInput input) : m_model(model), m_input(std::move(input))
{
    m_base.layerCount = static_cast<int>(model.spec().layers.size());
}

bool AnalysisDump::has(const std::string& key)
{
    static constexpr std::array kWords = {"difference", "lens",  "dla",     "patch",
                                          "patch_last", "noise", "copying", "composition"};
    return std::find(kWords.begin(), kWords.end(), firstWord(key)) != kWords.end();
}

Result<at::Tensor> AnalysisDump::value(const std::string& key)
{
    const std::string what = firstWord(key);
    if (what == "copying" || what == "composition")
        return weights(key);
    if (const auto done = record(); !done.has_value())
        return done.error();
    if (key == "difference.clean" || key == "difference.corrupt")
        return floats({(key == "difference.clean" ? m_clean : m_corrupt)->difference(m_input.metric)});
    if (key == "lens")
        return lens();
    if (what == "dla")
        return direct(key);
    return key == "patch.resid" ? patchedStream() : patchedHeads(key);
}

Result<void> AnalysisDump::record()
{
    if (m_clean)
        return {};
    if (const auto fits = why::check(m_input.metric, m_model); !fits.has_value())
        return fits;
    auto clean = why::record(m_model, m_input.clean, m_base), corrupt = why::record(m_model, m_input.corrupt, m_base);
    for (const auto* run : {&clean, &corrupt})
        if (!run->has_value())
            return run->error();
    m_clean = std::move(*clean);
    m_corrupt = std::move(*corrupt);
    return {};
}

Result<AnalysisDump::Heads> AnalysisDump::headsOf(const std::string& key) const
{
    const std::vector<std::string> words = wordsBehind(key);
    if (words.size() != 2 || (words[0] != "attn" && words[0] != "ssm"))
        return unknownDumpKey(key);
    const auto layer = layerOf(words[1], m_model);
    if (!layer)
        return unknownDumpKey(key);
    const Site site = words[0] == "attn" ? Site::Attention : Site::Ssm;
    const lm::MixerSpec* mixer = m_model.spec().layers[static_cast<std::size_t>(*layer)].find(site);
    if (!mixer)
        return unknownDumpKey(key);
    return Heads{*layer, site, std::min(mixer->heads, kMostHeads)};
}

Result<at::Tensor> AnalysisDump::lens() const
{
    const std::int64_t count = std::min(kLensPositions, m_clean->length());
    std::vector<at::Tensor> rows;
    for (int layer = 0; layer <= m_clean->layers(); ++layer)
        rows.push_back(why::lensLogits(m_model, *m_clean, layer, m_clean->length() - count, count));
    return at::stack(rows);
}

Result<at::Tensor> AnalysisDump::direct(const std::string& key) const
{
    using Kind = why::DirectPart::Kind;
    const auto all = why::directAttribution(m_model, m_base, *m_clean, m_input.metric);
    if (!all.has_value())
        return all.error();
    const auto sumOf = [&](const auto& wanted) {
        double sum = 0;
        for (const why::DirectPart& part : all->parts)
            sum += wanted(part) ? part.value : 0.0;
        return sum;
    };
    if (key == "dla.embed" || key == "dla.constant") {
        const Kind kind = key == "dla.embed" ? Kind::Embedding : Kind::Constant;
        return floats({sumOf([&](const why::DirectPart& part) { return part.kind == kind; })});
    }
    if (key == "dla.rest") {
        std::vector<double> rest;
        for (int layer = 0; layer < m_base.layerCount; ++layer)
            rest.push_back(sumOf([&](const why::DirectPart& part) {
                return part.layer == layer && (part.kind == Kind::Mlp || part.kind == Kind::Bias);
            }));
        return floats(rest);
    }
    const auto heads = headsOf(key);
    if (!heads.has_value())
        return heads.error();
    std::vector<double> values;
    for (const why::DirectPart& part : all->parts)
        if (part.kind == Kind::Head && part.layer == heads->layer && part.site == heads->site
            && part.head < heads->count)
            values.push_back(part.value);
    if (values.empty())
        return inputError("The heads of '" + key + "' write nothing into the stream themselves.");
    return floats(values);
}

Result<at::Tensor> AnalysisDump::patchedHeads(const std::string& key) const
{
    const auto heads = headsOf(key);
    if (!heads.has_value())
        return heads.error();
    const bool noise = firstWord(key) == "noise", lastOnly = firstWord(key) == "patch_last";
    const int last = static_cast<int>(m_clean->length()) - 1;
    std::vector<why::PatchSet> sets;
    for (int head = 0; head < heads->count; ++head) {
        why::PatchPoint point{why::PatchPart::Head, heads->layer, heads->site, head};
        if (lastOnly)
            point.positions = why::PositionSpan{last, last};
        sets.push_back({point});
    }
    const auto values = why::patchedDifferences(m_model, m_base, noise ? *m_clean : *m_corrupt,
                                                noise ? *m_corrupt : *m_clean, m_input.metric, sets);
    if (!values.has_value())
        return values.error();
    return floats(*values);
}

Result<at::Tensor> AnalysisDump::patchedStream() const
{
    std::vector<why::PatchSet> sets;
    const int length = static_cast<int>(m_clean->length());
    for (int layer = 0; layer < m_base.layerCount; ++layer)
        for (int position = 0; position < length; ++position)
            sets.push_back(
                {{.part = why::PatchPart::Stream, .layer = layer, .positions = why::PositionSpan{position, position}}});
    const auto values = why::patchedDifferences(m_model, m_base, *m_corrupt, *m_clean, m_input.metric, sets);
    if (!values.has_value())
        return values.error();
    return floats(*values).view({m_base.layerCount, length});
}

Result<at::Tensor> AnalysisDump::weights(const std::string& key) const
{
    const std::vector<std::string> words = wordsBehind(key);
    const auto factors = [&](const std::string& word) -> Result<std::vector<why::HeadFactors>> {
        const auto layer = layerOf(word, m_model);
        const lm::MixerSpec* mixer =
            layer ? m_model.spec().layers[static_cast<std::size_t>(*layer)].find(Site::Any) : nullptr;
        if (!mixer)
            return unknownDumpKey(key);
        return why::headFactors(m_model, *layer, mixer->site());
    };
    if (firstWord(key) == "copying" && words.size() == 1) {
        const auto heads = factors(words[0]);
        if (!heads.has_value())
            return heads.error();
        return floats(why::copyingScores(*why::vocabularyMap(m_model), *heads));
    }
    if (words.size() != 3 || words[0].size() != 1 || std::string("qkv").find(words[0]) == std::string::npos)
        return unknownDumpKey(key);
    const auto senders = factors(words[1]), receivers = factors(words[2]);
    for (const auto* heads : {&senders, &receivers})
        if (!heads->has_value())
            return heads->error();
    const auto scores = why::compositionScores(*senders, *receivers,
                                               words[0] == "q"   ? why::Composition::Query
                                               : words[0] == "k" ? why::Composition::Key
                                                                 : why::Composition::Value);
    if (!scores.has_value())
        return scores.error();
    std::vector<at::Tensor> rows;
    for (const std::vector<double>& row : *scores)
        rows.push_back(floats(row));
    return at::stack(rows);
}

} // namespace headscope::engine
