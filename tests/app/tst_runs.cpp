// SPDX-License-Identifier: GPL-3.0-or-later
// The list of runs in the whole window: what a person made stays apart from what the automatic ranking scored on its
// way, in this sitting and in the next.
#include "app/controllers/session/runscontroller.h"
#include "app/window/explorer.h"
#include "app/window/mainwindow.h"
#include "tests/support/sessionfixture.h"

#include <QDialog>
#include <QSettings>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace headscope;
using namespace Qt::StringLiterals;
using gui::MainWindow;
using widgets::RunRow;

namespace {

constexpr int kWait = 120000; // slow machines; nothing here is timed
constexpr int kHeads = 32;    // of the model, each scored by its ranking

template <typename Predicate> bool waitFor(Predicate predicate)
{
    return QTest::qWaitFor(predicate, kWait);
}

interventions::InterventionSet off(const QString& heads)
{
    return *interventions::InterventionSet::parse(heads.toStdString());
}

} // namespace

class TestRuns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_window.reset(); }
    void whatAPersonMadeIsNotCountedAsARankings();
    void aNamedRunStaysAfterTheNextClick();
    void comparingTwoShowsWhatChanged();
    void whatWasMadeByHandStaysSoInTheNextSitting();
    void channelsAreCountedAsChannels();

private:
    void open();
    void score(const QString& heads);
    [[nodiscard]] const std::vector<RunRow>& runs() const { return m_window->parts().runs->model()->runs(); }
    [[nodiscard]] auto onTheWay() const { return std::ranges::count(runs(), true, &RunRow::onTheWay); }
    [[nodiscard]] const RunRow* named(const QString& name) const
    {
        const auto found = std::ranges::find(runs(), name, &RunRow::name);
        return found == runs().end() ? nullptr : &*found;
    }
    /// Writes a name into the list as a person does.
    void rename(const QString& name, const QString& to);

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

void TestRuns::open()
{
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    options.backend.seed = 7; // other examples than those of the ranking that comes with the program
    options.session = m_folder.filePath(u"runs.headscope"_s);
    m_window = std::make_unique<MainWindow>(options);
    m_window->show();
}

void TestRuns::initTestCase()
{
    QVERIFY(m_folder.isValid());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    open();
    m_window->openModels(u"tiny-transformer"_s);
    QVERIFY(waitFor([&] { return onTheWay() == kHeads && !m_window->worker()->busy(); }));
}

void TestRuns::score(const QString& heads)
{
    QSignalSpy scored(m_window->explorer(), &gui::Explorer::scoresFinal);
    m_window->explorer()->changeAblation(Side::A, off(heads), heads);
    QVERIFY(scored.wait(kWait));
}

void TestRuns::rename(const QString& name, const QString& to)
{
    auto* model = m_window->parts().runs->model();
    for (int row = 0; row < model->rowCount(); ++row)
        if (const auto index = model->index(row, widgets::RunsModel::Name);
            index.data(Qt::EditRole).toString() == name) {
            QVERIFY(model->setData(index, to, Qt::EditRole));
            return;
        }
    QFAIL("no such run");
}

// The ranking has scored L1H2 already; switched off by a person it is theirs.
void TestRuns::whatAPersonMadeIsNotCountedAsARankings()
{
    QVERIFY(named(u"L1H2 ablated"_s) && named(u"L1H2 ablated"_s)->onTheWay);
    score(u"L1H2"_s);
    QVERIFY(waitFor([&] { return named(u"L1H2 ablated"_s) && !named(u"L1H2 ablated"_s)->onTheWay; }));
    QVERIFY(named(u"L1H2 ablated"_s)->time.isValid());
    QCOMPARE(onTheWay(), kHeads - 1);
}

// Whichever way a state came into the list: a name makes it the person's.
void TestRuns::aNamedRunStaysAfterTheNextClick()
{
    rename(u"L0H1 ablated"_s, u"the strange one"_s);
    QVERIFY(waitFor([&] { return named(u"the strange one"_s) && !named(u"the strange one"_s)->onTheWay; }));
    score(u"L2H2"_s);
    QVERIFY(waitFor([&] { return named(u"L2H2 ablated"_s) && !named(u"L2H2 ablated"_s)->onTheWay; }));
    QVERIFY(named(u"the strange one"_s) && !named(u"the strange one"_s)->onTheWay);
    QCOMPARE(onTheWay(), kHeads - 3);
}

void TestRuns::comparingTwoShowsWhatChanged()
{
    auto* view = m_window->parts().runs;
    Q_EMIT view->compareRequested(named(u"L1H2 ablated"_s)->id, named(u"the strange one"_s)->id);
    const auto table = [&]() -> QTableWidget* {
        const auto* dialog = m_window->findChild<QDialog*>(u"comparison"_s);
        return dialog && dialog->isVisible() ? dialog->findChild<QTableWidget*>() : nullptr;
    };
    QVERIFY(waitFor([&] { return table() != nullptr; }));
    QVERIFY(table()->rowCount() > 0);
    QCOMPARE(table()->horizontalHeaderItem(2)->text(), u"the strange one"_s);
    delete m_window->findChild<QDialog*>(u"comparison"_s);
}

void TestRuns::whatWasMadeByHandStaysSoInTheNextSitting()
{
    m_window.reset();
    open();
    QVERIFY(waitFor([&] { return m_window->explorer()->hasModel(Side::A) && !m_window->worker()->busy(); }));
    QVERIFY(waitFor([&] { return runs().size() == kHeads + 1; })); // and the baseline
    for (const QString& name : {u"L1H2 ablated"_s, u"the strange one"_s, u"L2H2 ablated"_s})
        QVERIFY2(named(name) && !named(name)->onTheWay, qPrintable(name));
    QCOMPARE(onTheWay(), kHeads - 3);
}

void TestRuns::channelsAreCountedAsChannels()
{
    const std::string file = m_folder.filePath(u"channels.headscope"_s).toStdString(), off = "L0C0-7";
    {
        auto session = sessions::SessionStore::open(file);
        QVERIFY(session.has_value());
        const auto examples = testing::examples(1);
        const std::vector results{testing::resultFor(examples.front(), true)};
        QVERIFY(session->putModel(testing::exampleModel()).has_value());
        QVERIFY(session->putExamples(examples).has_value());
        QVERIFY(session->putResults(testing::series(off), results).has_value());
    }
    gui::WindowState state;
    app::SessionDoor door;
    widgets::RunsView view;
    widgets::ScoreboardView board;
    const gui::RunsController runs(state, door, view, board, nullptr);
    door.open(file);
    const auto called = [&](const QString& name) {
        const auto& rows = view.model()->runs();
        return waitFor([&] { return rows.size() == 1 && rows.front().name == name; });
    };
    QVERIFY2(called(u"8 heads ablated"_s), "no model is open");
    app::ModelSummary model{.name = "mamba", .hash = testing::exampleModel().hash};
    model.layers.push_back({{.attention = false, .channels = true, .heads = 48}});
    state.setModel(Side::A, std::make_shared<const app::ModelSummary>(model));
    QVERIFY(called(u"8 channels ablated"_s));
}

QTEST_MAIN(TestRuns)
#include "tst_runs.moc"
