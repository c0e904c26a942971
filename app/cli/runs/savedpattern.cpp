// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/savedpattern.h"

#include "app/notebook/analysisquestion.h"

namespace headscope::cli {

Result<void> rememberPattern(OpenModel& open, const EncodedPrompt& prompt, const interventions::InterventionSet& set,
                             const engine::HeadPattern& pattern, const analysis::MatrixConvention& convention)
{
    if (!open.session)
        return {};
    std::vector<sessions::PatternSegment> segments;
    for (const figures::TokenRange& range : prompt.segments)
        segments.push_back({range.role, range.begin, range.end, range.target});
    const sessions::PatternRecord record{
        .modelHash = open.subject.model.hash,
        .dtype = open.subject.dtype,
        .head = headName(open.spec(), pattern.head),
        .convention = convention,
        .ablation = set.canonical(),
        .prompt = prompt.text,
        .tokens = prompt.tokens,
        .values = pattern.matrix,
        .segments = std::move(segments),
        .source = prompt.source,
        .inputs = app::patternInputs({open.subject, open.spec(), *open.tokenizer, set}, prompt.ids)};
    const auto stored = open.session->putPattern(record);
    return stored.has_value() ? Result<void>() : Result<void>(stored.error());
}

} // namespace headscope::cli
