// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which two runs are told apart: the other prompt, whose run goes into whose, on how many pairs; and the buttons that
// start and stop. GUI thread.

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;

namespace headscope::widgets {

enum class OtherPrompt { Automatic, Key, Value, Binding, Name, Written, File };

struct PairChoice {
    OtherPrompt other = OtherPrompt::Automatic;
    QString written;    ///< the other prompt, where it is written; the file, where it is one of pairs
    bool noise = false; ///< the other prompt's parts go into this one
    bool many = false;  ///< many pairs of the task
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

Q_SIGNALS:
    void startRequested();
    void stopRequested();
    /// Another choice, or the box was shown: what is reported beside it may be of another.
    void changed();

protected:
    void showEvent(QShowEvent* event) override;

private:
    [[nodiscard]] QLayout* makePrompts(const QList<QWidget*>& first);
    [[nodiscard]] QLayout* makeButtons();
    void watch();
    void refreshOther();

    QComboBox *m_other, *m_direction;
    QLineEdit* m_written;
    QCheckBox* m_many;
    QPushButton *m_start, *m_stop, *m_file;
};

} // namespace headscope::widgets
