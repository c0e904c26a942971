// SPDX-License-Identifier: GPL-3.0-or-later
// What a step of the exercises asks for: conditions that are ticked off as they come to hold, or an answer in words.
// GUI thread.
#pragma once

#include <QWidget>

#include <optional>

class QGridLayout;
class QPlainTextEdit;
class QPushButton;

namespace headscope::widgets {

class PlainLabel;

/// A condition and how far it is.
struct ExerciseLine {
    QString words;           ///< "A: KV retrieval, 8 pairs at most 0.10"
    QString measured;        ///< "0.04 on 256 examples"; empty: not yet
    std::optional<bool> met; ///< none: not known yet
    bool operator==(const ExerciseLine&) const = default;
};

class ExercisePart : public QWidget
{
    Q_OBJECT

public:
    explicit ExercisePart(QWidget* parent = nullptr);
    void setLines(const QList<ExerciseLine>& lines);
    /// Whether an answer in words is asked for; what was kept of it before.
    void setWriting(bool asked, const QString& kept);
    [[nodiscard]] QString written() const;

Q_SIGNALS:
    /// The person wants this kept.
    void writtenDown(const QString& text);

protected:
    void changeEvent(QEvent* event) override;

private:
    void fill();

    QList<ExerciseLine> m_lines;
    QGridLayout* m_grid;
    QPlainTextEdit* m_text;
    QPushButton* m_keep;
};

} // namespace headscope::widgets
