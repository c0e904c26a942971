// SPDX-License-Identifier: GPL-3.0-or-later
// A watchdog over the event loop of the window, in a session of a million results: whatever a person does, no event may
// hold the thread that paints for longer than a frame. It counts processor time, which another program's work does not
// make longer.
#include "app/window/explorer.h"
#include "app/window/mainwindow.h"
#include "core/base/elapsed.h"
#include "tests/support/sessionfixture.h"

#include <SQLiteCpp/Database.h>

#include <QApplication>
#include <QDialog>
#include <QSettings>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <algorithm>
#include <functional>

using namespace headscope;
using namespace headscope::testing;
using gui::MainWindow;

namespace {

constexpr int kWait = 120000;
constexpr double kFrameMs = 16;
constexpr int kTimes = 10;
constexpr int kExamples = 350000; // each answered in three states

/// Knows the longest turn since it was last asked.
class WatchedApplication : public QApplication
{
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override
    {
        // Other threads have loops of their own; and what happens within an event is a part of its turn.
        if (QThread::currentThread() != thread() || m_depth > 0)
            return QApplication::notify(receiver, event);
        // Afterwards the receiver may be gone.
        const QString what =
            QStringLiteral("%1 to %2").arg(event->type()).arg(QLatin1StringView(receiver->metaObject()->className()));
        const double begun = 1e3 * threadSeconds();
        ++m_depth;
        const bool handled = QApplication::notify(receiver, event);
        --m_depth;
        const double took = 1e3 * threadSeconds() - begun;
        if (took > m_longest) {
            m_longest = took;
            m_what = what;
        }
        if (took >= kFrameMs)
            m_slow.append(QStringLiteral("%1 ms: %2").arg(took, 0, 'f', 1).arg(what));
        return handled;
    }

    void begin()
    {
        m_longest = 0;
        m_slow.clear();
    }
    /// The turns that were longer than a frame.
    [[nodiscard]] const QStringList& slow() const { return m_slow; }
    [[nodiscard]] double longest() const { return m_longest; }
    [[nodiscard]] QString what() const { return m_what; }

private:
    int m_depth = 0;
    double m_longest = 0;
    QString m_what;
    QStringList m_slow;
};

WatchedApplication* watchdog()
{
    return static_cast<WatchedApplication*>(QCoreApplication::instance());
}

struct State {
    const char* ablation;
    int every; ///< of so many examples the first is wrong
};
constexpr State kStates[] = {{"", 3}, {"L1H1", 7}, {"L2H5", 15}};

/// Examples that a state answers otherwise than the baseline.
std::size_t flippedBy(const State& state)
{
    std::size_t flipped = 0;
    for (int row = 0; row < kExamples; ++row)
        flipped += (row % kStates[0].every == 0) != (row % state.every == 0) ? 1 : 0;
    return flipped;
}

/// Written as one statement a table: the million rows are of interest, not how they came about.
void makeRows(const std::string& file)
{
    SQLite::Database db(file, SQLite::OPEN_READWRITE);
    db.exec("PRAGMA synchronous = OFF; BEGIN;");
    db.exec("CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < "
            + std::to_string(kExamples - 1) + ") SELECT i FROM n;");
    db.exec(
        "INSERT INTO examples(hash, task, file, row, scoring, context, continuations, gold, extra, checksum) "
        "SELECT printf('%064x', i), 'toy_kv:pairs=8', 'generated', i, 'multiple_choice', 'number ' || i || ': red', "
        "'[\" Paris\",\" Oslo\"]', i % 2, '{}', 0 FROM n;");
    const auto id = [](const std::string& hash) { return "(SELECT id FROM models WHERE hash = '" + hash + "')"; };
    for (const auto& [name, every] : kStates) {
        const std::string ablation = name;
        const std::string set = "(SELECT id FROM ablations WHERE text = '" + ablation + "')";
        db.exec(
            "INSERT INTO ablations(text) VALUES ('" + ablation
            + "') ON CONFLICT DO NOTHING;"
              "INSERT INTO series(model_id, tokenizer, dtype, device, task, row_source, task_version, ablation_id, "
              "scoring_version, inputs, created) SELECT "
            + id(exampleModel().hash)
            + ", '', 'fp32', 'cpu', "
              "'toy_kv:pairs=8', '', '', "
            + set
            + ", 1, '', '2026-01-01T00:00:00Z';"
              "INSERT INTO results(series_id, example_id, prediction, correct, correct_norm, greedy, log_likelihoods, "
              "generated, rejected, seconds, checksum, greedy_choices) "
              "SELECT (SELECT max(id) FROM series), e.id, e.gold, e.row % "
            + std::to_string(every)
            + " <> 0, NULL, NULL, "
              "'[-0.5,-12.25]', '', '', 0.001, 0, '' FROM examples e;"
              "INSERT INTO series_totals SELECT series_id, count(*), count(correct), sum(correct), 0, 0, 0, "
              "sum(seconds) "
              "FROM results INDEXED BY results_summary WHERE series_id = (SELECT max(id) FROM series) GROUP BY "
              "series_id;");
    }
    db.exec("COMMIT;");
}

} // namespace

class TestEventLoop : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_window.reset(); }
    void init() { watchdog()->begin(); }
    void cleanup();
    void opening();
    void clickingAHead();
    void changingState();
    void comparing();
    void undoing();

private:
    /// Does it as an event does, so that it is a turn.
    void act(const std::function<void()>& what)
    {
        bool done = false;
        QMetaObject::invokeMethod(
            m_window.get(),
            [&] {
                what();
                done = true;
            },
            Qt::QueuedConnection);
        QVERIFY(QTest::qWaitFor([&] { return done; }, kWait));
    }
    void change(const char* ablation)
    {
        act([&] {
            m_window->explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse(ablation),
                                                 QLatin1String(ablation));
        });
    }
    [[nodiscard]] gui::Explorer& explorer() { return *m_window->explorer(); }
    [[nodiscard]] widgets::FlipsModel& flips() { return *m_window->parts().flips->model(); }
    /// Everything that was asked of the session is answered and painted.
    void settle();

    QTemporaryDir m_folder;
    QString m_file;
    std::unique_ptr<MainWindow> m_window;
};

void TestEventLoop::initTestCase()
{
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    m_file = m_folder.filePath(QStringLiteral("million.headscope"));
    {
        auto session = sessions::SessionStore::open(m_file.toStdString());
        VERIFY_OK(session);
        sessions::ModelRecord model = exampleModel();
        model.source = "/server/models/gone";
        model.headsJson =
            R"([[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8}]])";
        VERIFY_OK(session->putModel(model));
    }
    makeRows(m_file.toStdString());
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    options.session = m_file;
    m_window = std::make_unique<MainWindow>(options);
    m_window->show();
    QVERIFY(QTest::qWaitFor([&] { return m_window->state()->side(Side::A).scores != nullptr; }, kWait));
    m_window->parts().scores->setFlipsOpen(true);
    settle();
}

void TestEventLoop::settle()
{
    for (int round = 0; round < 3; ++round) { // an answer may ask for more
        bool answered = false;
        m_window->door().write<void>(
            m_window.get(), [](sessions::SessionStore&) { return Result<void>(); },
            [&](const Result<void>&) { answered = true; });
        QVERIFY(QTest::qWaitFor([&] { return answered && !m_window->worker()->busy(); }, kWait));
        QCoreApplication::processEvents();
    }
}

void TestEventLoop::cleanup()
{
    qInfo("longest turn: %.1f ms of processor time (%s)", watchdog()->longest(), qPrintable(watchdog()->what()));
    QVERIFY2(watchdog()->longest() > 0, "nothing was watched");
    // What the program does comes in every repetition; a turn that a busy machine drew out does not.
    QVERIFY2(watchdog()->slow().size() < kTimes / 2, qPrintable(watchdog()->slow().join(QLatin1String("; "))));
}

void TestEventLoop::opening()
{
    for (int i = 0; i < kTimes; ++i) {
        QSignalSpy opened(&m_window->door(), &app::SessionDoor::opened);
        act([&] { explorer().openSession(m_file, true); });
        QVERIFY(opened.size() == 1 || opened.wait(kWait));
        settle();
        QVERIFY(QTest::qWaitFor([&] { return m_window->parts().runs->model()->runs().size() == 3; }, kWait));
        QCOMPARE(m_window->parts().scores->model()->rows().size(), 1U);
    }
}

void TestEventLoop::clickingAHead()
{
    auto* map = m_window->parts().mapA->view();
    for (int i = 0; i < kTimes; ++i) {
        const QString before = explorer().ablation(Side::A);
        QTest::mouseClick(map->viewport(), Qt::LeftButton, {}, map->visualRect(map->model()->index(0, i % 8)).center());
        QVERIFY(QTest::qWaitFor([&] { return explorer().ablation(Side::A) != before; }, kWait));
        settle();
    }
}

void TestEventLoop::changingState()
{
    for (int i = 0; i < kTimes; ++i) {
        const State& state = kStates[1 + i % 2];
        change(state.ablation);
        const std::size_t changed = flippedBy(state);
        QVERIFY(QTest::qWaitFor(
            [&] {
                return flips().count(widgets::FlipKind::Broken) + flips().count(widgets::FlipKind::Fixed) == changed;
            },
            kWait));
        settle();
    }
}

void TestEventLoop::comparing()
{
    auto* runs = m_window->parts().runs;
    for (int i = 0; i < kTimes; ++i) {
        act([&] {
            const auto& rows = runs->model()->runs();
            Q_EMIT runs->compareRequested(rows[static_cast<std::size_t>(i % 2)].id, rows[2].id);
        });
        const QDialog* dialog = nullptr;
        QVERIFY(
            QTest::qWaitFor([&] { return (dialog = runs->findChild<QDialog*>(QStringLiteral("comparison"))); }, kWait));
        QCOMPARE(dialog->findChild<QTableWidget*>()->item(0, 6)->text(), QString::number(kExamples));
        settle();
        delete dialog;
    }
}

void TestEventLoop::undoing()
{
    QVERIFY(m_window->undoStack()->count() >= kTimes);
    for (int i = 0; i < kTimes; ++i) {
        act([&] { m_window->undoStack()->undo(); });
        settle();
    }
}

int main(int argc, char** argv)
{
    WatchedApplication application(argc, argv);
    TestEventLoop test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_eventloop.moc"
