// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens and the experts that they go to: the table, what it says of a cell, what a click does, and what is copied.
#include "widgets/look/theme.h"
#include "widgets/why/parts/whypage.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTest>

using headscope::Side;
using namespace headscope::widgets;
using namespace Qt::StringLiterals;

namespace {

/// Three tokens, two of four experts each.
ExpertData experts()
{
    return {.tokens = {u"The"_s, u"\n"_s, u"is"_s},
            .layer = 2,
            .experts = 4,
            .now = {2, {3, 1, 3, 0, 1, 3}, {0.75F, 0.25F, 0.5F, 0.5F, 0.9F, 0.1F}},
            .of = u"a model, all heads on"_s};
}

QString words(const ExpertModel& model, int row, int expert)
{
    return model.index(row, model.columnOf(expert)).data(Qt::AccessibleTextRole).toString();
}

bool isIn(const QImage& image, const QColor& colour)
{
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (image.pixelColor(x, y) == colour)
                return true;
    return false;
}

} // namespace

class TestWidgetsExperts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aCellTellsWeightAndChoice();
    void aSharedExpertHasAColumn();
    void whatAnAblationMovesIsMarked();
    void ablatedOnesAreCrossedOut();
    void orderByTokensIsThatWithNothingAblated();
    void aClickOnAnExpertIsAskedFor();
    void weightsAreCopiedWithWhatTheyAreOf();
    void manyExpertsFitAndZoom();
    void thousandsOfTokensAreQuicklyThere();
    void thePageIsThereForModelsWithExperts();
    void layersAreChosenForBoth();
};

void TestWidgetsExperts::aCellTellsWeightAndChoice()
{
    ExpertModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setExperts(experts());
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.columnCount(), 4);
    QCOMPARE(model.index(0, 3).data().toString(), u"0.75"_s);
    QCOMPARE(model.index(0, 0).data().toString(), QString());
    QVERIFY(!model.index(0, 0).data(ExpertModel::WeightRole).isValid());
    QCOMPARE(words(model, 0, 1), u"The (position 0): L2X1, weight 0.2500, choice 2 of 2"_s);
    QCOMPARE(words(model, 0, 0), u"The (position 0) does not go to L2X0"_s);
    QVERIFY(model.headerData(1, Qt::Vertical, Qt::DisplayRole).toString().size() > 2); // a line's end is seen
    QCOMPARE(model.headerData(3, Qt::Horizontal, Qt::DisplayRole).toString(), u"X3"_s);
    QCOMPARE(model.headerData(3, Qt::Horizontal, ExpertModel::TokensRole).toInt(), 3);
    QCOMPARE(model.headerData(2, Qt::Horizontal, Qt::AccessibleTextRole).toString(),
             u"L2X2 takes 0 of 3 tokens; a click ablates it"_s);
    QCOMPARE(model.index(2, 1).data(ExpertModel::StrengthRole).toDouble(), 1.0);
    model.setExperts({});
    QCOMPARE(model.rowCount() + model.columnCount(), 0);
}

void TestWidgetsExperts::aSharedExpertHasAColumn()
{
    ExpertModel model;
    ExpertData data = experts();
    data.shared = {1.0F, 0.5F, 0.25F};
    model.setExperts(data);
    QCOMPARE(model.columnCount(), 5);
    QCOMPARE(model.expertAt(0), -1);
    QCOMPARE(model.expertAt(4), 3);
    QCOMPARE(model.expertAt(5), -1);
    QCOMPARE(model.index(1, 0).data().toString(), u"0.50"_s);
    QVERIFY(model.index(1, 0).data(Qt::AccessibleTextRole).toString().contains(u"runs for every token"_s));
    QCOMPARE(model.headerData(0, Qt::Horizontal, ExpertModel::TokensRole).toInt(), 3);
}

void TestWidgetsExperts::whatAnAblationMovesIsMarked()
{
    ExpertModel model;
    ExpertData data = experts();
    data.before = {2, {3, 1, 3, 2, 1, 3}, {0.7F, 0.3F, 0.6F, 0.4F, 0.9F, 0.1F}};
    model.setExperts(data);
    const auto change = [&model](int row, int expert) {
        return static_cast<ExpertModel::Change>(model.index(row, expert).data(ExpertModel::ChangeRole).toInt());
    };
    QVERIFY(change(1, 0) == ExpertModel::Change::Came);
    QVERIFY(change(1, 2) == ExpertModel::Change::Went);
    QVERIFY(change(0, 3) == ExpertModel::Change::None && change(0, 0) == ExpertModel::Change::None);
    QVERIFY(words(model, 1, 0).endsWith(u"not chosen without the ablation"_s));
    QVERIFY(words(model, 1, 2).endsWith(u"does not go to L2X2; with nothing ablated weight 0.4000, choice 2"_s));
    QVERIFY(words(model, 0, 3).endsWith(u"choice 1 of 2; with nothing ablated weight 0.7000, choice 1"_s));
}

void TestWidgetsExperts::ablatedOnesAreCrossedOut()
{
    ExpertView view(Side::A);
    view.resize(600, 300);
    view.show();
    const QColor cross = themeOf(view.palette()).cross;
    view.setExperts(experts(), u"Four experts."_s);
    QVERIFY(!isIn(view.grab().toImage(), cross));
    ExpertData data = experts();
    data.off = {false, false, false, true};
    view.setExperts(data, u"Four experts."_s);
    QVERIFY(isIn(view.table()->horizontalHeader()->grab().toImage(), cross));
    QVERIFY(isIn(view.table()->viewport()->grab().toImage(), cross));
    QVERIFY(words(*view.model(), 0, 3).endsWith(u"ablated: its output is left out"_s));
    QVERIFY(view.model()->headerData(3, Qt::Horizontal, Qt::ToolTipRole).toString().endsWith(u"restores it"_s));
}

void TestWidgetsExperts::orderByTokensIsThatWithNothingAblated()
{
    ExpertModel model;
    ExpertData data = experts();
    model.setOrder(ExpertOrder::Tokens);
    model.setExperts(data);
    QCOMPARE(model.expertAt(0), 3); // three tokens
    QCOMPARE(model.expertAt(1), 1);
    QCOMPARE(model.expertAt(3), 2); // none
    QCOMPARE(model.columnOf(2), 3);
    QCOMPARE(model.index(0, 0).data().toString(), u"0.75"_s);
    data.before = data.now;
    data.now.ids = {0, 2, 0, 2, 0, 2}; // no column moves
    model.setExperts(data);
    QCOMPARE(model.expertAt(0), 3);
    QCOMPARE(model.headerData(0, Qt::Horizontal, ExpertModel::TokensRole).toInt(), 0);
    model.setOrder(ExpertOrder::Number);
    QCOMPARE(model.expertAt(0), 0);
}

void TestWidgetsExperts::aClickOnAnExpertIsAskedFor()
{
    ExpertView view(Side::A);
    ExpertData data = experts();
    data.shared = {1.0F, 1.0F, 1.0F};
    data.off = {false, true, false, false};
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
    QHeaderView& header = *view.table()->horizontalHeader();
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
    view.table()->setFocus();
    view.table()->setCurrentIndex(view.model()->index(1, 1));
    QTest::keyClick(view.table(), Qt::Key_Space);
    QCOMPARE(taken(), u"0 true"_s);
    // Where one looks stays through an ablation.
    view.setExperts(data, {});
    QCOMPARE(view.table()->currentIndex(), view.model()->index(1, 1));
}

void TestWidgetsExperts::weightsAreCopiedWithWhatTheyAreOf()
{
    ExpertView view(Side::A);
    view.setExperts(experts(), {});
    QCOMPARE(view.selectedText(), QString());
    view.table()->setCurrentIndex(view.model()->index(0, 3));
    QCOMPARE(view.selectedText(), u"The (position 0): L2X3, weight 0.7500, choice 1 of 2\ta model, all heads on"_s);
    view.table()->selectionModel()->select({view.model()->index(0, 2), view.model()->index(1, 3)},
                                           QItemSelectionModel::ClearAndSelect);
    QVERIFY2(view.selectedText().startsWith(u"0 The\t\t0.75\n1 "_s), qPrintable(view.selectedText()));
    QVERIFY(view.selectedText().endsWith(u"\t\t0.5\na model, all heads on\n"_s));
    const QStringList lines = view.model()->valuesText().split(u'\n');
    QCOMPARE(lines.first(), u"token\tX0\tX1\tX2\tX3"_s);
    QCOMPARE(lines.at(1), u"The\t\t0.25\t\t0.75"_s);
    QCOMPARE(lines.at(4), u"experts of layer 2\ta model, all heads on"_s);
}

/// `tokens` tokens, eight of 128 experts each.
static ExpertData many(int tokens)
{
    ExpertData data{.layer = 1, .experts = 128, .now = {.chosen = 8}};
    for (int token = 0; token < tokens; ++token) {
        data.tokens.append(QString::number(token));
        for (int i = 0; i < 8; ++i) {
            data.now.ids.push_back((token * 31 + i * 17) % 128);
            data.now.weights.push_back(0.125F);
        }
    }
    return data;
}

void TestWidgetsExperts::manyExpertsFitAndZoom()
{
    ExpertView view(Side::A);
    view.resize(1300, 400);
    view.show();
    view.setExperts(many(40), {});
    QVERIFY(!view.table()->horizontalScrollBar()->isVisible());
    const int fitting = view.table()->columnWidth(0);
    view.setZoom(4);
    QCOMPARE(view.table()->columnWidth(0), 4 * fitting);
    QVERIFY(view.table()->horizontalScrollBar()->maximum() > 0);
    view.setZoom(0.1);
    QCOMPARE(view.zoom(), 1.0);
    view.resize(400, 300); // no column becomes thinner than can be pointed at
    QVERIFY(view.table()->columnWidth(0) >= 8);
}

// Only what is seen is asked for and painted.
void TestWidgetsExperts::thousandsOfTokensAreQuicklyThere()
{
    class Counting : public QStyledItemDelegate
    {
    public:
        mutable int painted = 0;
        void paint(QPainter*, const QStyleOptionViewItem&, const QModelIndex&) const override { ++painted; }
    } counting;
    ExpertView view(Side::A);
    view.resize(1300, 400);
    view.table()->setItemDelegate(&counting);
    view.setExperts(many(4096), {});
    view.show();
    (void)view.grab();
    QVERIFY(counting.painted > 0);
    QVERIFY2(counting.painted < 128 * 100, qPrintable(QString::number(counting.painted)));
    view.table()->scrollToBottom();
    QCOMPARE(view.table()->rowAt(view.table()->viewport()->height() - 4), 4095);
    view.table()->setItemDelegate(nullptr);
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
    QSignalSpy changed(&page, &ExpertPage::layerChanged);
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
        page.view(side)->setExperts(many(400), {});
    page.view(Side::A)->table()->verticalScrollBar()->setValue(70);
    QCOMPARE(page.view(Side::B)->table()->verticalScrollBar()->value(), 70);
    page.order()->setCurrentIndex(1);
    QCOMPARE(page.view(Side::B)->model()->columnCount(), 128);
}

QTEST_MAIN(TestWidgetsExperts)
#include "tst_widgets_experts.moc"
