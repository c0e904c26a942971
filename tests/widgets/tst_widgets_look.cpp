// SPDX-License-Identifier: GPL-3.0-or-later
// What every control looks like: its edge is seen against the window, in the light and in the dark.
#include "tests/support/contrast.h"
#include "widgets/look/appstyle.h"
#include "widgets/look/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QTest>

#include <memory>

using namespace headscope::widgets;
using headscope::testing::contrast;
using namespace Qt::StringLiterals;

class TestWidgetsLook : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void edgesAreSeen_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<bool>("dark");
        for (const QString& kind :
             {u"check box"_s, u"radio button"_s, u"line edit"_s, u"spin box"_s, u"combo box"_s, u"text edit"_s})
            for (const bool dark : {false, true})
                QTest::newRow(qPrintable(kind + (dark ? u", dark"_s : u", light"_s))) << kind << dark;
    }

    // Without words in them: what stands out from the ground is the edge alone.
    void edgesAreSeen()
    {
        QFETCH(QString, kind);
        QFETCH(bool, dark);
        std::unique_ptr<QWidget> control;
        if (kind == u"check box")
            control = std::make_unique<QCheckBox>();
        else if (kind == u"radio button")
            control = std::make_unique<QRadioButton>();
        else if (kind == u"line edit")
            control = std::make_unique<QLineEdit>();
        else if (kind == u"spin box") {
            auto spin = std::make_unique<QDoubleSpinBox>();
            spin->setButtonSymbols(QAbstractSpinBox::NoButtons);
            spin->setSpecialValueText(u" "_s);
            control = std::move(spin);
        } else if (kind == u"text edit")
            control = std::make_unique<QPlainTextEdit>();
        else
            control = std::make_unique<QComboBox>();
        AppStyle style;
        const QPalette palette = dark ? darkPalette() : lightPalette();
        control->setStyle(&style);
        control->setPalette(palette);
        control->resize(control->sizeHint());
        const QImage picture = control->grab().toImage();
        // Half way down, from the left: the first edge that is met.
        double best = 0;
        for (int x = 0; x < std::min(8, picture.width()); ++x)
            best =
                std::max(best, contrast(picture.pixelColor(x, picture.height() / 2), palette.color(QPalette::Window)));
        QVERIFY2(best > (kind == u"combo box" ? 1.15 : 1.5), // that one has a ground of its own
                 qPrintable(QString::number(best)));
    }
};

QTEST_MAIN(TestWidgetsLook)
#include "tst_widgets_look.moc"
