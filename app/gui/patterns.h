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

    void show(Side side, const Subject& subject);
    /// The same with a map that is there already, of a model that is not.
    void showKept(Side side, const Subject& subject, std::shared_ptr<const app::PatternReply> reply);
    void close(Side side);
    /// What the map of this side was computed from and is; null until it is there.
    [[nodiscard]] std::shared_ptr<const app::PatternReply> pattern(Side side) const { return stateOf(side).reply; }
    /// -1: none
    [[nodiscard]] int lockedRow(Side side) const { return stateOf(side).lockedRow; }
    void lockRow(Side side, int row);
    /// The side whose heads the strip shows.
    void setStripSide(Side side);
    /// A head map's tooltip wants a picture.
    void hover(Side side, const widgets::HeadSpan& head);

Q_SIGNALS:
    void shown(headscope::Side side);
    /// Chosen in the strip or among the lines of all heads.
    void headChosen(headscope::Side side, const headscope::widgets::HeadSpan& head);

private:
    struct SideState {
        Subject subject;
        std::shared_ptr<const app::PatternReply> reply;
        std::shared_ptr<const app::RowOfHeads> heads;
        int lockedRow = -1;
        widgets::PatternRowBlock profileRow; ///< of a pooled map
    };
    [[nodiscard]] SideState& stateOf(Side side) { return m_sides[indexOf(side)]; }
    [[nodiscard]] const SideState& stateOf(Side side) const { return m_sides[indexOf(side)]; }
    [[nodiscard]] widgets::PatternView* view(Side side) const
    {
        return side == Side::A ? m_parts.patternA : m_parts.patternB;
    }
    [[nodiscard]] app::PatternRequest request(Side side) const;
    [[nodiscard]] int profileRow(Side side) const;
    /// The number on the other side of a token of this side; itself where the sides are not linked is never asked for.
    [[nodiscard]] int partner(Side side, int token) const;

    void connectView(Side side);
    void take(Side side, const Subject& subject);
    void ask(Side side);
    void arrived(Side side, std::shared_ptr<const app::PatternReply> reply);
    void rowsArrived(BackendClient::Kind kind, Side side, std::shared_ptr<const app::PatternRows> rows);
    void fill(Side side);
    void askRowOfHeads(Side side);
    void showProfile();
    void rowClicked(Side side, int row);
    void askStrip();
    void failed(BackendClient::Kind kind, Side side, const QString& sentence);

    Parts m_parts;
    BackendClient& m_client;
    std::array<SideState, 2> m_sides;
    analysis::TokenMatch m_match;
    Side m_stripSide = Side::A;
    QString m_stripShows; ///< what the strip's pictures were asked for
    QTimer m_hover;       ///< a picture is asked for where the mouse rests
    Side m_hoverSide = Side::A;
    widgets::HeadSpan m_hovered;
};

} // namespace headscope::gui
