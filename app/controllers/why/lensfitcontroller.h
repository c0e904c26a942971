// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The dialog for fitting a Jacobian lens to the active model: forecasts the fit after each change, runs and stops it.
// GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/why/lens/lensfitdialog.h"

#include <QObject>

namespace headscope::gui {

class LensFitController : public QObject
{
    Q_OBJECT

public:
    /// `window`: parent of the dialog.
    LensFitController(WindowState& state, app::Door& door, QWidget& window, QObject* parent);

    /// Shows the dialog for the active model. While a fit runs, it keeps its model.
    void open();
    /// Null before it was opened.
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
    widgets::LensFitDialog* m_dialog = nullptr; ///< owned by the window
    Side m_side = Side::A;
    std::string m_hash; ///< of the model that is fitted
};

} // namespace headscope::gui
