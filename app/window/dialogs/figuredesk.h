// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Between the figure dialog and the session: what is on the screen is kept, and every figure is drawn from what is
// kept, so that the command line draws the same one later. GUI thread.

#include "app/backend/session/sessiondoor.h"
#include "app/figures/figurerecipe.h"
#include "app/figures/paperfigures.h"
#include "app/state/windowstate.h"
#include "sessions/records.h"
#include "widgets/figures/figuredialog.h"
#include "widgets/pattern/card/patternpage.h"

#include <QTemporaryDir>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace headscope::gui {

class FigureDesk : public QObject
{
    Q_OBJECT

public:
    /// Uses the window's session, or one of its own for as long as it lives where there is none that can be written.
    FigureDesk(WindowState& state, app::SessionDoor& door, const widgets::PatternPage& page, QWidget* parent);
    [[nodiscard]] widgets::FigureDialog* dialog() const { return m_dialog; }
    /// Looks again at what there is to draw, and shows the dialog with the map of this side, or with what is on the
    /// screen.
    void open(std::optional<Side> map = {});
    [[nodiscard]] const figures::Recipe& recipe() const { return m_recipe; }

private:
    /// What a session has to draw, once what is on the screen is kept in it.
    struct Stock {
        std::optional<Error> problem; ///< why that could not be kept
        std::vector<figures::PaperFigure> paper;
        std::vector<sessions::FigureRecipe> kept;
    };
    [[nodiscard]] app::SessionDoor& door();
    [[nodiscard]] static Result<Stock> stockOf(sessions::SessionStore& session,
                                               const app::SessionRequest<void>& keepShown);
    /// Reads what there is; `chosen` is then shown.
    void refresh(const QString& chosen);
    void fill(const Stock& stock, const QString& chosen);
    void addShown();
    /// What is on the screen, as maps or as rows.
    void addShown(const QString& id, const QString& title, std::vector<figures::PanelRecipe> panels);
    void change(const app::SessionRequest<void>& request, const QString& chosen);
    void say(const Error& error);
    void choose(const QString& id);
    void redraw();
    void keep(const QString& name);
    [[nodiscard]] std::vector<figures::PanelRecipe> shownMaps() const;
    void add(const QString& id, const QString& title, const Result<figures::Recipe>& recipe, bool stored);

    WindowState& m_state;
    app::SessionDoor& m_door;
    const widgets::PatternPage& m_page;
    widgets::FigureDialog* m_dialog;
    std::map<QString, Result<figures::Recipe>> m_recipes;
    QList<widgets::FigureChoice> m_choices;
    figures::Recipe m_recipe;
    QTemporaryDir m_folder;
    std::unique_ptr<app::SessionDoor> m_own;
};

} // namespace headscope::gui
