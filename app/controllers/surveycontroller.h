// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page of heads on many texts: asks for the survey, shows it as it grows, and makes a head of the table the one
// whose map is shown. GUI thread.

#include "app/backend/backendclient.h"
#include "app/state/windowstate.h"
#include "widgets/survey/surveypage.h"

#include <QObject>

namespace headscope::gui {

class SurveyController : public QObject
{
    Q_OBJECT

public:
    SurveyController(WindowState& state, BackendClient& client, widgets::SurveyPage& page, QObject* parent);

    /// Files and folders that are read from now on.
    void setTexts(const QStringList& texts);
    /// The page of a head, without scripts; empty before there is one.
    [[nodiscard]] QString cardOf(const QString& head) const;
    /// The table as it is, to a file. Fails with one sentence.
    [[nodiscard]] Result<void> writeTable(const QString& path) const;

private:
    void run();
    void stop();
    void show(Side side, std::shared_ptr<const app::SurveyReply> reply);
    void showHeading();
    void filter();
    void drawAxes();
    void chooseHead(const QString& head);
    void showCard(const QString& head);
    void saveTable();

    WindowState& m_state;
    BackendClient& m_client;
    widgets::SurveyPage& m_page;
    QStringList m_texts;
    Side m_side = Side::A; ///< of what is shown or runs
    std::shared_ptr<const app::SurveyReply> m_reply;
};

} // namespace headscope::gui
