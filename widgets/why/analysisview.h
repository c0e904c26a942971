// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What one model gives on a page of analysis: its title, a sentence that answers the page's question, and below them
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
    explicit AnalysisView(QWidget* parent = nullptr);

    /// "A with L2H5 ablated".
    void setTitle(const QString& title);
    [[nodiscard]] QString title() const;
    /// Of results, or why there are none.
    void setSentence(const QString& sentence);
    [[nodiscard]] QString sentence() const;

protected:
    /// The line of the title, for what is at its end.
    [[nodiscard]] QHBoxLayout* top() const { return m_top; }
    /// Where the picture goes.
    [[nodiscard]] QVBoxLayout* lines() const { return m_lines; }
    void changeEvent(QEvent* event) override;

private:
    QVBoxLayout* m_lines;
    QHBoxLayout* m_top;
    QLabel *m_title, *m_sentence;
};

} // namespace headscope::widgets
