// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Downloads a benchmark's real files from a hub into the data folder, after showing their authors and licence. GUI
// thread.

#include "app/backend/hub/hubdoor.h"
#include "app/window/models/modelarrival.h"

#include <QDialog>

class QLabel;
class QProgressBar;
class QPushButton;

namespace headscope::gui {

class GetBenchmarkDialog : public QDialog
{
    Q_OBJECT

public:
    explicit GetBenchmarkDialog(const hub::HubSettings& settings, QWidget* parent = nullptr);

    /// Opens the dialog and looks up the files of a task, to be stored in `folder`.
    void ask(const QString& task, const QString& folder);

Q_SIGNALS:
    /// The files are in this data folder.
    void fetched(const QString& folder);

private:
    void arrange();
    void connectDoor();
    void fetch();
    /// Updates which buttons are enabled.
    void refresh();

    app::HubDoor m_door;
    std::shared_ptr<const std::vector<app::RemoteBenchmark>> m_found; ///< of the last lookup
    QString m_folder;
    Arrival m_arrival;
    QPushButton *m_fetch, *m_stop;
    QLabel *m_about, *m_said;
    QProgressBar* m_bar;
};

} // namespace headscope::gui
