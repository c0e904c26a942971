// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The middle of the window: the patterns of A and B, what they show, how they hang together, small pictures below. GUI
// thread.

#include "core/analysis/convention.h"
#include "widgets/heads/headstrip.h"
#include "widgets/look/theme.h"
#include "widgets/pattern/card/patterncard.h"

class QAction;
class QGridLayout;
class QToolBar;

namespace headscope::widgets {

class ElidedLabel;
class IconChoice;

/// What the maps hold.
enum class PatternShown {
    Pattern,
    Weighted,      ///< times the norm of what is taken
    MinusBaseline, ///< now minus everything on
    AMinusB,
    RowOfHeads, ///< one row of every head
};

enum class StripShown { None, Layer, Column, Top };

class PatternPage : public QWidget
{
    Q_OBJECT

public:
    explicit PatternPage(QWidget* parent = nullptr);

    [[nodiscard]] PatternCard* card(Side side) const { return side == Side::A ? m_a : m_b; }
    [[nodiscard]] PatternView* view(Side side) const { return card(side)->view(); }
    [[nodiscard]] RowProfileView* profile(Side side) const { return card(side)->profile(); }
    /// Bars below a map; both sides share their axis, so that a diffuse row looks diffuse beside a peaked one.
    void setProfile(Side side, const RowProfile& profile);
    void clearProfile(Side side);
    [[nodiscard]] HeadStrip* strip() const { return m_strip; }
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
    /// How the matrices of SSM heads are meant; which head is shown, and how, is not said in it.
    [[nodiscard]] analysis::MatrixConvention convention() const;
    /// Whether maps of SSMs keep their signs; else they are the shares of each row, as attention is.
    [[nodiscard]] bool isSigned() const;
    /// Whether a head of an SSM is shown: only then there is a convention to choose.
    void setSsm(bool ssm);
    /// For the menu: link, sink, whole map, and what the matrices of SSMs hold.
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
    void fitAxes();
    [[nodiscard]] bool beside() const;

    PatternCard* m_a;
    PatternCard* m_b;
    QWidget* m_pair;
    QWidget* m_tools; ///< caption and buttons
    ElidedLabel* m_caption;
    HeadStrip* m_strip;
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
    QList<QAction*> m_actions;
    bool m_two = false;
    bool m_stripChosen = false; ///< by the person: then it is there however low the page
};

} // namespace headscope::widgets
