// SPDX-License-Identifier: GPL-3.0-or-later
// Examples that changed, and how a long list of them is read.
#include "tests/support/widgetfixture.h"
#include "widgets/scores/flipsview.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace headscope::widgets;
using headscope::testing::button;
using namespace Qt::StringLiterals;

namespace {

Flip flip(const QString& id, bool broken)
{
    return {id,
            u"sample "_s + id,
            u"The value of the key is"_s,
            broken ? FlipKind::Broken : FlipKind::Fixed,
            {{u" 62"_s, -0.02, -4.1, true, broken, !broken}, {u" 17"_s, -5.2, -0.9, false, !broken, broken}}};
}

} // namespace

class TestWidgetsFlips : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s)); }

    void flipsModelKeepsItsContractAndFilters()
    {
        FlipsView view;
        QAbstractItemModelTester tester(view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        view.setFlips(u"KV"_s, {flip(u"1"_s, true), flip(u"2"_s, false), flip(u"3"_s, true)});
        QAbstractItemModel* model = view.tree()->model();
        QCOMPARE(model->rowCount(), 3);
        QCOMPARE(model->rowCount(model->index(0, 0)), 2);
        view.findChild<QComboBox*>()->setCurrentIndex(2); // fixed
        QCOMPARE(model->rowCount(), 1);
        QCOMPARE(model->rowCount(model->index(0, 0)), 2);
        QSignalSpy spy(&view, &FlipsView::exampleActivated);
        Q_EMIT view.tree()->activated(model->index(0, 0, model->index(0, 0)));
        QCOMPARE(spy.at(0).at(0).toString(), u"2"_s);
    }

    void longListsAreReadAsTheyAreLookedAt()
    {
        struct Numbered : ExampleSource {
            std::vector<FlipKind> kinds() const override
            {
                std::vector<FlipKind> kinds;
                for (int row = 0; row < 5000; ++row)
                    kinds.push_back(row % 3 == 0 ? FlipKind::Broken : row % 3 == 1 ? FlipKind::Fixed : FlipKind::Same);
                return kinds;
            }
            void read(std::vector<int> rows, Answer answer) override
            {
                ++pages;
                if (std::find(rows.begin(), rows.end(), 4998) != rows.end())
                    return answer(headscope::inputError("The last page is damaged."));
                std::vector<Flip> flips;
                for (const int row : rows) {
                    Flip one = flip(QString::number(row), row % 3 == 0);
                    one.kind = static_cast<FlipKind>(row % 3);
                    flips.push_back(one);
                }
                answer(flips);
            }
            int pages = 0;
        };
        FlipsView view;
        auto source = std::make_shared<Numbered>();
        view.resize(500, 300);
        view.setExamples(u"KV"_s, source);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCOMPARE(view.model()->rowCount(), 3334);
        QVERIFY2(source->pages <= 2, "a screenful is a page or two");
        auto* filter = view.findChild<QComboBox*>();
        filter->setCurrentIndex(filter->findData(static_cast<int>(FlipFilter::Every)));
        QCOMPARE(view.model()->rowCount(), 5000);
        for (const int row : {4000, 17, 2999, 4000}) {
            QCOMPARE(view.model()->index(row, 0).data(FlipsModel::IdRole).toString(), QString::number(row));
            QCOMPARE(view.model()->rowCount(view.model()->index(row, 0)), 2);
        }
        QVERIFY(view.model()->index(4999, 0).data().toString().contains(u"is damaged"_s));
        QCOMPARE(view.model()->rowCount(view.model()->index(4999, 0)), 0);
        filter->setCurrentIndex(filter->findData(static_cast<int>(FlipFilter::Fixed)));
        QCOMPARE(view.model()->rowCount(), 1667);
        QCOMPARE(view.model()->index(1000, 0).data(FlipsModel::IdRole).toString(), u"3001"_s);
        QAbstractItemModelTester tester(view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        view.setExamples(u"KV"_s, nullptr);
        QCOMPARE(view.model()->rowCount(), 0);
        view.setExamples(u"KV"_s, source);
        filter->setCurrentIndex(0);
        QCOMPARE(view.model()->rowCount(), 3334);
    }

    // As a session answers: from another thread, when it has time, and to a list that may be another one by then.
    void rowsThatComeLaterAreShownThen()
    {
        struct Later : ExampleSource {
            std::vector<FlipKind> kinds() const override { return std::vector<FlipKind>(30000, FlipKind::Broken); }
            void read(std::vector<int> rows, Answer answer) override
            {
                std::vector<Flip> flips;
                for (const int row : rows)
                    flips.push_back(flip(QString::number(row), true));
                answers.push_back([flips, answer] { answer(flips); });
            }
            void answerAll()
            {
                for (const auto& each : std::exchange(answers, {}))
                    each();
            }
            std::vector<std::function<void()>> answers;
        };
        FlipsModel model;
        auto source = std::make_shared<Later>();
        model.setSource(source);
        const QModelIndex row = model.index(130, 0);
        QVERIFY(row.data().toString().contains(u"reading"_s));
        QCOMPARE(row.data(FlipsModel::KindRole).toInt(), static_cast<int>(FlipKind::Broken));
        QCOMPARE(model.rowCount(row), 0);
        QSignalSpy changed(&model, &FlipsModel::dataChanged), inserted(&model, &FlipsModel::rowsInserted);
        source->answerAll();
        QVERIFY(!changed.isEmpty() && !inserted.isEmpty());
        QCOMPARE(row.data(FlipsModel::IdRole).toString(), u"130"_s);
        QCOMPARE(model.rowCount(row), 2);
        // Many pages later it is forgotten, and read again with its choices where they were.
        for (int page = 0; page < 150; ++page) {
            static_cast<void>(model.index(page * 64, 0).data());
            source->answerAll();
        }
        QVERIFY(row.data().toString().contains(u"reading"_s));
        QCOMPARE(model.rowCount(row), 2);
        QVERIFY(!model.index(1, FlipsModel::Before, row).data().isValid());
        source->answerAll();
        QVERIFY(model.index(1, FlipsModel::Before, row).data().isValid());
        // An answer to a list that is not there any more is dropped.
        static_cast<void>(model.index(9000, 0).data());
        auto late = std::exchange(source->answers, {});
        model.setSource(nullptr);
        for (const auto& each : late)
            each();
        QCOMPARE(model.rowCount(), 0);
    }

    void aLongListGrowsAsItIsScrolled()
    {
        struct Million : ExampleSource {
            std::vector<FlipKind> kinds() const override { return std::vector<FlipKind>(1000000, FlipKind::Broken); }
            void read(std::vector<int> rows, Answer answer) override { answer(std::vector<Flip>(rows.size())); }
        };
        FlipsModel model;
        model.setSource(std::make_shared<Million>());
        QCOMPARE(model.count(FlipKind::Broken), 1000000U);
        QCOMPARE(model.rowCount(), 10000); // what a view lays out at once
        QVERIFY(model.canFetchMore({}));
        model.fetchMore({});
        QCOMPARE(model.rowCount(), 20000);
        QVERIFY(!model.canFetchMore(model.index(0, 0)));
    }
};

QTEST_MAIN(TestWidgetsFlips)
#include "tst_widgets_flips.moc"
