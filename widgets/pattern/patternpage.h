// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The middle of the window: the patterns of A and B, what they show, how they hang together, small pictures below. GUI
// thread.

#include "widgets/heads/headstrip.h"
#include "widgets/look/theme.h"
#include "widgets/pattern/patternview.h"

class QAction;
class QComboBox;
class QToolBar;

namespace headscope::widgets {

/// What the maps hold.
enum class PatternShown {
    Pattern,
    Weighted,      ///< times the norm of what is taken
    MinusBaseline, ///< now minus everything on
    AMinusB,
    RowOfHeads, ///< one row of every head
};

/// How the matrices of SSM heads are meant.
struct SsmConvention {
    bool withD = true;     ///< D on the diagonal
    bool withDt = true;    ///< the step size as a factor of each column
    bool withGate = false; ///< each row times the gate
};

enum class StripShown { None, Layer, Column };

class PatternPage : public QWidget
{
    Q_OBJECT

public:
    explicit PatternPage(QWidget* parent = nullptr);

    [[nodiscard]] PatternView* view(Side side) const { return side == Side::A ? m_a : m_b; }
    [[nodiscard]] HeadStrip* strip() const { return m_strip; }
    /// B's view, and the choices that need two models.
    void setTwo(bool two);
    [[nodiscard]] PatternShown shown() const;
    void setShown(PatternShown shown);
    [[nodiscard]] StripShown stripShown() const;
    void setStripShown(StripShown shown);
    [[nodiscard]] bool linked() const;
    [[nodiscard]] ScaleOptions scale() const;
    [[nodiscard]] SsmConvention convention() const;
    /// Whether a head of an SSM is shown: only then there is a convention to choose.
    void setSsm(bool ssm);
    /// For the menu: link, sink, whole map, and what the matrices of SSMs hold.
    [[nodiscard]] QList<QAction*> viewActions() const { return m_actions; }

Q_SIGNALS:
    void shownChanged();
    void stripChanged();
    void linkedChanged(bool linked);
    void scaleChanged();
    void conventionChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildBar();
    void buildConventions();
    void arrange();
    void arrangeStrip();

    PatternView* m_a;
    PatternView* m_b;
    HeadStrip* m_strip;
    QToolBar* m_bar;
    QComboBox* m_show;
    QComboBox* m_scale;
    QComboBox* m_strips;
    QAction* m_link;
    QAction* m_sink;
    QAction* m_withD;
    QAction* m_withDt;
    QAction* m_withGate;
    QAction* m_conventions = nullptr; ///< the button that holds the three
    QList<QAction*> m_actions;
    bool m_two = false;
    bool m_stripChosen = false; ///< by the person: then it is there however low the page
};

} // namespace headscope::widgets
