// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The survey page: requests the survey of each open model and the cost of removing heads, shows both as they grow, and
// shows the map of a head selected in the table. GUI thread.

#include "app/backend/door.h"
#include "app/present/scores/surveypresenters.h"
#include "app/state/windowstate.h"
#include "widgets/survey/surveypage.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class SurveyController : public QObject
{
    Q_OBJECT

public:
    SurveyController(WindowState& state, app::Door& door, widgets::SurveyPage& page, QObject* parent);

    /// Sets the files and folders to read from now on.
    void setTexts(const QStringList& texts);
    /// Writes the table as shown to a file: csv or tex. Fails with one sentence.
    [[nodiscard]] Result<void> writeTable(const QString& path) const;
    /// Writes the plot to a file: a picture or csv.
    [[nodiscard]] Result<void> writeDots(const QString& path) const;
    /// Writes the matching heads to a file: a picture or csv.
    [[nodiscard]] Result<void> writeMatches(const QString& path) const;

private:
    /// The results about the heads of one model.
    struct Known {
        std::shared_ptr<const app::SurveyReply> survey;
        std::shared_ptr<const app::HeadFactsReply> facts;
        std::shared_ptr<const app::DirectReply> direct; ///< for the shown prompt
        app::FactSheet sheet;                           ///< facts and the window's own ranking
    };
    void connectPage();
    void connectDoor();
    void addTexts(const QStringList& paths);
    [[nodiscard]] app::SurveySource ask() const;
    [[nodiscard]] QString measuredSentence() const;
    void run();
    void removeHeads();
    void ended();
    void forget(Side side);
    void showHeading();
    /// Updates the page after a short delay, since results arrive in many small steps.
    void refresh();
    void showRows();
    void filter();
    void drawAxes();
    void showLosses();
    void showMatches();
    void chooseHead(const QString& label);
    [[nodiscard]] const widgets::SurveyRow* rowOf(const QString& label) const;
    [[nodiscard]] QString provenance() const;
    void save(const QString& title, const QString& name, const QString& kinds,
              Result<void> (SurveyController::*write)(const QString&) const);

    WindowState& m_state;
    app::Door& m_door;
    widgets::SurveyPage& m_page;
    QStringList m_texts;
    std::array<Known, 2> m_known;
    bool m_refreshing = false;
};

} // namespace headscope::gui
