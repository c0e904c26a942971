// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Connects the figure dialog and the session: results on the screen are stored first, and every figure is drawn from
// stored data, so that the command line can draw the same one later. GUI thread.

#include "app/backend/session/sessiondoor.h"
#include "app/figures/figurerecipe.h"
#include "app/figures/paperfigures.h"
#include "app/state/windowstate.h"
#include "sessions/records.h"
#include "widgets/figures/dialog/figuredialog.h"
#include "widgets/pattern/card/patternpage.h"

#include <QTemporaryDir>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
    /// The same with the figure of this name, after `keep` has stored what it is drawn from.
    void open(const QString& figure, const std::function<void(app::SessionDoor&)>& keep);
    /// The same with a composed figure: the one that was, or what is on the screen.
    void openComposed();
    [[nodiscard]] const figures::Recipe& recipe() const { return m_recipe; }
    /// Which figures, by name, show what is on the screen: a composed one begins with them.
    void setOnScreen(std::function<QStringList()> names) { m_onScreen = std::move(names); }

private:
    /// The figures that a session can provide, once the current view is stored in it.
    struct Contents {
        std::optional<Error> problem;   ///< why that could not be kept
        Result<figures::Recipe> scores; ///< of the states on the screen
        std::vector<figures::PaperFigure> paper;
        std::vector<sessions::FigureRecipe> kept;
    };
    [[nodiscard]] app::SessionDoor& door();
    [[nodiscard]] static Result<Contents> readContents(sessions::SessionStore& session,
                                                       const std::vector<app::SessionRequest<void>>& keep,
                                                       const figures::Recipe& scores);
    /// Reads what there is; `chosen` is then shown.
    void refresh(const QString& chosen);
    void fill(const Contents& contents, const QString& chosen);
    /// Also its parts, if it is composed.
    void addStored(const QString& name, const Result<figures::Recipe>& recipe);
    void group();
    void addShown();
    [[nodiscard]] figures::Recipe shownScores() const;
    /// Stores one row of every head, where the page shows that.
    [[nodiscard]] std::vector<app::SessionRequest<void>> keepHeads() const;
    /// What is on the screen, as maps or as rows.
    void addShown(const QString& id, const QString& title, std::vector<figures::PanelRecipe> panels);
    void change(const app::SessionRequest<void>& request, const QString& chosen);
    void showError(const Error& error);
    void choose(const QString& id);
    void compose(const QStringList& ids);
    void drawPreviews();
    void drawPreview();
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
    std::function<QStringList()> m_onScreen;
    figures::Recipe m_recipe;
    figures::Recipe m_composed; ///< last composed figure, with the user's settings
    bool m_toCompose = false;   ///< start composing once the contents are read
    std::string m_caption;      ///< generated caption before the last change of parts
    QStringList m_unseen;       ///< whose small pictures are to be drawn
    QTemporaryDir m_folder;
    std::unique_ptr<app::SessionDoor> m_own;
};

} // namespace headscope::gui
