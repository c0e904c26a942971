// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How each model continues the prompt, token by token, with the alternatives under the mouse: a popover that lies over
// the maps. GUI thread.

#include "widgets/look/boxes/card.h"
#include "widgets/look/theme.h"
#include "widgets/prompt/samplingfields.h"

#include <QTextEdit>

#include <array>
#include <utility>
#include <vector>

class QCheckBox;
class QToolButton;

namespace headscope::widgets {

class ElidedLabel;

/// A token that a model added.
struct ContinuedWord {
    QString text;
    double probability = 0;
    std::vector<std::pair<QString, double>> candidates; ///< most probable first
};

/// The tokens of one side as wrapped text. Improbable tokens have a tinted background; hovering or the arrow keys show
/// the alternatives.
class ContinuationText : public QTextEdit
{
    Q_OBJECT
public:
    static constexpr int kLines = 3; ///< a longer continuation scrolls

    ContinuationText(Side side, QWidget* parent);
    void append(const std::vector<ContinuedWord>& words);
    void clearWords();
    [[nodiscard]] const std::vector<ContinuedWord>& words() const { return m_words; }
    /// Returns the text that the model wrote.
    [[nodiscard]] QString plainText() const;
    /// Returns the word at a position of the widget; -1: none.
    [[nodiscard]] int wordAt(const QPoint& at) const;
    /// Returns rich text with the most probable tokens in place of this word and their probabilities.
    [[nodiscard]] QString candidatesText(int word) const;
    /// Returns the height for at most that many lines; longer text scrolls.
    [[nodiscard]] int heightOf(int lines) const;
    void setMostLines(int lines);
    QSize sizeHint() const override;

Q_SIGNALS:
    void wordPointedAt(int word); ///< by mouse or keyboard; -1: none

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void write(const ContinuedWord& word);
    void rewrite();
    void fitHeight();

    Side m_side;
    std::vector<ContinuedWord> m_words;
    std::vector<int> m_ends; ///< document position behind each word
    int m_mostLines = kLines;
};

class ContinuationView : public Card
{
    Q_OBJECT

public:
    explicit ContinuationView(QWidget* parent = nullptr);
    /// Fits its texts into `room`, showing fewer of their lines if necessary, and returns the size it needs.
    [[nodiscard]] QSize fitInto(const QSize& room);
    /// Empties the line of a side and shows the popover; `state`: "all heads on", "L2H5 off".
    void begin(Side side, const QString& state);
    void append(Side side, const std::vector<ContinuedWord>& words);
    /// Ends the line. `note`: why the text ends ("32 tokens", "stopped").
    void finish(Side side, const QString& note);
    void removeSide(Side side);
    [[nodiscard]] bool running() const { return m_lines[0].running || m_lines[1].running; }
    [[nodiscard]] ContinuationText* text(Side side) const { return m_lines[indexOf(side)].text; }
    [[nodiscard]] int tokens() const;
    [[nodiscard]] double temperature() const;
    /// Returns whether the text is appended to the prompt as it is generated; then only one model writes.
    [[nodiscard]] bool isAppending() const;

Q_SIGNALS:
    void continueRequested();
    void stopRequested();
    /// The user wants to append this text to the prompt.
    void takeOverRequested(const QString& text);
    void closed();

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Line {
        QWidget* row = nullptr;
        ElidedLabel* name = nullptr;
        ContinuationText* text = nullptr;
        ElidedLabel* note = nullptr;
        QToolButton* take = nullptr;
        bool running = false;
    };
    Line makeLine(Side side);
    Line& line(Side side) { return m_lines[indexOf(side)]; }
    void dismiss();
    void refresh();
    void restyle();

    std::array<Line, 2> m_lines;
    QToolButton* m_go;
    SamplingFields m_sampling;
    QCheckBox* m_appends;
};

} // namespace headscope::widgets
