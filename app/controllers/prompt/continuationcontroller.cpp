// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/prompt/continuationcontroller.h"

#include "app/present/heads/ablationwords.h"
#include "app/present/prompt/prompttext.h"

namespace headscope::gui {

using Ending = app::ContinuationPart::Ending;
using widgets::ContinuationView;

ContinuationController::ContinuationController(WindowState& state, app::Door& door, ContinuationView& view,
                                               QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_view(view), m_growth(state, door)
{
    connect(&view, &ContinuationView::continueRequested, this, qOverload<>(&ContinuationController::start));
    connect(&view, &ContinuationView::stopRequested, this, &ContinuationController::stop);
    connect(&view, &ContinuationView::takeOverRequested, this, &ContinuationController::takeOver);
    door.on<app::ContinuationRequest>(this, [this](Side side, const auto& part) { partArrived(side, *part); });
    connect(&door, &app::Door::cancelled, this, [this](const app::Lane& lane) {
        if (lane.is<app::ContinuationRequest>())
            finish(lane.side, tr("stopped"));
    });
    connect(&door, &app::Door::failed, this, [this](const app::Lane& lane) {
        if (lane.is<app::ContinuationRequest>())
            finish(lane.side, tr("failed")); // the message bar tells why
    });
    // What is written belongs to a prompt, a model and a set of heads. Another prompt or model ends it; other heads
    // write anew.
    connect(&state, &WindowState::promptChanged, this, &ContinuationController::promptChanged);
    connect(&state, &WindowState::modelChanged, this, [this] {
        m_door.withdrawBoth<app::ContinuationRequest>();
        m_view.hide();
    });
    connect(&state, &WindowState::ablationChanged, this, [this](Side side) {
        if (m_growth.isGrowing())
            m_door.withdrawBoth<app::ContinuationRequest>(); // what the prompt has by now was written with other heads
        else if (!m_view.isHidden())
            start(side);
    });
}

void ContinuationController::promptChanged()
{
    if (m_growth.isGrowing() && !m_growth.isSuperseded())
        return;
    m_growth.forget();
    m_door.withdrawBoth<app::ContinuationRequest>();
    m_view.hide();
}

void ContinuationController::start()
{
    bool any = false;
    for (const Side side : kSides)
        if (m_state.hasModel(side) && !m_state.promptOf(side).text.empty()
            && (!m_view.isAppending() || side == m_state.activeSide())) {
            start(side);
            any = true;
        } else {
            m_view.removeSide(side);
        }
    if (any && m_view.isAppending())
        m_growth.begin();
    if (!any)
        m_state.notify({.text = tr("There is nothing to continue yet; open a model and write a prompt.")});
}

void ContinuationController::start(Side side)
{
    const auto& ablation = m_state.side(side).ablation;
    m_view.begin(side, ablation.empty() ? tr("all heads on") : ablationWords(ablation, m_state.side(side).model.get()));
    m_door.ask(app::ContinuationRequest{
        side, m_state.promptOf(side), ablation, {.tokens = m_view.tokens(), .temperature = m_view.temperature()}});
}

void ContinuationController::stop()
{
    m_door.stopBoth<app::ContinuationRequest>();
}

void ContinuationController::partArrived(Side side, const app::ContinuationPart& part)
{
    std::vector<widgets::ContinuedWord> words;
    for (const app::ContinuedToken& token : part.tokens) {
        widgets::ContinuedWord word{QString::fromStdString(token.text), token.probability, {}};
        for (const auto& [text, probability] : token.candidates)
            word.candidates.emplace_back(QString::fromStdString(text), probability);
        words.push_back(std::move(word));
    }
    m_view.append(side, words);
    if (m_growth.isGrowing())
        m_growth.add(part);
    switch (part.ending) {
    case Ending::None: break;
    case Ending::EnoughTokens: finish(side, {}); break;
    case Ending::StopToken: finish(side, tr("the model ended here")); break;
    case Ending::LongestPrompt: finish(side, tr("maximum length of this model")); break;
    }
}

void ContinuationController::finish(Side side, const QString& note)
{
    m_view.finish(side, note);
    if (m_growth.isGrowing())
        m_growth.end(tr("Append to the prompt"));
}

void ContinuationController::takeOver(const QString& text)
{
    m_state.changePrompt(continued(m_state.prompt(), text.toStdString()), tr("Append to the prompt"));
}

} // namespace headscope::gui
