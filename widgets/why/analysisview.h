// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The result of one model on an analysis page: its title, a sentence that answers the page's question, and below them
// the picture. GUI thread.

#include <QVBoxLayout>
#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace headscope::widgets {

class AnalysisView : public QWidget
{
    Q_OBJECT

public:
    /// `lines`: of the sentence at most; their room is kept free.
    explicit AnalysisView(QWidget* parent = nullptr, int lines = 3);

    /// "A with L2H5 ablated".
    void setTitle(const QString& title);
    [[nodiscard]] QString title() const;
    /// Sets the summary of the results, or the reason why there are none.
    void setSentence(const QString& sentence);
    [[nodiscard]] QString sentence() const;

protected:
    /// The line of the title, for what is at its end.
    [[nodiscard]] QHBoxLayout* top() const { return m_top; }
    /// Where the picture goes.
    [[nodiscard]] QVBoxLayout* lines() const { return m_lines; }

private:
    QVBoxLayout* m_lines;
    QHBoxLayout* m_top;
    QLabel *m_title, *m_sentence;
};

/// Returns a widget with `view` below `caption`.
[[nodiscard]] QWidget* captioned(QWidget* caption, QWidget* view);

} // namespace headscope::widgets
