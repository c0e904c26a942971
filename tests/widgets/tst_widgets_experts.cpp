// SPDX-License-Identifier: GPL-3.0-or-later
// The page of experts: what a click does, how many fit, and a layer that is chosen for both models.
#include "widgets/why/parts/whypage.h"

#include <QHeaderView>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>

using headscope::Side;
using namespace headscope::widgets;
using namespace Qt::StringLiterals;

namespace {

/// Three tokens, the expert that runs for each of them, and as many others.
GridData experts(int tokens, int others)
{
    GridData data{
        .corner = u"token"_s, .rows = {}, .columns = {}, .cells = {}, .scale = GridScale::SideA, .sparse = true};
    for (int token = 0; token < tokens; ++token)
        data.rows.push_back({.name = QString::number(token)});
    data.columns.push_back({.name = u"shared"_s, .count = tokens, .share = 1});
    for (int expert = 0; expert < others; ++expert)
        data.columns.push_back({.name = u"X%1"_s.arg(expert), .id = expert, .count = 1, .share = 0.5});
    data.cells.assign(data.rows.size() * data.columns.size(), {.value = 0.5, .strength = 0.5F});
    return data;
}

} // namespace

class TestWidgetsExperts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aClickOnAnExpertIsAskedFor();
    void manyExpertsFitAndZoom();
    void thePageIsThereForModelsWithExperts();
    void layersAreChosenForBoth();
};

void TestWidgetsExperts::aClickOnAnExpertIsAskedFor()
{
    ExpertView view;
    GridData data = experts(3, 4);
    data.columns[2].off = true;
    view.setExperts(data, {});
    view.resize(600, 300);
    view.show();
    QVERIFY(QTest::qWaitForWindowActive(&view));
    QSignalSpy asked(&view, &ExpertView::switchRequested);
    const auto taken = [&asked] {
        QStringList all;
        for (const QVariantList& one : std::as_const(asked))
            all << one.at(0).toString() + u' ' + one.at(1).toString();
        asked.clear();
        return all.join(u", "_s);
    };
    QHeaderView& header = *view.grid()->horizontalHeader();
    const auto click = [&header](int column) {
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
                          {header.sectionViewportPosition(column) + header.sectionSize(column) / 2, 10});
    };
    click(4);
    QCOMPARE(taken(), u"3 true"_s);
    click(2);
    QCOMPARE(taken(), u"1 false"_s);
    click(0); // the shared one has no switch of its own
    QVERIFY(asked.isEmpty());
    view.grid()->setFocus();
    view.grid()->setCurrentIndex(view.grid()->model()->index(1, 1));
    QTest::keyClick(view.grid(), Qt::Key_Space);
    QCOMPARE(taken(), u"0 true"_s);
    // Where one looks stays through an ablation.
    view.setExperts(data, {});
    QCOMPARE(view.grid()->currentIndex(), view.grid()->model()->index(1, 1));
}

void TestWidgetsExperts::manyExpertsFitAndZoom()
{
    ExpertView view;
    view.resize(1300, 400);
    view.show();
    view.setExperts(experts(40, 128), {});
    GridView& grid = *view.grid();
    QVERIFY(!grid.horizontalScrollBar()->isVisible());
    const int fitting = grid.columnWidth(1);
    QVERIFY(grid.columnWidth(0) > fitting); // its name is read
    grid.setZoom(6);
    QVERIFY(grid.columnWidth(1) > 3 * fitting);
    QVERIFY(grid.horizontalScrollBar()->maximum() > 0);
    grid.setZoom(0);
    view.resize(400, 300); // no column becomes thinner than can be pointed at
    QVERIFY(grid.columnWidth(1) >= 8);
}

void TestWidgetsExperts::thePageIsThereForModelsWithExperts()
{
    WhyPage page;
    const int tab = page.tabs()->indexOf(page.experts());
    QVERIFY(!page.tabs()->isTabVisible(tab));
    page.setExpertsShown(true);
    QVERIFY(page.tabs()->isTabVisible(tab));
    page.tabs()->setCurrentIndex(tab);
    page.setExpertsShown(false); // the model went
    QVERIFY(!page.tabs()->isTabVisible(tab) && page.tabs()->currentIndex() != tab);
}

void TestWidgetsExperts::layersAreChosenForBoth()
{
    ExpertPage page;
    QSignalSpy changed(&page, &ExpertPage::choiceChanged);
    QCOMPARE(page.layer(), -1);
    page.setLayers({1, 3, 5});
    QCOMPARE(page.layer(), 1);
    page.setLayer(3);
    page.setLayer(4); // there is none
    QCOMPARE(page.layer(), 3);
    QCOMPARE(changed.count(), 2);
    page.setLayers({0, 3});
    QCOMPARE(page.layer(), 3);
    QCOMPARE(changed.count(), 2);
    page.setLayers({});
    QCOMPARE(page.layer(), -1);
    // The same tokens are seen of both.
    page.setShown(Side::B, true);
    page.resize(900, 600);
    page.show();
    for (const Side side : headscope::kSides)
        page.view(side)->setExperts(experts(400, 8), {});
    page.view(Side::A)->grid()->verticalScrollBar()->setValue(70);
    QCOMPARE(page.view(Side::B)->grid()->verticalScrollBar()->value(), 70);
    changed.clear();
    page.setOrder(ExpertOrder::Tokens);
    QCOMPARE(changed.count(), 1);
    QVERIFY(page.order() == ExpertOrder::Tokens);
}

QTEST_MAIN(TestWidgetsExperts)
#include "tst_widgets_experts.moc"
