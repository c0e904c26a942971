// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which maps stand in the middle of the window: asks the worker for them, links the two sides by their text, and fills
// views, row profile and strip. GUI thread; computes nothing but the difference of two maps.

#include "app/gui/backendclient.h"
#include "app/gui/parts.h"
#include "core/analysis/tokenmatch.h"
#include "widgets/heads/headmapmodel.h"

#include <QTimer>

#include <array>
#include <memory>

namespace headscope::gui {

class Patterns : public QObject
{
    Q_OBJECT

public:
    /// Whose map is wanted.
    struct Subject {
        std::shared_ptr<const app::ModelSummary> model;
        app::Prompt prompt;
        widgets::HeadSpan head;
        QString ablation; ///< canonical text
        QString provenance;
    };

    Patterns(const Parts& parts, BackendClient& client, QObject* parent = nullptr);

    void show(Slot slot, const Subject& subject);
    /// The same with a map that is there already, of a model that is not.
    void showKept(Slot slot, const Subject& subject, std::shared_ptr<const app::PatternReply> reply);
    void close(Slot slot);
    /// What the map of this side was computed from and is; null until it is there.
    [[nodiscard]] std::shared_ptr<const app::PatternReply> pattern(Slot slot) const { return side(slot).reply; }
    /// -1: none
    [[nodiscard]] int lockedRow(Slot slot) const { return side(slot).lockedRow; }
    void lockRow(Slot slot, int row);
    /// The side whose heads the strip shows.
    void setStripSide(Slot slot);
    /// A head map's tooltip wants a picture.
    void hover(Slot slot, const widgets::HeadSpan& head);

Q_SIGNALS:
    void shown(headscope::app::Slot slot);
    /// Chosen in the strip or among the lines of all heads.
    void headChosen(headscope::app::Slot slot, const headscope::widgets::HeadSpan& head);

private:
    struct SideState {
        Subject subject;
        std::shared_ptr<const app::PatternReply> reply;
        std::shared_ptr<const app::RowOfHeads> heads;
        int lockedRow = -1;
        widgets::PatternRowBlock profileRow; ///< of a pooled map
    };
    [[nodiscard]] SideState& side(Slot slot) { return m_sides[slot == Slot::A ? 0 : 1]; }
    [[nodiscard]] const SideState& side(Slot slot) const { return m_sides[slot == Slot::A ? 0 : 1]; }
    [[nodiscard]] static Slot other(Slot slot) { return slot == Slot::A ? Slot::B : Slot::A; }
    [[nodiscard]] widgets::PatternView* view(Slot slot) const
    {
        return slot == Slot::A ? m_parts.patternA : m_parts.patternB;
    }
    [[nodiscard]] app::PatternRequest request(Slot slot) const;
    [[nodiscard]] int profileRow(Slot slot) const;
    /// The number on the other side of a token of this side; itself where the sides are not linked is never asked for.
    [[nodiscard]] int partner(Slot slot, int token) const;

    void connectView(Slot slot);
    void take(Slot slot, const Subject& subject);
    void ask(Slot slot);
    void arrived(Slot slot, std::shared_ptr<const app::PatternReply> reply);
    void rowsArrived(BackendClient::Kind kind, Slot slot, std::shared_ptr<const app::PatternRows> rows);
    void fill(Slot slot);
    void askRowOfHeads(Slot slot);
    void showProfile();
    void rowClicked(Slot slot, int row);
    void askStrip();
    void failed(BackendClient::Kind kind, Slot slot, const QString& sentence);

    Parts m_parts;
    BackendClient& m_client;
    std::array<SideState, 2> m_sides;
    analysis::TokenMatch m_match;
    Slot m_stripSide = Slot::A;
    QString m_stripShows; ///< what the strip's pictures were asked for
    QTimer m_hover;       ///< a picture is asked for where the mouse rests
    Slot m_hoverSide = Slot::A;
    widgets::HeadSpan m_hovered;
};

} // namespace headscope::gui
