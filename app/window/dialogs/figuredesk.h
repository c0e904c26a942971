// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Between the figure dialog and the session: what is on the screen is kept, and every figure is drawn from what is
// kept, so that the command line draws the same one later. GUI thread.

#include "app/figures/recipe.h"
#include "app/gui/explorer.h"
#include "widgets/figures/figuredialog.h"

#include <QTemporaryDir>

#include <map>

namespace headscope::gui {

class FigureDesk : public QObject
{
    Q_OBJECT

public:
    /// Uses the window's session, or one of its own for as long as it lives where there is none that can be written.
    explicit FigureDesk(Explorer& explorer, QWidget* parent);
    [[nodiscard]] widgets::FigureDialog* dialog() const { return m_dialog; }
    /// Looks again at what there is to draw, and shows the dialog.
    void open();
    [[nodiscard]] const figures::Recipe& recipe() const { return m_recipe; }

private:
    [[nodiscard]] sessions::SessionStore* session();
    void refresh(const QString& chosen);
    void choose(const QString& id);
    void redraw();
    void keep(const QString& name);
    [[nodiscard]] std::vector<figures::PanelRecipe> shownMaps() const;
    void add(const QString& id, const QString& title, const Result<figures::Recipe>& recipe, bool stored);

    Explorer& m_explorer;
    widgets::FigureDialog* m_dialog;
    std::map<QString, Result<figures::Recipe>> m_recipes;
    QList<widgets::FigureChoice> m_choices;
    figures::Recipe m_recipe;
    QTemporaryDir m_folder;
    std::optional<sessions::SessionStore> m_own;
};

} // namespace headscope::gui
