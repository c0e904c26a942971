// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The dialog in which a Jacobian lens is fitted to the active model: forecasts the fit as it is chosen, runs and stops
// it. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/why/lens/lensfitdialog.h"

#include <QObject>

namespace headscope::gui {

class LensFitController : public QObject
{
    Q_OBJECT

public:
    /// `window`: the dialog's parent.
    LensFitController(WindowState& state, app::Door& door, QWidget& window, QObject* parent);

    /// Shows the dialog for the active model. One whose fit runs keeps its model.
    void open();
    /// Null until it was opened.
    [[nodiscard]] widgets::LensFitDialog* dialog() const { return m_dialog; }

Q_SIGNALS:
    void fitted(headscope::Side side, const QString& file);

private:
    void makeDialog();
    void forecast();
    void fit();
    void ended(const QString& sentence);
    void addTexts(const QStringList& paths);
    void chooseOutput();
    [[nodiscard]] app::LensFitRequest request() const;
    [[nodiscard]] bool running() const { return m_door.isRunning<app::LensFitQuestion>(m_side); }

    WindowState& m_state;
    app::Door& m_door;
    QWidget& m_window;
    widgets::LensFitDialog* m_dialog = nullptr; ///< the window's
    Side m_side = Side::A;
    std::string m_hash; ///< of the model that is fitted
};

} // namespace headscope::gui
