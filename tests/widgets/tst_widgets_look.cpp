// SPDX-License-Identifier: GPL-3.0-or-later
// What every control looks like: its edge is seen against the window, in the light and in the dark.
#include "tests/support/contrast.h"
#include "widgets/look/appstyle.h"
#include "widgets/look/countedtext.h"
#include "widgets/look/filename.h"
#include "widgets/look/fitting.h"
#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/theme.h"
#include "widgets/scores/plotthumbnail.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QTest>

#include <cmath>
#include <memory>

using namespace headscope::widgets;
using headscope::testing::contrast;
using namespace Qt::StringLiterals;

class TestWidgetsLook : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void numbersAgreeWithTheirNouns()
    {
        const auto heads = [](qlonglong n) { return counted(n, u"1 head"_s, u"%L1 heads"_s); };
        QCOMPARE(heads(1), u"1 head"_s);
        QCOMPARE(heads(0), u"0 heads"_s);
        QCOMPARE(heads(1234), QLocale().toString(1234) + u" heads"_s);
    }
    // A name that somebody typed, or that came with a model, is proposed for a file.
    void everyNameMakesAFileName()
    {
        QCOMPARE(fileNameOf(u"Ada Löve, 2. Übung (B)"_s), u"Ada Löve, 2. Übung (B)"_s);
        QCOMPARE(fileNameOf(u"../../etc/passwd"_s), u".._.._etc_passwd"_s);
        QCOMPARE(fileNameOf(u"stored:for the talk"_s), u"stored_for the talk"_s);
        const QString hostile = u"a"_s + QChar(0) + u"b\033[2J\r\nc*?\"<>|"_s;
        for (const QChar c : fileNameOf(hostile))
            QVERIFY2(c.isPrint() && !u"*?\"<>|/\\"_s.contains(c), qPrintable(fileNameOf(hostile)));
        for (const QString& one : {u"x"_s, u"日"_s, u"😀"_s})
            QVERIFY(fileNameOf(one.repeated(100000)).toUtf8().size() <= 200);
    }

    // Fewer words, and whole ones, before words that are cut.
    void narrowPlacesSayLess()
    {
        ElidedLabel label;
        label.setForms({u"1 of 32 ablated, 1 in part"_s, u"2 changed"_s});
        const QFontMetricsF metrics(label.font());
        const auto shownAt = [&](const QString& wide) {
            label.resize(static_cast<int>(std::ceil(metrics.horizontalAdvance(wide))) + 1, 20);
            return label.shown();
        };
        QCOMPARE(shownAt(label.text()), label.text());
        QCOMPARE(shownAt(u"1 of 32 ablated,"_s), u"2 changed"_s);
        QVERIFY(shownAt(u"2 cha"_s).endsWith(u'…'));
        const QString parts = u"p = 0.01 · n = 256 · 247 broke"_s;
        const auto fits = [&](const QString& room) {
            return partsFitting(parts, u" · "_s, metrics, metrics.horizontalAdvance(room) + 1);
        };
        QCOMPARE(fits(parts), parts);
        QCOMPARE(fits(u"p = 0.01 · n = 256 · 2"_s), u"p = 0.01 · n = 256"_s);
        QCOMPARE(fits(u"p = 0.01 ·"_s), u"p = 0.01"_s);
        QVERIFY(fits(u"p ="_s).endsWith(u'…'));
    }

    void edgesAreSeen_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<bool>("dark");
        for (const QString& kind : {u"check box"_s, u"radio button"_s, u"line edit"_s, u"spin box"_s, u"combo box"_s,
                                    u"text edit"_s, u"list"_s})
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
        else if (kind == u"list")
            control = std::make_unique<QListWidget>();
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
        QVERIFY2(best > (kind == u"combo box" || kind == u"list" ? 1.15 : 1.5), // that one has a ground of its own
                 qPrintable(QString::number(best)));
    }

    // The bar of the one that is four times as much is four times as long, from the left edge on.
    void thumbnailsShowBars()
    {
        Plot plot{.conditions = {u"a"_s, u"b"_s}, .series = {}, .guessing = {}, .bars = true};
        plot.series.push_back({{}, PlotSeries::Tone::First, {{0, 2, {}}}});
        plot.series.push_back({{}, PlotSeries::Tone::Second, {{1, 8, {}}}});
        QImage picture(120, 60, QImage::Format_RGB32);
        const Theme theme = themeOf(lightPalette());
        picture.fill(theme.base);
        QPainter painter(&picture);
        paintThumbnail(painter, plot, picture.rect(), theme);
        painter.end();
        const auto inked = [&](int y, const QColor& ink) {
            int count = 0;
            for (int x = 0; x < picture.width(); ++x)
                count += picture.pixelColor(x, y) == ink;
            return count;
        };
        const int few = inked(17, theme.sideA), many = inked(43, theme.sideB);
        QVERIFY2(few > 20 && std::abs(many - 4 * few) <= 4, qPrintable(u"%1 and %2"_s.arg(few).arg(many)));
    }
};

QTEST_MAIN(TestWidgetsLook)
#include "tst_widgets_look.moc"
