// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The central page of the window: the patterns of A and B, their settings and links, small maps below. GUI
// thread.

#include "core/analysis/convention.h"
#include "widgets/heads/headstrip.h"
#include "widgets/look/theme.h"
#include "widgets/pattern/card/patterncard.h"

#include <array>

class QAction;
class QGridLayout;
class QToolBar;

namespace headscope::widgets {

class ElidedLabel;
class IconChoice;

/// The quantity shown in the maps.
enum class PatternShown {
    Pattern,
    Weighted,      ///< times the norm of the vector that is read
    MinusBaseline, ///< current state minus baseline
    AMinusB,
    RowOfHeads, ///< one row of every head
};

/// All, AllByMetric: those of every head, in place of the maps.
enum class StripShown { None, Layer, Column, Top, All, AllByMetric };

class PatternPage : public QWidget
{
    Q_OBJECT

public:
    explicit PatternPage(QWidget* parent = nullptr);

    [[nodiscard]] PatternCard* card(Side side) const { return side == Side::A ? m_a : m_b; }
    [[nodiscard]] PatternView* view(Side side) const { return card(side)->view(); }
    [[nodiscard]] RowProfileView* profile(Side side) const { return card(side)->profile(); }
    /// Sets the bars below a map; both sides share an axis, so that a diffuse row looks diffuse beside a peaked one.
    void setProfile(Side side, const RowProfile& profile);
    void clearProfile(Side side);
    [[nodiscard]] HeadStrip* strip() const { return m_strip; }
    /// The small maps of every head of a side, which take the place of the maps.
    [[nodiscard]] HeadStrip* everyHead(Side side) const { return m_every[indexOf(side)]; }
    [[nodiscard]] bool showsEveryHead() const { return stripShown() >= StripShown::All; }
    void leaveEveryHead() { toggleEveryHead(false); }
    /// Of this page: maps, bars and sentences, below the headings of the maps and without the thumbnails.
    [[nodiscard]] QRect belowHeadings() const;
    /// Whose heads the small pictures show: "layer 2 of A".
    void setStripCaption(const QStringList& forms); ///< the longest first
    /// B's view, and the choices that need two models.
    void setTwo(bool two);
    [[nodiscard]] PatternShown shown() const;
    void setShown(PatternShown shown);
    [[nodiscard]] StripShown stripShown() const;
    void setStripShown(StripShown shown);
    [[nodiscard]] bool linked() const;
    [[nodiscard]] ScaleOptions scale() const;
    /// Returns the convention for matrices of SSM heads; it does not contain the head shown or the quantity.
    [[nodiscard]] analysis::MatrixConvention convention() const;
    /// Returns whether maps of SSMs keep their signs; otherwise they are shares of each row, like attention.
    [[nodiscard]] bool isSigned() const;
    /// Sets whether an SSM head is shown: conventions can only be chosen for these.
    void setSsm(bool ssm);
    /// Returns the menu actions: link, sink, whole map, and the convention of SSM matrices.
    [[nodiscard]] QList<QAction*> viewActions() const { return m_actions; }

Q_SIGNALS:
    void shownChanged();
    void stripChanged();
    void linkedChanged(bool linked);
    void scaleChanged();
    void signedChanged();
    void conventionChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildChoices();
    void buildBar();
    void buildMore();
    void connectChoices();
    void arrange();
    void arrangeStrip();
    void toggleEveryHead(bool on);
    void fitAxes();
    [[nodiscard]] bool beside() const;

    PatternCard* m_a;
    PatternCard* m_b;
    QWidget* m_pair;
    QWidget* m_tools; ///< caption and buttons
    ElidedLabel* m_caption;
    HeadStrip* m_strip;
    QWidget* m_all; ///< of both sides
    std::array<HeadStrip*, 2> m_every;
    QGridLayout* m_grid;
    QToolBar* m_bar;
    IconChoice* m_show;
    IconChoice* m_scale;
    IconChoice* m_strips;
    QAction* m_link;
    QAction* m_sink;
    QAction* m_signed;
    QAction* m_withD;
    QAction* m_withDt;
    QAction* m_withGate;
    QAction* m_whole;
    QAction* m_everyHead;
    QList<QAction*> m_actions;
    bool m_two = false;
    StripShown m_before = StripShown::Layer; ///< every head was shown
    bool m_stripChosen = false;              ///< by the user: then it is visible at any page height
};

} // namespace headscope::widgets
