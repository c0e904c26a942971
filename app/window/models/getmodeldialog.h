// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model by its name on a hub: what it is and takes, then its files, then it is opened. GUI thread.

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
    /// A person wants to open what was fetched.
    void openRequested(headscope::Side side, const QString& folder);
    /// One more is in the cache.
    void fetched();

private:
    void arrange();
    void connectDoor();
    void look();
    void fetch();
    void showModel(std::shared_ptr<const app::RemoteModel> model);
    void progress(const QString& file, qint64 done, qint64 total);
    /// What can be pressed now.
    void refresh();

    app::HubDoor m_door;
    std::shared_ptr<const app::RemoteModel> m_model; ///< that was looked at last
    QString m_folder;                                ///< where it is; empty: not here yet
    Arrival m_arrival;
    QLineEdit* m_name;
    QPushButton *m_look, *m_fetch, *m_stop, *m_openA, *m_openB;
    QLabel *m_about, *m_said;
    QProgressBar* m_bar;
};

} // namespace headscope::gui
