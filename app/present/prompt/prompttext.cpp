// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/prompt/prompttext.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace headscope::gui {

namespace {

std::size_t bytesBefore(const std::string& text, int units)
{
    return static_cast<std::size_t>(QString::fromStdString(text).left(units).toUtf8().size());
}

} // namespace

std::vector<int> unitsBefore(const std::string& text)
{
    std::vector<int> units(text.size() + 1, 0);
    int count = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        units[i] = count;
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xC0U) != 0x80U) // the first byte of a character; four bytes are a surrogate pair
            count += byte >= 0xF0U ? 2 : 1;
    }
    units[text.size()] = count;
    return units;
}

std::vector<widgets::TextSpan> textSpans(const app::Prompt& prompt)
{
    const std::vector<int> units = unitsBefore(prompt.text);
    std::vector<widgets::TextSpan> spans;
    for (const app::Span& span : prompt.spans)
        if (span.begin < span.end && span.end < units.size())
            spans.push_back({span.role, units[span.begin], units[span.end], span.target || span.role == Role::Query});
    return spans;
}

std::vector<int> tokenStarts(const app::Prompt& prompt, const app::TokenizedPrompt& tokens)
{
    const std::vector<int> units = unitsBefore(prompt.text);
    std::vector<int> starts;
    for (const auto& [begin, end] : tokens.offsets)
        if (begin < end && end < units.size() && (starts.empty() || units[begin] > starts.back()))
            starts.push_back(units[begin]);
    return starts;
}

app::Prompt edited(const app::Prompt& before, const QString& text)
{
    app::Prompt after{.text = text.toStdString()};
    const std::string& was = before.text;
    const std::string& is = after.text;
    const std::size_t shorter = std::min(was.size(), is.size());
    std::size_t head = 0, tail = 0;
    while (head < shorter && was[head] == is[head])
        ++head;
    while (tail < shorter - head && was[was.size() - 1 - tail] == is[is.size() - 1 - tail])
        ++tail;
    for (app::Span span : before.spans) {
        const bool inFront = span.end <= head, behind = span.begin >= was.size() - tail;
        if (behind && !inFront) {
            span.begin = span.begin + is.size() - was.size();
            span.end = span.end + is.size() - was.size();
        }
        if (inFront || behind)
            after.spans.push_back(span);
    }
    return after;
}

app::Prompt withoutBeginning(const app::Prompt& prompt, const app::TokenizedPrompt& tokens, int most)
{
    auto over = static_cast<int>(tokens.ids.size()) - most;
    std::size_t begin = 0;
    for (const auto& [first, last] : tokens.offsets)
        if (first < last && over-- <= 0) {
            begin = first;
            break;
        }
    while (begin < prompt.text.size() && (static_cast<unsigned char>(prompt.text[begin]) & 0xC0U) == 0x80U)
        ++begin; // of a character that several tokens share nothing is kept
    app::Prompt after{.text = prompt.text.substr(std::min(begin, prompt.text.size()))};
    for (const app::Span& span : prompt.spans)
        if (span.begin >= begin)
            after.spans.push_back({span.role, span.begin - begin, span.end - begin, span.target});
    return after;
}

app::Prompt continued(const app::Prompt& prompt, const std::string& written)
{
    app::Prompt after = prompt;
    // The text is no longer the sample's; its marks stay where they are.
    after.task.clear();
    after.sample = after.samples = 0;
    after.text += written;
    if (after.textOfB)
        *after.textOfB += written;
    if (!after.turns.empty() && after.turns.back().role != "assistant")
        after.turns.push_back({"assistant", {}});
    if (!after.turns.empty())
        after.turns.back().content += written;
    return after;
}

namespace {

// A query between quotes asks for the key without them.
std::string_view requestedWords(std::string_view text)
{
    const auto isWord = [](char c) {
        return static_cast<unsigned char>(c) >= 0x80U || std::isalnum(static_cast<unsigned char>(c));
    };
    const auto first = std::ranges::find_if(text, isWord);
    text.remove_prefix(static_cast<std::size_t>(first - text.begin()));
    while (!text.empty() && !isWord(text.back()))
        text.remove_suffix(1);
    return text;
}

/// Sets what counts as the answer: pieces marked as one; else the value behind the key that the query asks for; else
/// every marked value. The right option of a task stays.
void settleTargets(app::Prompt& prompt)
{
    const auto words = [&](const app::Span& span) {
        return requestedWords(std::string_view(prompt.text).substr(span.begin, span.end - span.begin));
    };
    const auto is = [](Role role) { return [role](const app::Span& span) { return span.role == role; }; };
    const bool answers = std::ranges::any_of(prompt.spans, is(Role::Answer));
    const auto query = std::ranges::find_if(prompt.spans, is(Role::Query));
    std::vector<bool> asked(prompt.spans.size());
    for (std::size_t i = 0; query != prompt.spans.end() && i + 1 < prompt.spans.size(); ++i)
        if (prompt.spans[i].role == Role::Key && prompt.spans[i + 1].role == Role::Value
            && words(prompt.spans[i]) == words(*query))
            asked[i] = asked[i + 1] = true;
    const bool any = std::ranges::find(asked, true) != asked.end();
    for (std::size_t i = 0; i < prompt.spans.size(); ++i) {
        app::Span& span = prompt.spans[i];
        span.target = answers                     ? span.role == Role::Answer
                      : any                       ? asked[i]
                      : span.role == Role::Option ? span.target
                                                  : span.role == Role::Value;
    }
}

} // namespace

app::Prompt marked(const app::Prompt& prompt, Role role, int begin, int end)
{
    app::Prompt after = prompt;
    const app::Span made{role, bytesBefore(prompt.text, begin), bytesBefore(prompt.text, end), false};
    if (made.begin >= made.end)
        return after;
    std::erase_if(after.spans, [&](const app::Span& span) { return span.begin < made.end && made.begin < span.end; });
    after.spans.insert(std::upper_bound(after.spans.begin(), after.spans.end(), made,
                                        [](const auto& a, const auto& b) { return a.begin < b.begin; }),
                       made);
    settleTargets(after);
    return after;
}

std::optional<interventions::PositionSpan> tokensAt(const std::string& text, const app::TokenizedPrompt& tokens,
                                                    int begin, int end)
{
    const std::size_t first = bytesBefore(text, begin), last = bytesBefore(text, end);
    std::optional<interventions::PositionSpan> span;
    for (std::size_t i = 0; begin < end && i < tokens.offsets.size(); ++i)
        if (const auto& [from, to] = tokens.offsets[i]; from < last && first < to) {
            const int token = static_cast<int>(i);
            span = {span ? span->first : token, token};
        }
    return span;
}

} // namespace headscope::gui
