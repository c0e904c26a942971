// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Connects the figure dialog and the session: results on the screen are stored first, and every figure is drawn from
// stored data, so that the command line can draw the same one later. GUI thread.

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
    /// Uses the window's session, or a temporary one of its own if there is none that can be written.
    FigureDesk(WindowState& state, app::SessionDoor& door, const widgets::PatternPage& page, QWidget* parent);
    [[nodiscard]] widgets::FigureDialog* dialog() const { return m_dialog; }
    /// Updates the list of figures, and shows the dialog with the map of this side, or with the current
    /// view.
    void open(std::optional<Side> map = {});
    [[nodiscard]] const figures::Recipe& recipe() const { return m_recipe; }

private:
    /// The figures that a session can provide, once the current view is stored in it.
    struct Stock {
        std::optional<Error> problem; ///< why the view could not be stored
        std::vector<figures::PaperFigure> paper;
        std::vector<sessions::FigureRecipe> kept;
    };
    [[nodiscard]] app::SessionDoor& door();
    [[nodiscard]] static Result<Stock> stockOf(sessions::SessionStore& session,
                                               const app::SessionRequest<void>& keepShown);
    /// Reads the available figures; then shows `chosen`.
    void refresh(const QString& chosen);
    void fill(const Stock& stock, const QString& chosen);
    void addShown();
    /// Adds the current view, as maps or as rows.
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
