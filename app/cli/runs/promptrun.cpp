// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/promptrun.h"

#include "app/workbench/prompt/prompt.h"
#include "core/analysis/convention.h"
#include "core/text/writtentext.h"

#include <algorithm>

namespace headscope::cli {

namespace {

constexpr const char* kBlanks = " \t\n\r\f\v";

// The tokens that a byte range of the text touches.
figures::TokenRange rangeOf(const tasks::Segment& segment, const text::Encoding& encoding)
{
    figures::TokenRange range{segment.role, -1, -1, segment.target};
    for (std::size_t t = 0; t < encoding.offsets.size(); ++t) {
        const auto [begin, end] = encoding.offsets[t];
        if (end <= begin || begin >= segment.end || end <= segment.begin)
            continue;
        if (range.begin < 0)
            range.begin = static_cast<int>(t);
        range.end = static_cast<int>(t) + 1;
    }
    return range;
}

} // namespace

Result<EncodedPrompt> promptOfText(const OpenModel& open, const std::string& text)
{
    const auto encoding = app::encodePrompt(open, text, app::PromptOrigin::OwnText);
    if (!encoding.has_value())
        return encoding.error();
    EncodedPrompt prompt{.text = text, .source = "text", .ids = encoding->ids};
    prompt.tokens = text::writtenTexts(text, *encoding);
    prompt.spellings = encoding->tokens;
    return prompt;
}

Result<EncodedPrompt> promptOfExample(const OpenModel& open, const tasks::TaskSet& set, int sample)
{
    const auto asked = app::promptOf(set, sample);
    if (!asked.has_value())
        return asked.error();
    const auto encoding = app::encodePrompt(open, asked->text, asked->origin);
    if (!encoding.has_value())
        return encoding.error();
    EncodedPrompt prompt{.text = asked->text, .source = asked->source, .ids = encoding->ids, .answer = asked->answer};
    prompt.tokens = text::writtenTexts(asked->text, *encoding);
    prompt.spellings = encoding->tokens;
    for (const tasks::Segment& segment : asked->segments)
        if (const figures::TokenRange range = rangeOf(segment, *encoding); range.begin >= 0)
            prompt.segments.push_back(range);
    prompt.answer.erase(prompt.answer.find_last_not_of(kBlanks) + 1);
    prompt.answer.erase(0, std::min(prompt.answer.find_first_not_of(kBlanks), prompt.answer.size()));
    return prompt;
}

std::string headName(const lm::ModelSpec& spec, const interventions::HeadRef& head)
{
    const auto mixer = lm::findMixer(spec, head);
    if (mixer.has_value() && (*mixer)->channels() && head.site == interventions::Site::Any)
        return "L" + std::to_string(head.layer) + "C" + std::to_string(head.head);
    return interventions::toText(head);
}

analysis::MatrixConvention conventionOf(lm::MixerKind kind, bool withD)
{
    if (kind == lm::MixerKind::Attention)
        return {};
    using analysis::MatrixKind;
    return {.kind = lm::headsAreChannels(kind) ? MatrixKind::HiddenChannel : MatrixKind::Hidden,
            .hasD = lm::keepsOwnToken(kind),
            .withD = withD};
}

} // namespace headscope::cli
