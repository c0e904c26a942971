// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/pattern/headcardcontroller.h"

#include "app/present/heads/headspans.h"
#include "app/present/scores/surveypresenters.h"
#include "app/present/text.h"
#include "app/workbench/heads/headcard.h"
#include "widgets/survey/headcarddialog.h"

#include <utility>

namespace headscope::gui {

using widgets::SurveyPage;

HeadCardController::HeadCardController(WindowState& state, app::Door& door, SurveyPage& page,
                                       std::array<widgets::HeadMapPanel*, 2> maps, QObject* parent)
    : QObject(parent), m_state(state), m_door(door), m_page(page)
{
    door.on<app::SurveyQuestion>(this, [this](Side side, const auto& reply) { m_surveys[indexOf(side)] = reply; });
    door.on<app::HeadFactsRequest>(this, [this](Side side, const auto& reply) {
        auto& known = m_facts[indexOf(side)];
        known = withEarlier(reply, known.get());
    });
    connect(&state, &WindowState::modelChanged, this, [this](Side side) {
        m_surveys[indexOf(side)].reset();
        m_facts[indexOf(side)].reset();
    });
    connect(&page, &SurveyPage::cardRequested, this, [this](const QString& label) {
        const auto& rows = m_page.model()->rows();
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (m_page.model()->label(i) == label)
                return show(rows[i].side, rows[i].head);
    });
    for (const Side side : kSides) {
        const auto open = [this, side](const widgets::HeadSpan& span) {
            if (const auto& model = m_state.side(side).model)
                show(side, text(headName(*model, headRef(*model, span))));
        };
        connect(maps[indexOf(side)]->view(), &widgets::HeadMapView::cardRequested, this, open);
        // Where nothing is known two clicks are no question: they switch a head off and on.
        connect(maps[indexOf(side)]->view(), &widgets::HeadMapView::headDoubleClicked, this,
                [this, side, open](const widgets::HeadSpan& span) {
                    if (m_surveys[indexOf(side)])
                        open(span);
                });
    }
}

app::FactSheet HeadCardController::factsOf(Side side) const
{
    return knownFacts(m_state.side(side), *m_surveys[indexOf(side)], m_facts[indexOf(side)].get());
}

QString HeadCardController::cardOf(Side side, const QString& head, bool linked, double threshold) const
{
    const auto& own = m_surveys[indexOf(side)];
    const auto& other = m_surveys[indexOf(otherSide(side))];
    if (!own)
        return {};
    const app::FactSheet facts = factsOf(side);
    const std::string name = head.toStdString();
    return text(app::headCards(own->survey, std::span(&name, 1),
                               {.model = own->provenance,
                                .otherModel = other ? other->provenance : std::string(),
                                .facts = &facts,
                                .threshold = threshold,
                                .uniform = own->uniform,
                                .linked = linked && !own->prompts.empty()},
                               other ? &other->survey : nullptr));
}

void HeadCardController::show(Side side, const QString& head)
{
    if (!m_surveys[indexOf(side)]) {
        m_page.setSentence(tr("Measure the heads first: a head's page shows what it does on these texts."));
        Q_EMIT m_page.wanted();
        return;
    }
    auto* dialog = new widgets::HeadCardDialog(
        head, [this, side, head](bool linked, double threshold) { return cardOf(side, head, linked, threshold); },
        m_page.window());
    connect(dialog, &widgets::HeadCardDialog::placeChosen, this, [this, side, head, dialog](int place) {
        takePlace(side, head, place);
        dialog->close();
    });
    const auto tellRemoval = [this, side, dialog] {
        dialog->setRemoving(m_door.isRunning<app::HeadFactsRequest>(side));
    };
    connect(dialog, &widgets::HeadCardDialog::removalRequested, this, [this, side, head, tellRemoval] {
        remove(side, head);
        tellRemoval();
    });
    for (const auto ended : {&app::Door::finished, &app::Door::cancelled})
        connect(&m_door, ended, dialog, tellRemoval);
    connect(&m_door, &app::Door::failed, dialog, tellRemoval);
    m_door.on<app::HeadFactsRequest>(dialog, &widgets::HeadCardDialog::refresh);
    m_door.on<app::SurveyQuestion>(dialog, &widgets::HeadCardDialog::refresh);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
}

// As the button of the survey's page does with this head selected.
void HeadCardController::remove(Side side, const QString& head)
{
    const widgets::SurveyModel& model = *m_page.model();
    for (std::size_t i = 0; i < model.rows().size(); ++i)
        if (model.rows()[i].side == side && model.rows()[i].head == head) {
            m_page.selectHeads({model.label(i)});
            Q_EMIT m_page.removeRequested();
            return;
        }
}

void HeadCardController::takePlace(Side side, const QString& head, int place)
{
    const auto& own = m_surveys[indexOf(side)];
    if (!own || place < 0 || std::cmp_greater_equal(place, own->survey.places.size()))
        return;
    const sessions::SurveyPlace& at = own->survey.places[static_cast<std::size_t>(place)];
    if (std::cmp_greater_equal(at.text, own->prompts.size()))
        return;
    const app::SurveyPrompt prompt = own->prompts[static_cast<std::size_t>(at.text)];
    const int row = at.position;
    m_state.changePrompt({.text = prompt.text}, tr("Change the prompt"));
    if (const auto ref = interventions::parseHead(head.toStdString()); ref.has_value())
        m_state.setHead(side, *ref);
    // Where the text is cut into other tokens by itself, the position would be another one's.
    if (prompt.same)
        m_state.setLockedRow(side, row);
    Q_EMIT m_page.backRequested();
}

} // namespace headscope::gui
