// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The map of one model with its bars below the columns and a sentence: the map takes most of the space. GUI
// thread.

#include "widgets/pattern/card/patternfooter.h"
#include "widgets/pattern/card/rowprofileview.h"
#include "widgets/pattern/patternview.h"

#include <QWidget>

namespace headscope::widgets {

class PatternCard : public QWidget
{
    Q_OBJECT

public:
    explicit PatternCard(Side side, QWidget* parent = nullptr);
    [[nodiscard]] PatternView* view() const { return m_view; }
    [[nodiscard]] RowProfileView* profile() const { return m_profile; }
    [[nodiscard]] PatternFooter* footer() const { return m_footer; }
    void setProfile(const RowProfile& profile);
    void clearProfile();
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void arrange();
    void follow();

    PatternView* m_view;
    RowProfileView* m_profile;
    PatternFooter* m_footer;
};

} // namespace headscope::widgets
