// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/why/sweepcontroller.h"

#include "app/controllers/why/pagework.h"
#include "app/present/heads/sidenames.h"
#include "app/present/text.h"
#include "app/state/modelheads.h"
#include "widgets/look/numbertext.h"
#include "widgets/pattern/patterndata.h"

#include <algorithm>
#include <utility>

namespace headscope::gui {

using widgets::SweepChoice;
using widgets::SweepPage;

namespace {

constexpr int kQuickTokens = 512; // of a prompt that is swept unasked

bool sweepsHeads(const app::ModelSummary& model, bool attention)
{
    return std::ranges::any_of(model.layers, [attention](const auto& layer) {
        return std::ranges::find(layer, attention, &app::MixerSummary::attention) != layer.end();
    });
}

// "L2", "L2–L4".
QString layersOf(const app::SweepWindow& window)
{
    const QString first = QStringLiteral("L%1").arg(window.first);
    return window.first == window.last ? first : first + QStringLiteral("–L%1").arg(window.last);
}

} // namespace

SweepController::SweepController(WindowState& state, app::Door& door, SweepPage& page, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_page(page)
{
    connect(&page, &SweepPage::shown, this, [this] {
        takeTokens();
        startAtOnce();
    });
    connect(&page, &SweepPage::startRequested, this, &SweepController::start);
    connect(&page, &SweepPage::stopRequested, this, [this] { m_door.stopBoth<app::SweepQuestion>(); });
    connect(&state, &WindowState::promptChanged, this, [this] {
        for (const Side side : kSides)
            forget(side);
    });
    connect(&state, &WindowState::patternChanged, this, [this] {
        takeTokens();
        startAtOnce();
    });
    connect(&state, &WindowState::modelChanged, this, &SweepController::forget);
    connect(&state, &WindowState::ablationChanged, this, &SweepController::forget);
    door.on<app::SweepQuestion>(this, [this](Side side, const auto& reply) {
        if (reply->question.of.state != m_state.stateOf(side))
            return;
        m_shown[indexOf(side)] = reply;
        refresh();
        if (side == Side::A && readAlike())
            ask(Side::B, reply->tokens);
        else if (side == Side::A && !m_shown[indexOf(Side::B)] && !m_door.isRunning<app::SweepQuestion>(Side::B))
            ask(Side::B, {}); // its tokens were not known before
    });
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane, const QString& sentence) {
        if (lane.is<app::SweepQuestion>()) {
            m_shown[indexOf(lane.side)].reset();
            refresh();
            if (lane.side == Side::A && readAlike())
                ask(Side::B, {}); // it waited for the tokens of A
            m_page.setSentence(sentence);
        }
    });
    showWork<app::SweepQuestion>(door, page);
    refresh();
}

void SweepController::takeTokens()
{
    const Side active = m_state.activeSide();
    const bool reads = m_state.hasModel(active) && m_state.side(active).patternProblem.isEmpty();
    const Side side = reads ? active : otherSide(active);
    const auto& pattern = m_state.side(side).pattern;
    // What was chosen in the other side's tokens of this text stays, and is found in those of this side.
    if (!pattern || isOffered(side) || (pattern->text == m_offered.text && isOffered(otherSide(side))))
        return;
    m_offered = {side, m_state.side(side).model->hash, pattern->text, pattern->prompt.tokens};
    for (const Side each : kSides)
        forget(each);
    QStringList tokens;
    for (const std::string& token : pattern->prompt.tokens)
        tokens.append(text(token));
    m_page.setTokens(tokens);
    SweepChoice choice = m_page.choice();
    choice.firstQuery = choice.lastQuery = std::max(0, static_cast<int>(tokens.size()) - 1);
    choice.firstKey = choice.lastKey = 0;
    for (const app::Span& span : pattern->spans)
        if (span.target && span.end > span.begin && static_cast<int>(span.end) <= choice.firstQuery) {
            choice.firstKey = static_cast<int>(span.begin);
            choice.lastKey = static_cast<int>(span.end) - 1;
        }
    m_page.setChoice(choice);
}

// Where it takes a moment the page answers as soon as it is looked at.
void SweepController::startAtOnce()
{
    bool wanted = false;
    for (const Side side : kSides) {
        const SideState& now = m_state.side(side);
        if (!now.model || now.isStored())
            continue;
        if (isSlowToRank(*now.model) || m_door.isRunning<app::SweepQuestion>(side)
            || (now.pattern && static_cast<int>(now.pattern->prompt.ids.size()) > kQuickTokens))
            return;
        wanted |= now.pattern && now.pattern->text == m_state.promptOf(side).text && !m_shown[indexOf(side)]
                  && m_problems[indexOf(side)].isEmpty();
    }
    if (wanted && m_page.isVisible())
        start();
}

void SweepController::start()
{
    ask(Side::A, {});
    if (!readAlike())
        ask(Side::B, {});
}

// Both models are asked about the same two tokens, where these are the same to them: those of A.
bool SweepController::readAlike() const
{
    const auto &a = m_state.side(Side::A).pattern, &b = m_state.side(Side::B).pattern;
    return a && b && m_state.hasModel(Side::A) && m_state.hasModel(Side::B) && !m_state.side(Side::A).isStored()
           && a->prompt.ids == b->prompt.ids;
}

bool SweepController::isOffered(Side side) const
{
    const SideState& now = m_state.side(side);
    if (now.pattern)
        return now.pattern->text == m_offered.text && now.pattern->prompt.tokens == m_offered.tokens;
    // An ablation may leave no map of the head; the tokens are the same.
    return now.model && side == m_offered.side && now.model->hash == m_offered.model
           && m_state.promptOf(side).text == m_offered.text;
}

// A word may be several tokens to this side, or a part of one.
std::optional<interventions::PositionSpan> SweepController::spanOf(Side side,
                                                                   const interventions::PositionSpan& other) const
{
    std::vector<int> found;
    for (int token = other.first; token <= other.last; ++token)
        found.push_back(m_state.partner(otherSide(side), token));
    const int count = static_cast<int>(m_state.side(side).pattern->prompt.ids.size());
    for (int token = 0; token < count; ++token)
        if (const int there = m_state.partner(side, token); there >= other.first && there <= other.last)
            found.push_back(token);
    std::erase(found, -1);
    if (found.empty())
        return std::nullopt;
    const auto [first, last] = std::ranges::minmax(found);
    return interventions::PositionSpan{first, last};
}

std::optional<SweepChoice> SweepController::choiceOf(Side side)
{
    SweepChoice choice = m_page.choice();
    QString& problem = m_problems[indexOf(side)];
    problem.clear();
    const auto isCurrent = [this](Side each) {
        return isOffered(each) && m_state.promptOf(each).text == m_offered.text;
    };
    if (isCurrent(side))
        return choice;
    const SideState& now = m_state.side(side);
    if (!now.pattern || now.pattern->text != m_state.promptOf(side).text || !isCurrent(otherSide(side))) {
        problem = now.patternProblem; // without one it is still being read
        return std::nullopt;
    }
    for (const auto& [first, last] :
         {std::pair(&choice.firstQuery, &choice.lastQuery), std::pair(&choice.firstKey, &choice.lastKey)}) {
        const auto span = spanOf(side, {*first, *last});
        if (!span) {
            const std::string& token = m_offered.tokens[static_cast<std::size_t>(*first)];
            problem =
                tr("%1 has no token for “%2” and is not swept.").arg(letterOf(side), widgets::tokenLabel(text(token)));
            return std::nullopt;
        }
        *first = span->first;
        *last = span->last;
    }
    return choice;
}

void SweepController::ask(Side side, const app::AnswerTokens& tokens)
{
    const app::Prompt& prompt = m_state.promptOf(side);
    if (!m_state.hasModel(side) || m_state.side(side).isStored() || prompt.text.empty())
        return;
    const auto choice = choiceOf(side);
    if (!choice) {
        if (!m_door.isRunning<app::SweepQuestion>(otherSide(side)))
            refresh();
        return;
    }
    m_page.setSentence(tr("Sweeping the knockout over the layers …"));
    // Without attention there is no softmax that entries could be taken out before.
    const bool softmax = sweepsHeads(*m_state.side(side).model, true);
    m_door.ask(app::SweepQuestion{.of = {.state = m_state.stateOf(side), .prompt = prompt, .asked = tokens},
                                  .queries = {choice->firstQuery, choice->lastQuery},
                                  .keys = {choice->firstKey, choice->lastKey},
                                  .beforeSoftmax = choice->beforeSoftmax && softmax,
                                  .width = choice->width});
}

void SweepController::forget(Side side)
{
    m_door.withdraw<app::SweepQuestion>(side);
    m_shown[indexOf(side)].reset();
    m_problems[indexOf(side)].clear();
    refresh();
}

void SweepController::refresh()
{
    std::vector<widgets::ChartLine> lines;
    std::vector<QVariantList> rows;
    QStringList sentences;
    std::vector<double> wholes;
    int layers = 1;
    for (const Side side : kSides) {
        if (const QString& problem = m_problems[indexOf(side)]; !problem.isEmpty())
            sentences.append(problem);
        const auto& shown = m_shown[indexOf(side)];
        if (!shown || !m_state.hasModel(side))
            continue;
        widgets::ChartLine line{.name = stateText(m_state, m_state.stateOf(side)), .side = side};
        const app::SweepWindow* worst = nullptr;
        for (const app::SweepWindow& window : shown->windows) {
            // A window is cut at the ends: its middle is where it would be whole.
            const int middle = window.first == 0 ? window.last - shown->question.width / 2
                                                 : window.first + (shown->question.width - 1) / 2;
            line.points.emplace_back(middle, window.difference);
            rows.push_back(
                {letterOf(side), layersOf(window), window.difference, window.difference - shown->difference});
            if (!worst || window.difference < worst->difference)
                worst = &window;
        }
        wholes.push_back(shown->difference);
        layers = std::max(layers, static_cast<int>(m_state.side(side).model->layers.size()));
        sentences.append(tr("%1: the logit of “%2” minus “%3” is %4; lowest in %5: %6.")
                             .arg(letterOf(side), text(shown->answer), text(shown->distractor),
                                  widgets::signedText(shown->difference), layersOf(*worst),
                                  widgets::signedText(worst->difference)));
        if (!sweepsHeads(*m_state.side(side).model, true))
            sentences.append(tr("%1 has only SSM heads; their entries become zero.").arg(letterOf(side)));
        else if (sweepsHeads(*m_state.side(side).model, false))
            sentences.append(tr("Entries of %1's SSM heads become zero.").arg(letterOf(side)));
        lines.push_back(std::move(line));
    }
    if (lines.size() > 1) // the legend has room for no more
        for (widgets::ChartLine& line : lines)
            line.name = letterOf(line.side);
    m_page.chart()->setSweep(lines, wholes, layers);
    m_page.setNumbers({.columns = {tr("model"), tr("layers"), tr("logit difference"), tr("change")},
                       .rows = std::move(rows),
                       .of = {}});
    m_page.setSentence(sentences.join(QLatin1Char(' ')));
}

} // namespace headscope::gui
