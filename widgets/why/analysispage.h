// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An analysis page: a row of settings above the results of each model, which are stacked or, if they fit, side by side.
// GUI thread.

#include "core/base/side.h"
#include "widgets/why/besidesplitter.h"

#include <QWidget>

#include <array>

class QHBoxLayout;
class QPushButton;
class QVBoxLayout;

namespace headscope::widgets {

class AnalysisPage : public QWidget
{
    Q_OBJECT

public:
    explicit AnalysisPage(QWidget* parent = nullptr);

    /// Adds a button to the settings row that starts and stops the run.
    void addStart(const QString& title);
    /// Whether something runs that can be stopped.
    virtual void setRunning(bool running);

Q_SIGNALS:
    /// The page came into view: it may be out of date.
    void shown();
    void startRequested();
    void stopRequested();

protected:
    [[nodiscard]] QHBoxLayout* line() const { return m_line; }
    [[nodiscard]] QVBoxLayout* lines() const { return m_lines; }
    [[nodiscard]] BesideSplitter* both() const { return m_both; }
    void showEvent(QShowEvent* event) override;

private:
    QVBoxLayout* m_lines;
    QHBoxLayout* m_line;
    BesideSplitter* m_both;
    QPushButton* m_start = nullptr;
    QString m_title; ///< of the button while nothing runs
    bool m_running = false;
};

/// With a view for each model; the second is shown where there is a second model.
template <typename View> class SidesPage : public AnalysisPage
{
public:
    explicit SidesPage(QWidget* parent = nullptr) : AnalysisPage(parent)
    {
        for (const Side side : kSides) {
            if constexpr (std::is_constructible_v<View, Side>)
                m_views[indexOf(side)] = new View(side);
            else
                m_views[indexOf(side)] = new View;
            both()->addWidget(view(side));
            if constexpr (requires(View * each) { each->setUpright(true); })
                connect(both(), &BesideSplitter::arranged, view(side), &View::setUpright);
        }
        view(Side::B)->hide();
    }

    [[nodiscard]] View* view(Side side) const { return m_views[indexOf(side)]; }

private:
    std::array<View*, 2> m_views{};
};

} // namespace headscope::widgets
