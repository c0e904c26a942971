// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention knockout between chosen tokens in a sliding window of layers, and its effect. GUI
// thread.

#include "widgets/why/parts/numbertable.h"
#include "widgets/why/sweepchart.h"

#include <QStringList>

class QCheckBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace headscope::widgets {

struct SweepChoice {
    int firstQuery = 0, lastQuery = 0, firstKey = 0, lastKey = 0; ///< tokens, ends included
    int width = 1;                                                ///< layers
    bool beforeSoftmax = true;

    bool operator==(const SweepChoice&) const = default;
};

class SweepPage : public QWidget
{
    Q_OBJECT

public:
    explicit SweepPage(QWidget* parent = nullptr);

    /// Sets the tokens of the prompt, from which spans are chosen.
    void setTokens(const QStringList& tokens);
    [[nodiscard]] SweepChoice choice() const;
    void setChoice(const SweepChoice& choice);
    void setSentence(const QString& sentence);
    [[nodiscard]] QString sentence() const;
    void setRunning(bool running);
    [[nodiscard]] SweepChart* chart() const { return m_chart; }
    [[nodiscard]] NumberTable* table() const { return m_table; }

Q_SIGNALS:
    void sweepRequested();
    void stopRequested();
    void shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    [[nodiscard]] QSpinBox* makeSpin(const QString& name);
    void refreshWords();

    QStringList m_tokens;
    QSpinBox *m_firstQuery, *m_lastQuery, *m_firstKey, *m_lastKey, *m_width;
    QCheckBox* m_softmax;
    QLabel *m_words, *m_sentence;
    QPushButton* m_run;
    SweepChart* m_chart;
    NumberTable* m_table;
    bool m_running = false;
};

} // namespace headscope::widgets
