// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Dialog that compares quantized weights: the open model in both forms on the same examples, compared by the
// command-line program beside the window, and what differs. GUI thread.

#include "app/window/start/programrun.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace headscope::widgets {
class NumberTable;
}

namespace headscope::gui {

class TrustDialog : public QDialog
{
    Q_OBJECT

public:
    /// `program`: headscope-cli.
    explicit TrustDialog(QString program, QWidget* parent = nullptr);

    /// Shows itself for a model (a folder), its benchmarks, and where their files lie (empty: sample rows).
    void ask(const QString& model, const QStringList& tasks, const QString& dataFolder);

private:
    void arrange();
    void start();
    void end(bool complete, const QByteArray& output);
    void tell(const QByteArray& json);
    /// What can be pressed now.
    void refresh();

    QString m_model, m_dataFolder;
    QComboBox *m_form, *m_against, *m_task;
    QSpinBox* m_limit;
    QPushButton *m_compare, *m_stop;
    QLabel* m_said;
    widgets::NumberTable* m_table;
    ProgramRun m_run; ///< last: ended first
};

} // namespace headscope::gui
