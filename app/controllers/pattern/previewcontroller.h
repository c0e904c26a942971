// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Thumbnails of maps: in the strip below the patterns, of every head in their place, and in the tooltips of the head
// maps. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/heads/headmappanel.h"
#include "widgets/pattern/card/patternpage.h"

#include <QObject>
#include <QTimer>

#include <array>

namespace headscope::gui {

class PreviewController : public QObject
{
    Q_OBJECT

public:
    PreviewController(WindowState& state, app::Door& door, widgets::PatternPage& page,
                      std::array<widgets::HeadMapPanel*, 2> maps, QObject* parent);

private:
    void connectMap(Side side);
    void connectState();
    void changed(Side side);
    void askStrip();
    /// Of one side, into the strip or the page of every head.
    void askOf(Side side);
    void forget(Side side);
    /// Shows the map of a head that was clicked.
    void look(Side side, const widgets::HeadSpan& head);
    [[nodiscard]] widgets::HeadStrip& stripOf(Side side) const;
    [[nodiscard]] std::vector<interventions::HeadRef> stripHeads(Side side) const;
    [[nodiscard]] std::vector<interventions::HeadRef> everyHead(Side side) const;
    [[nodiscard]] QString stripCaption(const widgets::HeadSpan& chosen) const;
    void updateStrip();
    void hover(Side side, const widgets::HeadSpan& head);
    void requestHovered();
    void arrived(Side side, const app::PatternPreview& preview);
    /// Returns the request for all thumbnails of this side, regardless of the head.
    [[nodiscard]] app::PatternRequest request(Side side) const;
    [[nodiscard]] widgets::HeadMapModel* heads(Side side) const { return m_maps[indexOf(side)]->model(); }

    WindowState& m_state;
    app::Door& m_door;
    widgets::PatternPage& m_page;
    std::array<widgets::HeadMapPanel*, 2> m_maps;
    /// Identifies the request of a side's pictures.
    struct PreviewKey {
        widgets::StripShown shown = widgets::StripShown::None;
        std::string model, prompt;
        std::vector<interventions::HeadRef> heads;
        interventions::InterventionSet ablation;
        analysis::MatrixConvention convention;
        widgets::ScaleOptions scale;
        bool isSigned = false;
        bool operator==(const PreviewKey&) const = default;
    };
    std::array<std::optional<PreviewKey>, 2> m_asked; ///< of a side whose pictures are shown
    QTimer m_top;   ///< delays the request for the strongest heads until the metric stops changing
    QTimer m_late;  ///< delays the notice that the strip's pictures are still missing
    QTimer m_hover; ///< delays the request for the hovered head until the mouse rests
    Side m_hoverSide = Side::A;
    widgets::HeadSpan m_hovered;
};

} // namespace headscope::gui
