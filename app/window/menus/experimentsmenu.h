// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The menu Experiments: one line for each of the paper's, and users' studies. GUI thread.

#include <QObject>

class QMenuBar;

namespace headscope::gui {

class ExperimentsMenu : public QObject
{
    Q_OBJECT

public:
    ExperimentsMenu(QMenuBar& bar, QObject* parent);

Q_SIGNALS:
    /// As ExperimentsPage counts them.
    void requested(int index);
    void galleryRequested();
    void studyRequested();
};

} // namespace headscope::gui
