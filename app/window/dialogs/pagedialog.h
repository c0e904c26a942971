// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// File > Export > Web page: what the page of a session would contain, how large it is and what it leaves out, before it
// is written. headscope-cli makes it beside the window, so the window stays free and both write the same bytes. GUI
// thread.

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

    /// Shows itself for a session file and previews its page. `stories`: tours and exercises that may lead through it.
    void offer(const QString& session, const QList<widgets::Choice>& stories);
    /// Writes the page as previewed; nothing happens before a preview is complete.
    void saveTo(const QString& file);

private:
    void arrange();
    void askWhere();
    /// Makes the page in a temporary folder; a run for earlier options is stopped first.
    void preview();
    void run(const QString& file);
    void end(bool complete, const QByteArray& output);
    /// What headscope-cli says of the page that it wrote.
    void describe(const QByteArray& json);
    /// What can be pressed now.
    void refresh();

    QString m_session;
    QString m_target;         ///< of the run; empty: it is a preview
    bool m_outdated = false;  ///< the options changed during the run
    bool m_previewed = false; ///< what is described is the page of the options
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
