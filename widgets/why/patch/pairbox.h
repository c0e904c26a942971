// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which two runs are compared: the other prompt, whose run goes into whose, on how many pairs; and the buttons that
// start and stop. GUI thread.

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
    QString file;       ///< of pairs, where `other` is File
    bool noise = false; ///< the other prompt's parts go into this one
    bool many = false;  ///< many pairs of the task
    bool operator==(const PairChoice&) const = default;
};

class PairBox : public QWidget
{
    Q_OBJECT

public:
    /// `first`: what more is asked, before the rest.
    PairBox(const QString& startTitle, const QList<QWidget*>& first, QWidget* parent = nullptr);

    [[nodiscard]] PairChoice choice() const;
    void setChoice(const PairChoice& choice);
    void setRunning(bool running);
    /// The other prompt of a pair that was made of the sample, to be read and changed. Writing in it makes it the
    /// user's own; nothing is proposed over what the user wrote.
    void propose(const QString& other);
    /// Takes over a choice made on another page, without emitting changed().
    void takeOver(const PairChoice& choice);

Q_SIGNALS:
    void startRequested();
    void stopRequested();
    /// Another choice, or the box was shown: what is reported beside it may be of another.
    void changed();

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] QLayout* makePrompts(const QList<QWidget*>& first);
    [[nodiscard]] QLayout* makeButtons();
    void watch();
    void refreshOther();
    void showWritten(const QString& text);

    QComboBox *m_other, *m_direction;
    PromptEdit* m_written;
    QLineEdit* m_path; ///< of a file of pairs
    QTimer m_pause;    ///< between two changes of what is written
    QCheckBox* m_many;
    QPushButton *m_start, *m_stop, *m_file;
};

} // namespace headscope::widgets
