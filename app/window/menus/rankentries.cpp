// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/menus/rankentries.h"

#include "app/state/modelheads.h"
#include "app/window/explorer.h"
#include "app/window/menus/entry.h"
#include "widgets/look/numbertext.h"

#include <QTimer>

#include <algorithm>

namespace headscope::gui {

using app::RankMethod;

RankEntries::RankEntries(QMenu& menu, Explorer& explorer, app::Door& door)
    : QObject(&menu), m_explorer(explorer), m_door(door)
{
    const auto add = [&](RankMethod method, const QString& title, const QKeySequence& keys = {}) {
        m_entries[method] = {addEntry(menu, this, title, keys,
                                      [this, method] { m_explorer.rankHeads(m_explorer.activeSide(), method); }),
                             title};
    };
    add(RankMethod::Exact, tr("&Rank all heads (exact ablation)"), QKeySequence(tr("F5")));
    add(RankMethod::Race, tr("Find the top ten heads (ra&ce)"), QKeySequence(tr("Shift+F5")));
    add(RankMethod::Estimate, tr("&Estimate all heads by gradients"), QKeySequence(tr("Ctrl+F5")));
    add(RankMethod::Gather, tr("Rank by &gather score"));
    add(RankMethod::Aggregate, tr("Rank by &aggregate score"));
    // The finder has menus filled without showing them: a forecast is asked for by those who see it.
    connect(&menu, &QMenu::aboutToShow, this, [this, &menu] {
        show();
        QTimer::singleShot(0, this, [this, &menu] {
            if (menu.isVisible())
                ask();
        });
    });
    door.on<app::ForecastRequest>(this, [this](Side side, const auto& forecast) {
        m_forecasts[indexOf(side)] = forecast;
        show();
    });
    const auto forget = [this](Side side) { m_forecasts[indexOf(side)].reset(); };
    connect(&explorer.state(), &WindowState::modelChanged, this, forget);
    connect(&explorer.state(), &WindowState::scoresForgotten, this, [=] { std::ranges::for_each(kSides, forget); });
}

void RankEntries::ask()
{
    const Side side = m_explorer.activeSide();
    const SideState& now = m_explorer.state().side(side);
    if (now.model && !now.isStored() && !m_forecasts[indexOf(side)] && !m_door.isRunning<app::ForecastRequest>(side))
        m_door.ask(app::ForecastRequest{estimateRequest(*now.model, side)});
}

void RankEntries::show()
{
    const auto& forecast = m_forecasts[indexOf(m_explorer.activeSide())];
    for (const auto& [method, entry] : m_entries) {
        QString text = entry.title;
        if (forecast)
            for (const app::RankCost& cost : forecast->costs)
                if (cost.method == method)
                    text = (cost.atMost ? tr("%1: at most %2, %3") : tr("%1: about %2, %3"))
                               .arg(entry.title, widgets::durationText(cost.seconds),
                                    widgets::bytesText(static_cast<double>(cost.bytes)));
        entry.action->setText(text);
    }
}

} // namespace headscope::gui
