// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Why both models answer as they do, one above the other, in the place of the maps. GUI thread.

#include "core/base/side.h"
#include "widgets/why/edgepage.h"
#include "widgets/why/patchpage.h"
#include "widgets/why/whyview.h"

#include <QWidget>

#include <array>

class QTabWidget;

namespace headscope::widgets {

class WhyPage : public QWidget
{
    Q_OBJECT

public:
    explicit WhyPage(QWidget* parent = nullptr);

    [[nodiscard]] WhyView* view(Side side) const { return m_views[indexOf(side)]; }
    /// A model that is not open has no view.
    void setShown(Side side, bool shown);
    [[nodiscard]] PatchPage* patches() const { return m_patches; }
    [[nodiscard]] EdgePage* edges() const { return m_edges; }
    [[nodiscard]] QTabWidget* tabs() const { return m_tabs; }

Q_SIGNALS:
    void backRequested();
    /// The page came into view: it may be out of date.
    void shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    std::array<WhyView*, 2> m_views{};
    PatchPage* m_patches = nullptr;
    EdgePage* m_edges = nullptr;
    QTabWidget* m_tabs = nullptr;
};

} // namespace headscope::widgets
