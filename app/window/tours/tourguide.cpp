// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tours/tourguide.h"

#include "app/present/headspans.h"

#include <QLocale>

#include <utility>

namespace headscope::gui {

using interventions::EditHead;
using interventions::InterventionSet;

TourGuide::TourGuide(Explorer& explorer, BackendClient& client, const Parts& parts, const QString& folder,
                     QObject* parent)
    : QObject(parent), m_explorer(explorer), m_client(client), m_parts(parts),
      m_tours(toursIn(folder, QLocale().name()))
{
    connect(parts.tour, &widgets::TourPanel::stepRequested, this, &TourGuide::showStep);
    connect(parts.tour, &widgets::TourPanel::closed, this, &TourGuide::close);
    connect(parts.tour, &widgets::TourPanel::actionRequested, this, &TourGuide::act);
    connect(&explorer, &Explorer::headsFound, this, &TourGuide::headsFound);
}

QList<widgets::Choice> TourGuide::choices() const
{
    QList<widgets::Choice> choices;
    for (const Tour& tour : m_tours)
        choices.append({tour.id, tour.title, tour.summary});
    return choices;
}

void TourGuide::open(const QString& id)
{
    for (qsizetype i = 0; i < m_tours.size(); ++i)
        if (m_tours.at(i).id == id)
            m_tour = static_cast<int>(i);
    if (m_tour < 0)
        return;
    for (const Side side : kSides) {
        const QString wanted = tour()->models.value(side == Side::A ? 0 : 1);
        const auto there = m_explorer.model(side);
        if (wanted.isEmpty())
            continue;
        if (there && QString::fromStdString(there->name) == wanted)
            m_explorer.changeAblation(side, {}, tr("All heads on"));
        else
            m_explorer.openModel(side, wanted);
    }
    const int from = reached();
    showStep(from);
    if (from > 0)
        m_parts.messages->showMessage(
            widgets::MessageBar::Kind::Info,
            tr("The tour goes on where you left it, at step %1 of %2.").arg(from + 1).arg(tour()->steps.size()));
    Q_EMIT opened();
}

// A tour that was finished begins again.
int TourGuide::reached() const
{
    sessions::SessionStore* session = m_explorer.session();
    const auto stored =
        session ? session->tours() : Result<std::vector<sessions::TourProgress>>(std::vector<sessions::TourProgress>());
    if (stored.has_value())
        for (const sessions::TourProgress& progress : *stored)
            if (progress.tour == tour()->id.toStdString() && !progress.finished && progress.step > 0
                && progress.step < tour()->steps.size())
                return progress.step;
    return 0;
}

void TourGuide::remember() const
{
    if (sessions::SessionStore* session = m_explorer.session(); session && !session->readOnly())
        static_cast<void>(session->setTour(
            {tour()->id.toStdString(), m_step, m_step + 1 == tour()->steps.size()})); // what can not be kept is no harm
}

void TourGuide::close()
{
    m_tour = -1;
    Q_EMIT closed();
}

void TourGuide::showStep(int index)
{
    if (!tour() || index < 0 || index >= tour()->steps.size())
        return;
    if (const bool moved = index != std::exchange(m_step, index); moved || index == 0)
        remember();
    const FoundHeads heads = found();
    QStringList titles;
    for (const widgets::TourStep& step : tour()->steps)
        titles.append(withHeads(step, heads).title);
    m_parts.tour->setStep(withHeads(tour()->steps.at(index), heads), index, titles);
}

FoundHeads TourGuide::found() const
{
    return {{QStringLiteral("{gather}"), m_explorer.foundHead(Side::A, false)},
            {QStringLiteral("{aggregate}"), m_explorer.foundHead(Side::A, true)},
            {QStringLiteral("{gatherB}"), m_explorer.foundHead(Side::B, false)},
            {QStringLiteral("{aggregateB}"), m_explorer.foundHead(Side::B, true)}};
}

void TourGuide::headsFound()
{
    if (tour() && m_parts.tour->givenAnswer() < 0)
        showStep(m_step);
}

void TourGuide::act(const QString& command)
{
    const QString verb = command.section(QLatin1Char(' '), 0, 0);
    const QString object = command.section(QLatin1Char(' '), 1);
    const Side side = object.endsWith(QLatin1String("B}")) ? Side::B : Side::A;
    const auto model = m_explorer.model(side);
    if (!model)
        return;
    if (verb == QLatin1String("on")) {
        m_explorer.restoreAll(Side::A);
        if (m_explorer.model(Side::B))
            m_explorer.restoreAll(Side::B);
    } else if (verb == QLatin1String("sample")) {
        m_client.requestSample(object.section(QLatin1Char(' '), 0, 0), object.section(QLatin1Char(' '), 1).toInt());
    } else if (verb == QLatin1String("continue")) {
        Q_EMIT continueRequested();
    } else if (verb == QLatin1String("removal")) {
        Q_EMIT removalRequested();
    } else if (verb == QLatin1String("set")) {
        if (const auto set = InterventionSet::parse(object.toStdString()); set.has_value())
            m_explorer.changeAblation(Side::A, *set, object);
        else
            m_parts.messages->showMessage(widgets::MessageBar::Kind::Error,
                                          QString::fromStdString(set.error().message));
    } else if (verb == QLatin1String("off") || verb == QLatin1String("show")) {
        const QString name = found().value(object, object);
        const auto head = interventions::parseHead(name.toStdString());
        if (!head.has_value()) {
            m_parts.messages->showMessage(widgets::MessageBar::Kind::Info,
                                          tr("The heads are still being ranked; try again in a moment."));
            return;
        }
        m_explorer.showHead(side, headSpan(*model, *head));
        if (verb == QLatin1String("off"))
            m_explorer.changeAblation(side, InterventionSet({EditHead{.head = *head}}), tr("%1 off").arg(name));
    }
}

} // namespace headscope::gui
