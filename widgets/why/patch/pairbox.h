// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The choice of two runs to compare: the other prompt, the direction of patching, the number of pairs; and the buttons
// that start and stop. GUI thread.

#include <QTimer>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;

namespace headscope::widgets {

class PromptEdit;

enum class OtherPrompt { Automatic, Key, Value, Binding, Name, Written, File };

struct PairChoice {
    OtherPrompt other = OtherPrompt::Automatic;
    QString written;    ///< the other prompt as shown; used if `other` is Written
    QString file;       ///< file of pairs, if `other` is File
    bool noise = false; ///< patch the other prompt's values into this one
    bool many = false;  ///< use many pairs of the task
    bool operator==(const PairChoice&) const = default;
};

class PairBox : public QWidget
{
    Q_OBJECT

public:
    /// `first`: further controls, placed before the others.
    PairBox(const QString& startTitle, const QList<QWidget*>& first, QWidget* parent = nullptr);

    [[nodiscard]] PairChoice choice() const;
    void setChoice(const PairChoice& choice);
    void setRunning(bool running);
    /// Shows the other prompt of a pair derived from the sample, to be read and edited. Editing makes it the user's
    /// own; a text of the user is never replaced.
    void propose(const QString& other);
    /// Adopts a choice made on another page, without emitting changed().
    void takeOver(const PairChoice& choice);

Q_SIGNALS:
    void startRequested();
    void stopRequested();
    /// The choice changed, or the box was shown: results beside it may belong to another choice.
    void changed();

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] QWidget* makeChoices(const QList<QWidget*>& first);
    void watch();
    void refreshOther();
    void showWritten(const QString& text);

    QComboBox *m_other, *m_direction;
    PromptEdit* m_written;
    QLineEdit* m_path; ///< of a file of pairs
    QTimer m_pause;    ///< delay after editing
    QCheckBox* m_many;
    QPushButton *m_start, *m_stop, *m_file;
};

} // namespace headscope::widgets
