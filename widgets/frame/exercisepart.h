// SPDX-License-Identifier: GPL-3.0-or-later
// The task of an exercise step: conditions that are ticked off once they are met, or a written answer. GUI
// thread.
#pragma once

#include <QTimer>
#include <QWidget>

#include <optional>

class QGridLayout;
class QPlainTextEdit;
class QPushButton;

namespace headscope::widgets {

class PlainLabel;

/// A condition and its current value.
struct ExerciseLine {
    QString words;           ///< "A: KV retrieval, 8 pairs at most 0.10"
    QString measured;        ///< "0.04 on 256 examples"; empty: not yet
    std::optional<bool> met; ///< empty: not known yet
    bool operator==(const ExerciseLine&) const = default;
};

class ExercisePart : public QWidget
{
    Q_OBJECT

public:
    explicit ExercisePart(QWidget* parent = nullptr);
    void setLines(const QList<ExerciseLine>& lines);
    /// Sets whether a written answer is expected, and the stored text of it.
    void setWriting(bool asked, const QString& kept);
    [[nodiscard]] QString written() const;
    /// Reports the text while it is written, a moment after each change, and has no button for it.
    void setAutoSaved();
    /// Reports at once what was not reported yet.
    void saveNow();
    /// The text can be read only.
    void setLocked();

Q_SIGNALS:
    /// The user wants to store this text.
    void textSubmitted(const QString& text);

protected:
    void changeEvent(QEvent* event) override;

private:
    void fill();

    QList<ExerciseLine> m_lines;
    QGridLayout* m_grid;
    QPlainTextEdit* m_text;
    QPushButton* m_keep;
    bool m_keptAlways = false;
    QTimer m_pause; ///< while it runs, something was not reported yet
};

} // namespace headscope::widgets
