// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Compares quantized weights with their original: the open model in both forms on the same examples, measured by the
// command-line program in a separate process, and the differences. GUI thread.

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

    /// Opens the dialog for a model (a folder), its benchmarks, and the folder of their files (empty: sample rows).
    void ask(const QString& model, const QStringList& tasks, const QString& dataFolder);

private:
    void arrange();
    void start();
    void end(bool complete, const QByteArray& output);
    void showReport(const QByteArray& json);
    /// Updates which buttons are enabled.
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
