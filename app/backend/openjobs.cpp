// SPDX-License-Identifier: GPL-3.0-or-later
// What is opened, and what a prompt is to an open model.

#include "app/backend/models.h"
#include "core/engine/pattern/patterns.h"
#include "core/engine/questions/question.h"

#include <cctype>

namespace headscope::app {

using engine::Urgency;

namespace {

constexpr int kLikely = 10;
constexpr int kLongestAnswer = 16; // tokens

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \n");
    return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

bool isLetter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || (c & 0x80) != 0;
}

/// Whether the answer goes on: while it begins the one that is wanted, and of a text of the user's own to the end of
/// its first word, before which spaces may be tokens of their own.
bool goesOn(std::string_view written, std::string_view wanted)
{
    const std::string_view now = trimmed(written);
    return wanted.empty() ? !written.empty() && (written.ends_with(' ') ? now.empty() : isLetter(written.back()))
                          : now.size() < wanted.size() && wanted.starts_with(now);
}

Result<NextTokenReply> nextTokensOf(const Opened& model, std::vector<int> ids, const NextTokensRequest& request)
{
    const std::string_view wanted = trimmed(request.prompt.answer);
    const int most = model.spec().maxPositions;
    NextTokenReply reply;
    for (int tokens = 0; tokens < kLongestAnswer && (most == 0 || std::ssize(ids) <= most); ++tokens) {
        const auto likely = engine::nextTokens(*model.loaded.model, ids, request.ablation, model.donors, kLikely);
        if (!likely.has_value())
            return likely.error();
        if (likely->empty())
            break;
        if (tokens == 0)
            for (const engine::NextToken& token : *likely)
                reply.tokens.emplace_back(engine::tokenText(*model.tokenizer, token.id), token.probability);
        const std::string next = engine::tokenText(*model.tokenizer, likely->front().id);
        if (wanted.empty() && !trimmed(reply.written).empty() && !next.empty() && !isLetter(next.front()))
            break; // the next word
        reply.written += next;
        ids.push_back(likely->front().id);
        if (!goesOn(reply.written, wanted))
            break;
    }
    return reply;
}

WrittenConversation::OfSide written(const Opened& model, const std::vector<text::ChatMessage>& turns)
{
    WrittenConversation::OfSide made{.text = {}, .hasTemplate = model.chat.has_value(), .problem = {}};
    if (!model.chat)
        return made;
    const auto text = model.chat->renderOpen(turns);
    if (text.has_value())
        made.text = *text;
    else
        made.problem = text.error().message;
    return made;
}

// A model without a template reads what the other's writes: a base model may be compared with what was made of it.
WrittenConversation written(Models& models, const std::vector<text::ChatMessage>& turns)
{
    WrittenConversation made;
    for (const Side side : kSides)
        if (const auto model = models.opened(side); model.has_value())
            made.sides[indexOf(side)] = written(**model, turns);
    for (const Side side : kSides)
        if (!made.sides[indexOf(side)].hasTemplate)
            made.sides[indexOf(side)].text = made.sides[indexOf(otherSide(side))].text;
    return made;
}

} // namespace

Job<std::vector<std::string>> jobOf(const OpenSessionRequest& request)
{
    return {.urgency = Urgency::Change,
            .work = [request](Models& models, const Control&) { return models.openSession(request.file); }};
}

Job<ModelSummary> jobOf(const OpenModelRequest& request)
{
    return {.urgency = Urgency::Change, .work = [request](Models& models, const Control& control) {
                return models.openModel(request.side, request.wanted, control);
            }};
}

Job<Prompt> jobOf(const SampleRequest& request)
{
    return {.urgency = Urgency::Look,
            .work = [request](Models& models, const Control&) { return models.sample(request.task, request.index); }};
}

Job<WrittenConversation> jobOf(const ConversationRequest& request)
{
    return {.urgency = Urgency::Look, .work = [request](Models& models, const Control&) -> Result<WrittenConversation> {
                return written(models, request.turns);
            }};
}

Job<TokenizedPrompt> jobOf(const TokensRequest& request)
{
    return {.urgency = Urgency::Look, .work = [request](Models& models, const Control&) -> Result<TokenizedPrompt> {
                const auto read = models.read(request.side, request.prompt);
                if (!read.has_value())
                    return read.error();
                const auto& [model, encoding] = *read;
                // One that is too long has its tokens all the same: it is cut at one of them.
                std::vector<int> ids = encoding.ids;
                if (const int most = model->spec().maxPositions; most > 0 && static_cast<int>(ids.size()) > most)
                    ids.resize(static_cast<std::size_t>(most));
                if (const auto fits = engine::checkPrompt(*model->loaded.model, ids); !fits.has_value())
                    return fits.error();
                return tokenized(request.prompt.text, encoding);
            }};
}

Job<NextTokenReply> jobOf(const NextTokensRequest& request)
{
    return {.urgency = Urgency::Look, .work = [request](Models& models, const Control&) -> Result<NextTokenReply> {
                const auto read = models.read(request.side, request.prompt);
                if (!read.has_value())
                    return read.error();
                const auto& [model, encoding] = *read;
                return nextTokensOf(*model, encoding.ids, request);
            }};
}

} // namespace headscope::app
