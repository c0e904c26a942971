// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// File > Export > Web page: previews the content, size and omissions of a session's page before it is written.
// headscope-cli makes the page in a separate process, so that the window stays responsive and both write the same
// bytes. GUI thread.

#include "app/window/start/programrun.h"
#include "widgets/prompt/promptbar.h"

#include <QDialog>
#include <QTemporaryDir>

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;

namespace headscope::gui {

class PageDialog : public QDialog
{
    Q_OBJECT

public:
    /// `program`: headscope-cli.
    explicit PageDialog(QString program, QWidget* parent = nullptr);

    /// Opens for a session file and previews its page. `stories`: tours and exercises that can guide through it.
    void offer(const QString& session, const QList<widgets::Choice>& stories);
    /// Writes the page as previewed; has no effect before the preview is complete.
    void saveTo(const QString& file);

private:
    void arrange();
    void chooseFile();
    /// Makes the page in a temporary folder, after stopping a run with earlier options.
    void preview();
    void run(const QString& file);
    void end(bool complete, const QByteArray& output);
    /// Shows the description of the written page by headscope-cli.
    void describe(const QByteArray& json);
    /// Updates which buttons are enabled.
    void refresh();

    QString m_session;
    QString m_target;         ///< of the run; empty: it is a preview
    bool m_outdated = false;  ///< the options changed during the run
    bool m_previewed = false; ///< the description belongs to the current options
    QLineEdit* m_title;
    QSpinBox* m_samples;
    QComboBox *m_heads, *m_story;
    QPushButton *m_save, *m_stop;
    QLabel* m_said;
    QPlainTextEdit* m_contents;
    QTemporaryDir m_folder;
    ProgramRun m_run; ///< last: ended first
};

} // namespace headscope::gui
