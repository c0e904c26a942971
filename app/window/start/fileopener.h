// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Opens files that the user chooses or drops: model folders, sessions, texts as the prompt. GUI thread.

#include "app/backend/door.h"

namespace headscope::widgets {
class MessageBar;
}

namespace headscope::gui {

class Explorer;

class FileOpener : public QObject
{
    Q_OBJECT

public:
    FileOpener(Explorer& explorer, widgets::MessageBar& messages, QWidget* window);

    void openModels(const QString& a, const QString& b = {});
    /// Opens a folder as a model, a .txt or .md as the prompt, a .json that declares one as your own study, any other
    /// .json, a .csv or .jsonl as a benchmark, anything else as a session.
    void openPath(const QString& path);
    /// Opens several paths; two folders at once are two models to compare.
    void openPaths(const QStringList& paths);
    /// Makes the text of a file the prompt, or reports why it cannot.
    void openText(const QString& path);

    void askForModel(Side side);
    void askForSession();
    void askForNewSession();
    void askForText();
    void askForStudy();

Q_SIGNALS:
    void sessionWanted(const QString& path);
    void benchmarkWanted(const QString& path);
    void studyWanted(const QString& path);

private:
    void locateModel(Side side);
    void chooseTokenizer(Side side);

    Explorer& m_explorer;
    widgets::MessageBar& m_messages;
    QWidget* m_window;
};

} // namespace headscope::gui
