// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a Jacobian lens is fitted to and where it is written, with the forecast, the progress and the result of the fit.
// GUI thread.

#include <QDialog>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace headscope::widgets {

struct LensFitChoice {
    QStringList texts; ///< files and folders
    QString output;
    int prompts = 100, length = 128, skip = 16;
};

class LensFitDialog : public QDialog
{
    Q_OBJECT

public:
    explicit LensFitDialog(QWidget* parent = nullptr);

    [[nodiscard]] LensFitChoice choice() const;
    /// Emits changed() once, a moment later.
    void setChoice(const LensFitChoice& choice);
    /// The model that is fitted.
    void setModel(const QString& name);
    /// The forecast, the result or what went wrong.
    void setSentence(const QString& sentence);
    [[nodiscard]] QString sentence() const;
    /// Whether a fit runs: then it can be stopped, and nothing is changed.
    void setRunning(bool running);
    void setProgress(qint64 done, qint64 total);
    [[nodiscard]] QPushButton* fitButton() const { return m_fit; }
    [[nodiscard]] QPushButton* stopButton() const { return m_stop; }

Q_SIGNALS:
    void changed(); ///< what is chosen, a moment ago
    void fitRequested();
    void stopRequested();
    void filesRequested();
    void folderRequested();
    void outputRequested();

private:
    [[nodiscard]] QWidget* makeChoice();
    void refresh();

    QLabel *m_model, *m_sentence;
    QPlainTextEdit* m_texts;
    QLineEdit* m_output;
    QSpinBox *m_prompts, *m_length, *m_skip;
    QWidget* m_choice;
    QProgressBar* m_progress;
    QPushButton *m_fit, *m_stop;
    bool m_running = false;
};

} // namespace headscope::widgets
