// SPDX-License-Identifier: GPL-3.0-or-later
// How long a person waits for a session with a million examples: opening, sums, the list of flips, scrolling in it.
// Makes the file where it is not there (a minute or two, 1.5 GB). Milliseconds; no test.
//   QT_QPA_PLATFORM=offscreen bench_session FILE [examples]
#include "app/backend/session/examplerequests.h"
#include "app/controllers/session/storedexamplesource.h"
#include "app/window/explorer.h"
#include "app/window/mainwindow.h"
#include "sessions/results/comparestates.h"
#include "tests/support/sessionfixture.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>

using namespace headscope;

namespace {

constexpr int kChunk = 20000;
constexpr int kWait = 600000;

double ms(const QElapsedTimer& clock)
{
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

template <typename Work> auto timed(const char* what, const Work& work)
{
    QElapsedTimer clock;
    clock.start();
    auto result = work();
    std::printf("%-44s %9.1f ms\n", what, ms(clock));
    std::fflush(stdout);
    return result;
}

bool make(const std::string& path, int count)
{
    auto session = sessions::SessionStore::open(path);
    sessions::ModelRecord model = testing::exampleModel();
    model.source = "/server/models/gone";
    model.headsJson =
        R"([[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8}]])";
    if (!session.has_value() || !session->putModel(model).has_value())
        return false;
    for (int begin = 0; begin < count; begin += kChunk) {
        std::vector<sessions::ExampleRecord> some;
        std::vector<sessions::ResultRecord> before, after;
        for (int row = begin; row < std::min(count, begin + kChunk); ++row) {
            some.push_back(testing::exampleAt(row));
            before.push_back(testing::resultFor(some.back(), row % 5 != 0));
            after.push_back(testing::resultFor(some.back(), row % 3 == 0));
        }
        if (!session->putExamples(some).has_value() || !session->putResults(testing::series(), before).has_value()
            || !session->putResults(testing::series("L2H5"), after).has_value())
            return false;
        std::printf("\r%d examples stored", begin + static_cast<int>(some.size()));
        std::fflush(stdout);
    }
    std::printf("\n");
    return true;
}

/// How often a widget is painted: times of what was never painted are none.
class PaintCounter : public QObject
{
public:
    explicit PaintCounter(QWidget* widget) { widget->installEventFilter(this); }
    bool eventFilter(QObject*, QEvent* event) override
    {
        count += event->type() == QEvent::Paint ? 1 : 0;
        return false;
    }
    int count = 0;
};

void scroll(QTreeView& tree)
{
    std::mt19937 random(1);
    std::vector<double> jumps, steps;
    const auto frame = [&tree](std::vector<double>& times, int to) {
        QElapsedTimer clock;
        clock.start();
        tree.verticalScrollBar()->setValue(to);
        tree.viewport()->repaint();
        times.push_back(ms(clock));
    };
    const int last = tree.verticalScrollBar()->maximum();
    for (int i = 0; i < 300; ++i)
        frame(jumps, static_cast<int>(random() % static_cast<unsigned>(last + 1)));
    for (int i = 0; i < 300; ++i)
        frame(steps, last / 2 + 3 * i); // three lines a turn of the wheel
    for (const auto& [what, times] : {std::pair("jump to anywhere", &jumps), std::pair("turn of the wheel", &steps)}) {
        std::sort(times->begin(), times->end());
        std::printf("%-44s %9.1f ms median, %.1f ms 95th percentile, %.1f ms worst of %zu\n", what,
                    (*times)[times->size() / 2], (*times)[times->size() * 95 / 100], times->back(), times->size());
    }
}

void list(const std::string& path)
{
    auto session = timed("open the file", [&] { return sessions::SessionStore::open(path); });
    timed("sum the scores", [&] { return session->scores()->size(); });
    timed("compare two states", [&] {
        return sessions::compareStates(*session, {testing::exampleModel().hash, {}},
                                       {testing::exampleModel().hash, "L2H5"})
            ->size();
    });
    const auto pairs = timed("find the flips", [&] {
        return *app::pairsOf({testing::exampleModel().hash, "toy_kv:pairs=8", "L2H5"})(*session);
    });
    app::SessionDoor door;
    door.open(path);
    const auto rows = std::make_shared<gui::StoredExampleSource>(door, pairs);
    widgets::FlipsView view;
    view.resize(500, 700);
    view.show();
    if (!QTest::qWaitForWindowExposed(&view)) // nothing is painted before
        std::printf("the list was never exposed: the times below are none\n");
    PaintCounter painted(view.tree()->viewport());
    timed("show the list of flips", [&] {
        view.setExamples(QStringLiteral("toy_kv"), rows);
        view.tree()->viewport()->repaint();
        return 0;
    });
    std::printf("  %d rows\n", view.model()->rowCount());
    timed("show every example", [&] {
        view.model()->setFilter(widgets::FlipFilter::Every);
        view.tree()->viewport()->repaint();
        return 0;
    });
    std::printf("  %d rows\n", view.model()->rowCount());
    painted.count = 0;
    scroll(*view.tree());
    std::printf("  %d frames painted\n", painted.count);
}

void window(const std::string& path)
{
    QElapsedTimer clock;
    clock.start();
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    options.session = QString::fromStdString(path);
    gui::MainWindow window(options);
    bool scored = false;
    QObject::connect(window.explorer(), &gui::Explorer::scoresFinal, [&] { scored = true; });
    window.show();
    if (!QTest::qWaitFor([&] { return scored; }, kWait))
        std::printf("the window never showed its scores\n");
    std::printf("%-44s %9.1f ms\n", "window: from start to scores", ms(clock));
    clock.restart();
    window.explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse("L2H5"), QStringLiteral("off"));
    std::printf("%-44s %9.1f ms\n", "window: to another state and its flips", ms(clock));
    std::printf("  %d rows\n", window.parts().flips->model()->rowCount());
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    const QTemporaryDir settings;
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    if (argc < 2)
        return 2;
    const std::string path = argv[1];
    if (!std::filesystem::exists(path) && !make(path, argc > 2 ? std::stoi(argv[2]) : 1000000))
        return 1;
    list(path);
    window(path);
    return 0;
}
