// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/exchange.h"

#include <algorithm>
#include <array>
#include <map>

namespace headscope::tasks {

namespace {

constexpr const char* kBlanks = " \t\n\r\f\v";
constexpr std::array kExchanges = {Exchange::Key, Exchange::Value, Exchange::Binding, Exchange::Name};

/// The pieces of one key with its value, or of one letter with its option; null: there is none.
struct SegmentPair {
    const Segment* key = nullptr;
    const Segment* value = nullptr; ///< or option
    bool target = false;
};

std::map<int, SegmentPair> groupsOf(const Example& example)
{
    std::map<int, SegmentPair> groups;
    for (const Segment& segment : example.segments) {
        if (segment.role != Role::Key && segment.role != Role::Value && segment.role != Role::Option)
            continue;
        SegmentPair& group = groups[segment.group];
        (segment.role == Role::Key ? group.key : group.value) = &segment;
        group.target |= segment.target;
    }
    std::erase_if(groups, [](const auto& entry) { return !entry.second.value; });
    return groups;
}

std::string textIn(const Example& example, const Segment& segment)
{
    return example.context.substr(segment.begin, segment.end - segment.begin);
}

std::string stripped(const std::string& text)
{
    const std::size_t begin = text.find_first_not_of(kBlanks);
    return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::string goldText(const Example& example)
{
    const auto gold = static_cast<std::size_t>(std::max(example.gold, 0));
    return gold < example.continuations.size() ? example.continuations[gold] : std::string();
}

// The piece of a group that stands in the answer when the group is the right one; null: neither does.
const Segment* answering(const Example& example, const std::map<int, SegmentPair>& groups, const SegmentPair& group)
{
    const std::string gold = stripped(goldText(example));
    for (const auto& [number, other] : groups) {
        if (!other.target)
            continue;
        if (textIn(example, *other.value) == gold)
            return group.value;
        if (other.key && textIn(example, *other.key) == gold)
            return group.key;
    }
    return nullptr;
}

// A text in the place of the gold one, with the same blanks around it.
std::string asAnswer(const Example& example, const std::string& text)
{
    std::string gold = goldText(example);
    const std::size_t begin = gold.find_first_not_of(kBlanks);
    return begin == std::string::npos ? text : gold.replace(begin, gold.find_last_not_of(kBlanks) + 1 - begin, text);
}

void setGold(Example& example, const std::string& text)
{
    const std::string answer = asAnswer(example, text);
    const auto choice = std::find(example.continuations.begin(), example.continuations.end(), answer);
    example.gold = static_cast<int>(choice - example.continuations.begin());
    if (choice != example.continuations.end())
        return;
    example.continuations = {answer};
    example.gold = 0;
}

/// Pieces of the context and what is to stand there; the segments follow.
void replacePieces(Example& example, std::vector<std::pair<Segment, std::string>> pieces)
{
    std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.first.begin > b.first.begin; });
    for (const auto& [piece, text] : pieces) { // from the end, so that places before stay
        example.context.replace(piece.begin, piece.end - piece.begin, text);
        const auto moved = [&, end = piece.end, size = text.size(), begin = piece.begin](std::size_t at) {
            return at >= end ? at - (end - begin) + size : at;
        };
        for (Segment& segment : example.segments) {
            segment.begin = moved(segment.begin);
            segment.end = moved(segment.end);
        }
    }
}

Error withoutPieces(const Example& example, Exchange exchange)
{
    return inputError("Sample " + std::to_string(example.row) + " of " + example.task + " has no two "
                      + (exchange == Exchange::Key ? "keys of which one is asked for" : "values that are marked")
                      + "; expected another of the exchanges key, value, binding and name.");
}

} // namespace

const char* name(Exchange exchange)
{
    switch (exchange) {
    case Exchange::Key: return "key";
    case Exchange::Value: return "value";
    case Exchange::Binding: return "binding";
    case Exchange::Name: break;
    }
    return "name";
}

Result<Exchange> parseExchange(std::string_view text)
{
    for (const Exchange exchange : kExchanges)
        if (text == name(exchange))
            return exchange;
    return inputError("There is no exchange '" + std::string(text.substr(0, 60))
                      + "'; expected key, value, binding or name.");
}

Exchange exchangeFor(const Example& example)
{
    for (const Exchange exchange : {Exchange::Key, Exchange::Value})
        if (exchanged(example, exchange).has_value())
            return exchange;
    return Exchange::Name;
}

Result<Example> exchanged(const Example& example, Exchange exchange, int place)
{
    const auto groups = groupsOf(example);
    const auto asked =
        std::find_if(groups.begin(), groups.end(), [](const auto& entry) { return entry.second.target; });
    if (exchange == Exchange::Name || place < 1 || std::ssize(groups) <= place || asked == groups.end()
        || !example.contexts.empty())
        return withoutPieces(example, exchange);
    const auto next = std::next(groups.begin(), (std::distance(groups.begin(), asked) + place) % std::ssize(groups));
    const Segment* answer = answering(example, groups, next->second);
    if (!answer)
        return withoutPieces(example, exchange);
    const std::string right = textIn(example, *answer);
    std::vector<std::pair<Segment, std::string>> pieces;
    const auto swap = [&](const Segment* one, const Segment* other) {
        if (!one || !other)
            return;
        pieces.emplace_back(*one, textIn(example, *other));
        pieces.emplace_back(*other, textIn(example, *one));
    };
    if (exchange == Exchange::Value)
        swap(asked->second.value, next->second.value);
    if (exchange == Exchange::Binding)
        swap(asked->second.key, next->second.key);
    for (const Segment& segment : example.segments)
        if (exchange == Exchange::Key && segment.role == Role::Query && next->second.key)
            pieces.emplace_back(segment, textIn(example, *next->second.key));
    if (pieces.empty())
        return withoutPieces(example, exchange);
    Example other = example;
    if (exchange != Exchange::Value || answer == next->second.key) // another pair is right, or another letter
        for (Segment& segment : other.segments)
            segment.target = segment.role != Role::Query && segment.group == next->first;
    replacePieces(other, std::move(pieces));
    setGold(other, right);
    return other;
}

Example withChoices(const Example& example)
{
    Example other = example;
    const auto groups = groupsOf(example);
    if (example.scoring != Scoring::LogLikelihood || example.continuations.size() != 1)
        return other;
    for (const auto& [number, group] : groups)
        if (const Segment* answer = group.target ? nullptr : answering(example, groups, group))
            other.continuations.push_back(asAnswer(example, textIn(example, *answer)));
    if (other.continuations.size() > 1)
        other.scoring = Scoring::MultipleChoice;
    other.gold = 0;
    return other;
}

} // namespace headscope::tasks
