// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/why/knockoutcontroller.h"

#include "app/present/heads/ablationwords.h"
#include "app/present/heads/headedits.h"
#include "app/present/heads/sidenames.h"
#include "app/present/prompt/prompttext.h"
#include "app/present/why/knockoutpresenters.h"
#include "widgets/why/knockoutdialog.h"

#include <algorithm>

namespace headscope::gui {

using interventions::InterventionSet;
using widgets::KnockoutChoice;
using widgets::KnockoutDialog;
using widgets::PatternView;
using widgets::TokenUse;

KnockoutController::KnockoutController(WindowState& state, widgets::PatternPage& page, widgets::PromptBar& bar,
                                       QObject* parent)
    : QObject(parent), m_state(state), m_page(page), m_bar(bar)
{
    connect(&bar, &widgets::PromptBar::tokensChosen, this, &KnockoutController::useTokens);
    const auto nameHead = [&state, &bar] {
        const Side side = state.activeSide();
        if (state.hasModel(side))
            bar.setShownHead(letterOf(side) + QLatin1Char(' ')
                             + QString::fromStdString(interventions::toText(state.side(side).head)));
    };
    connect(&state, &WindowState::headChanged, this, nameHead);
    connect(&state, &WindowState::modelChanged, this, nameHead);
    connect(&state, &WindowState::activeSideChanged, this, nameHead);
    connect(&state, &WindowState::promptChanged, this, [this] { m_queries = m_keys = std::nullopt; });
    for (const Side side : kSides)
        connect(page.view(side), &PatternView::regionMarked, this,
                [this, side](int firstRow, int lastRow, int firstCol, int lastCol) {
                    open(side, {firstRow, lastRow, firstCol, lastCol});
                });
}

void KnockoutController::open(Side side)
{
    open(side, likely(side));
}

KnockoutChoice KnockoutController::likely(Side side) const
{
    const PatternView& view = *m_page.view(side);
    const int row = view.profileRow();
    KnockoutChoice first{.firstQuery = std::max(row, 0), .lastQuery = std::max(row, 0)};
    for (const widgets::TokenSpan& span : view.pattern().segments)
        if (span.target && span.end <= row) {
            first.firstKey = span.begin;
            first.lastKey = span.end - 1;
        }
    return first;
}

void KnockoutController::useTokens(TokenUse use, int begin, int end)
{
    const Side side = m_state.activeSide();
    const SideState& now = m_state.side(side);
    const std::string text = m_bar.prompt().toStdString();
    // The tokens of a text that is being typed are not known yet, nor those of a side that keeps another prompt.
    const auto span =
        now.pattern && now.pattern->text == text ? tokensAt(text, now.pattern->prompt, begin, end) : std::nullopt;
    if (!now.model || now.isStored() || !span)
        return m_state.showError(inputError("The selected text contains no token of the prompt; open a "
                                            "model, wait for its map, and select a word of the prompt."));
    if (use == TokenUse::StopReading || use == TokenUse::NotRead)
        return markSpan(use, *span);
    interventions::HeadRef head = now.head;
    if (use == TokenUse::AblateLayer)
        head.head = -1;
    m_state.changeAblation(side, ablatedAtPositions(now.ablation, head, *span),
                           ablationWords(ablatedAtPositions({}, head, *span)));
}

void KnockoutController::markSpan(TokenUse use, const interventions::PositionSpan& span)
{
    const Side side = m_state.activeSide();
    KnockoutChoice first = likely(side);
    (use == TokenUse::StopReading ? m_queries : m_keys) = span;
    if (m_queries) {
        first.firstQuery = m_queries->first;
        first.lastQuery = m_queries->last;
    }
    if (m_keys) {
        first.firstKey = m_keys->first;
        first.lastKey = m_keys->last;
    }
    open(side, first);
}

void KnockoutController::open(Side side, const KnockoutChoice& first)
{
    const SideState& now = m_state.side(side);
    const widgets::PatternData& shown = m_page.view(side)->pattern();
    if (!now.model || now.isStored() || shown.empty())
        return m_state.showError(
            inputError("There is no map to knock edges out of; open a model and write a prompt first."));
    m_state.setActiveSide(side);
    auto* dialog = new KnockoutDialog(knockoutPlace(*now.model, now.head, shown.tokens), m_page.window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setChoice(first);
    connect(dialog, &QDialog::accepted, this, [this, dialog, side, head = now.head, model = now.model] {
        if (m_state.side(side).model == model) // else another one was opened meanwhile
            apply(side, head, dialog->choice());
    });
    dialog->open();
}

void KnockoutController::apply(Side side, const interventions::HeadRef& head, const KnockoutChoice& choice)
{
    const SideState& now = m_state.side(side);
    const auto added = knockedOut(*now.model, head, choice);
    std::vector<interventions::Intervention> items = now.ablation.items();
    items.insert(items.end(), added.begin(), added.end());
    m_state.changeAblation(side, InterventionSet(std::move(items)), ablationWords(InterventionSet(added)));
}

} // namespace headscope::gui
