// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Finds a model on a hub by name, shows its needs, downloads its files, and opens it. GUI thread.

#include "app/backend/hub/hubdoor.h"
#include "app/window/models/modelarrival.h"
#include "core/base/side.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace headscope::gui {

class GetModelDialog : public QDialog
{
    Q_OBJECT

public:
    explicit GetModelDialog(const hub::HubSettings& settings, QWidget* parent = nullptr);

Q_SIGNALS:
    /// The user wants to open the downloaded model.
    void openRequested(headscope::Side side, const QString& folder);
    /// Another model is in the cache.
    void fetched();

private:
    void arrange();
    void connectDoor();
    void look();
    void fetch();
    void showModel(std::shared_ptr<const app::RemoteModel> model);
    void progress(const QString& file, qint64 done, qint64 total);
    /// Updates which buttons are enabled.
    void refresh();

    app::HubDoor m_door;
    std::shared_ptr<const app::RemoteModel> m_model; ///< the last one looked up
    QString m_folder;                                ///< its local folder; empty: not downloaded yet
    Arrival m_arrival;
    QLineEdit* m_name;
    QPushButton *m_look, *m_fetch, *m_stop, *m_openA, *m_openB;
    QLabel *m_about, *m_said;
    QProgressBar* m_bar;
};

} // namespace headscope::gui
