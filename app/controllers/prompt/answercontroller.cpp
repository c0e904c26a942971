// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/prompt/answercontroller.h"

#include "app/present/heads/headmarks.h"
#include "app/present/text.h"
#include "app/state/modelheads.h"
#include "widgets/pattern/patterndata.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace headscope::gui {

using Verdict = widgets::ModelAnswer::Verdict;

namespace {

constexpr std::size_t kShown = 4;    // tokens
constexpr double kLeastLikely = 0.1; // of a word that is not the answer
constexpr double kLeastRead = 0.1; // of a head's last row, on the answer; an SSM head spreads the rest over the prompt

/// The last word of a text that begins like this.
std::optional<app::Span> lastWordLike(const std::string& text, const std::string& written)
{
    const auto isLetter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || (c & 0x80) != 0; };
    const std::string begin = written.substr(std::min(written.find_first_not_of(" \n"), written.size()));
    if (begin.empty() || !isLetter(begin.front()))
        return std::nullopt;
    std::size_t at = text.rfind(begin);
    while (at != std::string::npos && at > 0 && isLetter(text[at - 1])) // within a word
        at = text.rfind(begin, at - 1);
    if (at == std::string::npos)
        return std::nullopt;
    std::size_t end = at + begin.size();
    while (end < text.size() && isLetter(text[end]))
        ++end;
    return app::Span{Role::Answer, at, end, true};
}

QString answerLabel(const std::string& token)
{
    const QString words = text(token);
    return widgets::tokenLabel(words.trimmed().isEmpty() ? words : words.trimmed());
}

} // namespace

AnswerController::AnswerController(WindowState& state, app::Door& door, widgets::AnswersView& view, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_view(view)
{
    connect(&state, &WindowState::promptChanged, this, [this](bool reread) {
        if (reread)
            m_before = {};
        for (const Side side : kSides) {
            m_found[indexOf(side)].reset();
            refresh(side);
        }
    });
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        m_before[indexOf(side)] = {};
        m_reader[indexOf(side)].reset();
        m_found[indexOf(side)].reset();
        refresh(side);
    });
    connect(&state, &WindowState::ablationChanged, this, &AnswerController::refresh);
    connect(&state, &WindowState::headChanged, this, [this](Side side) {
        showInPlaceOfRanked(side);
        m_found[indexOf(side)].reset(); // another head was chosen
    });
    door.on<app::NextTokensRequest>(this, &AnswerController::show);
    door.on<app::ReadersRequest>(
        this, [this](const app::ReadersRequest& request, const auto& scores) { takeReader(request, *scores); });
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane) {
        if (lane.is<app::NextTokensRequest>())
            m_view.clear(lane.side); // the prompt says why
    });
}

void AnswerController::refresh(Side side)
{
    const app::Prompt& prompt = m_state.promptOf(side);
    if (!m_state.hasModel(side) || m_state.side(side).isStored() || prompt.text.empty()) {
        m_door.withdraw<app::NextTokensRequest>(side);
        return m_view.clear(side);
    }
    m_view.setWaiting(side);
    m_door.ask(app::NextTokensRequest{side, prompt, m_state.side(side).ablation});
}

void AnswerController::show(const app::NextTokensRequest& request,
                            const std::shared_ptr<const app::NextTokenReply>& reply)
{
    if (!m_state.hasModel(request.side) || reply->tokens.empty()) // it may have been closed meanwhile
        return m_view.clear(request.side);
    const QString wanted = text(request.prompt.answer).trimmed();
    widgets::ModelAnswer answer{.said = answerLabel(reply->written)};
    const bool right = !wanted.isEmpty() && text(reply->written).trimmed() == wanted;
    if (!wanted.isEmpty())
        answer.verdict = right ? Verdict::Right : Verdict::Wrong;
    else if (const auto place = lastWordLike(request.prompt.text, reply->written);
             place && text(request.prompt.text.substr(place->begin, place->end - place->begin)) == answer.said)
        answer.verdict = Verdict::InPrompt;
    for (std::size_t i = 0; i < std::min(kShown, reply->tokens.size()); ++i)
        answer.likely.append({answerLabel(reply->tokens[i].first), reply->tokens[i].second});
    Before& before = m_before[indexOf(request.side)];
    if (request.ablation.empty()) {
        before = {request.prompt.text, answer.said, right};
    } else if (before.prompt == request.prompt.text && before.said != answer.said) {
        answer.before = before.said;
        if (before.right)
            answer.verdict = Verdict::WasRight;
    }
    m_view.setAnswer(request.side, answer);
    // Once for all samples: stepping through them does not change the head.
    if (request.ablation.empty() && (request.prompt.task.empty() || !m_reader[indexOf(request.side)]))
        askReaders(request.side, request.prompt, *reply);
}

// Marks the answer, or if the prompt does not contain it, the most likely other word that it does contain.
void AnswerController::askReaders(Side side, const app::Prompt& prompt, const app::NextTokenReply& reply)
{
    auto place = lastWordLike(prompt.text, reply.written);
    for (const auto& [token, probability] : reply.tokens)
        if (!place && probability >= kLeastLikely)
            place = lastWordLike(prompt.text, token);
    if (!place || m_exam || isLarge(*m_state.side(side).model))
        return;
    app::Prompt marked = prompt;
    std::erase_if(marked.spans, &app::Span::target);
    marked.spans.push_back(*place);
    m_door.ask(app::ReadersRequest{{side, marked, {}}});
}

void AnswerController::takeReader(const app::ReadersRequest& request, const app::HeadScores& scores)
{
    const auto read = scores.scores.find("target");
    const auto& shown = m_reader[indexOf(request.side)];
    const SideState& now = m_state.side(request.side);
    if (!now.model || read == scores.scores.end() || m_state.promptOf(request.side).text != request.prompt.text
        || (shown && *shown != now.head))
        return;
    const auto amount = [&now](const app::HeadValue& head) {
        return std::isnan(head.value) || !isOfSite(head, now.site) ? 0 : head.value;
    };
    const auto most = std::ranges::max_element(read->second, {}, amount);
    if (most == read->second.end() || amount(*most) < kLeastRead)
        return;
    m_found[indexOf(request.side)] = most->head;
    if (request.prompt.task.empty())
        return showReader(request.side);
    showInPlaceOfRanked(request.side);
}

void AnswerController::showReader(Side side)
{
    m_reader[indexOf(side)] = std::exchange(m_found[indexOf(side)], std::nullopt);
    m_state.setHead(side, *m_reader[indexOf(side)]);
}

// On a sample the reader replaces the head that the ranking chose, or replaces it once the ranking has chosen: the
// costliest head may serve every token and read nothing of the answer. A reader whose removal costs nothing is idle.
void AnswerController::showInPlaceOfRanked(Side side)
{
    const SideState& now = m_state.side(side);
    const auto& found = m_found[indexOf(side)];
    if (!found || !now.effects || mostImportantHead(*now.effects, now.site) != std::optional(now.head))
        return;
    const auto own = std::ranges::find(*now.effects, *found, &app::HeadValue::head);
    if (own != now.effects->end() && own->delta < 0)
        showReader(side);
}

} // namespace headscope::gui
