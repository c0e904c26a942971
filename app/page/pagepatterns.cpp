// SPDX-License-Identifier: GPL-3.0-or-later
// The prompts of a page and the maps of heads on them.
#include "app/page/pageparts.h"

#include "core/analysis/patternscores.h"
#include "core/base/printable.h"
#include "core/base/role.h"
#include "sessions/file/sessionpaths.h"
#include "sessions/sessionstore.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace headscope::page {

namespace {

constexpr std::size_t kRankedHeads = 8;

/// Whether the map of a head is shown.
bool isChosen(const Data& data, const Options& options, int model, const std::string& head)
{
    if (options.heads == HeadChoice::All)
        return true;
    if (options.heads == HeadChoice::Named)
        return std::ranges::find(options.named, head) != options.named.end();
    return std::ranges::any_of(data.rankings, [&](const Ranking& ranking) {
        const auto end =
            ranking.heads.begin() + static_cast<std::ptrdiff_t>(std::min(ranking.heads.size(), kRankedHeads));
        return ranking.model == model
               && std::ranges::find(ranking.heads.begin(), end, head, &sessions::RankedHead::head) != end;
    });
}

/// Byte of a cell: its share of the largest magnitude of the row, in steps of 1/255 or, with a sign, of 1/127.
char byteOf(float value, float scale, bool isSigned)
{
    const float top = isSigned ? 127.0F : 255.0F;
    const float steps = scale > 0 && std::isfinite(value) ? std::round(value / scale * top) : 0.0F;
    const int clamped = static_cast<int>(std::clamp(steps, isSigned ? -top : 0.0F, top));
    return static_cast<char>(static_cast<unsigned char>(clamped & 0xFF));
}

void quantise(const Matrix& values, Pattern& pattern)
{
    pattern.rows = values.rows;
    pattern.cols = values.cols;
    for (int r = 0; r < values.rows; ++r) {
        const auto row = values.row(r);
        float largest = 0;
        for (const float value : row)
            largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
        pattern.scales.push_back(largest);
        for (const float value : row)
            pattern.cells.push_back(byteOf(value, largest, pattern.isSigned));
    }
    if (values.rows == 0)
        return;
    const auto last = values.row(values.rows - 1);
    pattern.lastRow.assign(last.begin(), last.end());
}

/// Numbers of the last row, as the window tells them.
void describe(const Sample& sample, Pattern& pattern)
{
    const auto scores = analysis::rowScores(pattern.lastRow, pattern.rows - 1);
    pattern.effectiveTokens = scores.effectiveTokens;
    pattern.sink = scores.sinkMass;
    for (const sessions::PatternSegment& piece : sample.segments)
        if (piece.target && holdsAnswer(piece.role) && piece.end <= pattern.cols)
            pattern.target = pattern.target.value_or(0) + analysis::massOn(pattern.lastRow, piece.begin, piece.end);
}

Sample sampleOf(const sessions::PatternRecord& record, const std::string& identity)
{
    Sample sample{.source = sessions::withoutFolders(record.source),
                  .prompt = record.prompt,
                  .segments = record.segments,
                  .identity = identity};
    for (const std::string& token : record.tokens)
        sample.tokens.push_back(visible(shortened(token, 200)));
    std::erase_if(sample.segments, [&](const sessions::PatternSegment& piece) {
        return piece.begin < 0 || piece.begin >= piece.end || piece.end > std::ssize(sample.tokens);
    });
    return sample;
}

/// The prompts that are shown: the first ones that were kept of the first model that has any, and those asked for.
std::vector<std::string> chosenPrompts(const std::vector<sessions::PatternInfo>& infos, const Data& data,
                                       const Options& options)
{
    std::vector<std::string> chosen;
    for (std::size_t place = 0; place < data.models.size(); ++place)
        for (const sessions::PatternInfo& info : infos) {
            if (placeOf(data, info.modelHash) != static_cast<int>(place)
                || std::ranges::find(chosen, info.promptHash) != chosen.end())
                continue;
            const bool asked = std::ranges::find(options.sources, info.source) != options.sources.end();
            if (asked || std::ssize(chosen) < options.samples)
                chosen.push_back(info.promptHash);
        }
    return chosen;
}

} // namespace

void readPatterns(sessions::SessionStore& session, const Options& options, Data& data)
{
    const auto infos = need(session.patterns());
    const std::vector<std::string> chosen = chosenPrompts(infos, data, options);
    std::set<std::string> all;
    for (const sessions::PatternInfo& info : infos)
        if (placeOf(data, info.modelHash) >= 0)
            all.insert(info.promptHash);
    if (all.size() > chosen.size())
        data.leftOut.push_back({"{0} of {1} prompts with patterns are left out (--samples).",
                                {std::to_string(all.size() - chosen.size()), std::to_string(all.size())}});
    for (const std::string& identity : chosen)
        for (const sessions::PatternInfo& info : infos) {
            const int place = placeOf(data, info.modelHash);
            if (info.promptHash != identity || place < 0 || !isChosen(data, options, place, info.head))
                continue;
            const sessions::PatternRecord record = need(session.pattern(info.id));
            auto sample = std::ranges::find(data.samples, identity, &Sample::identity);
            if (sample == data.samples.end())
                sample = data.samples.insert(data.samples.end(), sampleOf(record, identity));
            Pattern pattern{.model = place,
                            .sample = static_cast<int>(sample - data.samples.begin()),
                            .head = record.head,
                            .ablation = record.ablation,
                            .meaning = sessions::conventionText(record),
                            .isSigned = !analysis::rowsSumToOne(record.convention),
                            .maxError = record.maxError};
            quantise(record.values, pattern);
            describe(*sample, pattern);
            data.patterns.push_back(std::move(pattern));
        }
}

} // namespace headscope::page
