// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Leads through a tour: shows its steps and does what their buttons say, with heads that the ranking has found. GUI
// thread.

#include "app/gui/explorer.h"
#include "app/window/tours/tour.h"

#include <QObject>

namespace headscope::gui {

class TourGuide : public QObject
{
    Q_OBJECT

public:
    TourGuide(Explorer& explorer, BackendClient& client, const Parts& parts, const QString& folder, QObject* parent);
    [[nodiscard]] QList<widgets::Choice> choices() const;
    void open(const QString& id);
    void close();
    /// The tour that is shown; none: nullptr.
    [[nodiscard]] const Tour* tour() const { return m_tour < 0 ? nullptr : &m_tours.at(m_tour); }
    [[nodiscard]] int step() const { return m_step; }

Q_SIGNALS:
    void opened();
    void closed();
    void continueRequested();
    void removalRequested();

private:
    [[nodiscard]] FoundHeads found() const;
    void showStep(int index);
    /// The step that the session says was reached; 0 for a new tour.
    [[nodiscard]] int reached() const;
    void remember() const;
    /// Words of a step that name heads change when the heads are found; an answer already given stays.
    void headsFound();
    void act(const QString& command);

    Explorer& m_explorer;
    BackendClient& m_client;
    Parts m_parts;
    QList<Tour> m_tours;
    int m_tour = -1;
    int m_step = 0;
};

} // namespace headscope::gui
