// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Configures the fit of a Jacobian lens: its texts and output file, with forecast, progress and result. GUI
// thread.

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
    /// Sets the choice; emits changed() once, after a short delay.
    void setChoice(const LensFitChoice& choice);
    /// Sets the name of the model to fit.
    void setModel(const QString& name);
    /// Shows the forecast, the result or the error.
    void setSentence(const QString& sentence);
    [[nodiscard]] QString sentence() const;
    /// Sets whether a fit is running: then it can be stopped, and the choice cannot be changed.
    void setRunning(bool running);
    void setProgress(qint64 done, qint64 total);
    [[nodiscard]] QPushButton* fitButton() const { return m_fit; }
    [[nodiscard]] QPushButton* stopButton() const { return m_stop; }

Q_SIGNALS:
    void changed(); ///< the choice changed a moment ago
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
