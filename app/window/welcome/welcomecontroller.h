// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fills the welcome page with the models, sessions and tours of this machine, and opens the user's choice. GUI
// thread.

#include "app/backend/job.h"

#include <QObject>

#include <filesystem>

namespace headscope::app {
class Door;
class SessionDoor;
} // namespace headscope::app

namespace headscope::widgets {
class WelcomePage;
}

namespace headscope::gui {

class Explorer;
class FileOpener;
class TourGuide;

class WelcomeController : public QObject
{
    Q_OBJECT

public:
    struct Doors {
        const app::Door& worker;
        app::SessionDoor& session;
    };
    WelcomeController(widgets::WelcomePage& page, FileOpener& opener, Explorer& explorer, TourGuide& guide,
                      const Doors& doors, const app::ModelsOptions& options, QObject* parent);
    /// Updates the lists of models, tours and sessions of this machine.
    void fill();

private:
    void connectPage();
    void showSessions();
    /// Shows the tours; their progress is read from the session and follows.
    void showTours();
    void makeDemo(const app::ModelsOptions& options, const app::Door& worker);

    widgets::WelcomePage& m_page;
    FileOpener& m_opener;
    Explorer& m_explorer;
    TourGuide& m_guide;
    app::SessionDoor& m_session;
    std::filesystem::path m_models; ///< the shipped ones
    bool m_ownSecond = false;       ///< there is a second model that accepts any text
};

} // namespace headscope::gui
