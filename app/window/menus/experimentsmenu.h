// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Experiments menu: one entry for each experiment of the paper, and users' studies. GUI thread.

#include <QObject>

class QMenuBar;

namespace headscope::gui {

class ExperimentsMenu : public QObject
{
    Q_OBJECT

public:
    ExperimentsMenu(QMenuBar& bar, QObject* parent);

Q_SIGNALS:
    /// `index` as in ExperimentsPage.
    void requested(int index);
    void galleryRequested();
    void studyRequested();
};

} // namespace headscope::gui
