// SPDX-License-Identifier: GPL-3.0-or-later
// How long a person waits in the window, on the shipped Transformer: opening to first picture, click to crossed-out
// cell, click to first estimate, click to final scores, undo to scores. Medians in milliseconds; no test.
//   QT_QPA_PLATFORM=offscreen bench_window [rounds]
//   QT_QPA_PLATFORM=offscreen bench_window beside         from the welcome page to a Transformer beside an SSM
//   QT_QPA_PLATFORM=offscreen bench_window MODEL TEXT_FILE   how a long prompt shows: map, exact row, frames, memory
#include "app/gui/explorer.h"
#include "app/window/mainwindow.h"
#include "tests/support/benchmeasure.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstdio>

using namespace headscope;

namespace {

constexpr int kWait = 600000;

double median(std::vector<double> values)
{
    if (values.empty())
        return -1;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double ms(const QElapsedTimer& clock)
{
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

struct Times {
    std::vector<double> crossed, estimate, final, undone;
};

void clickAndUndo(gui::MainWindow& window, const widgets::HeadSpan& head, Times& times)
{
    auto* map = window.parts().mapA;
    const QPoint cell = map->view()->visualRect(map->model()->indexOf(head)).center();
    QElapsedTimer clock;
    double first = -1, last = -1;
    const auto listening =
        QObject::connect(window.client(), &gui::BackendClient::scoresReady, [&](Side, const auto& reply) {
            const bool known =
                std::any_of(reply->lines.begin(), reply->lines.end(), [](const auto& line) { return line.hasNow; });
            if (known && first < 0)
                first = ms(clock);
            if (reply->final)
                last = ms(clock);
        });
    clock.start();
    QTest::mouseClick(map->view()->viewport(), Qt::LeftButton, {}, cell, 0);
    map->view()->viewport()->repaint(); // the cross is on the screen
    times.crossed.push_back(ms(clock));
    if (!QTest::qWaitFor([&] { return last >= 0; }, kWait))
        return;
    times.estimate.push_back(first);
    times.final.push_back(last);
    last = -1;
    clock.restart();
    window.undoStack()->undo();
    if (QTest::qWaitFor([&] { return last >= 0; }, kWait))
        times.undone.push_back(last);
    QObject::disconnect(listening);
    (void)QTest::qWaitFor([&] { return !window.client()->busy(); }, kWait);
}

int showLongPrompt(gui::MainWindow& window, const QString& model, const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return 1;
    const std::string text = file.readAll().toStdString();
    window.openModels(model);
    const auto idle = [&] {
        return QTest::qWaitFor([&] { return window.explorer()->pattern(Side::A) && !window.client()->busy(); }, kWait);
    };
    if (!idle())
        return 1;
    const double before = residentMegabytes();
    QElapsedTimer clock;
    clock.start();
    const double processor = processorMs();
    window.explorer()->usePrompt({.text = text});
    const auto reply = [&] { return window.explorer()->pattern(Side::A); };
    if (!QTest::qWaitFor([&] { return reply() && reply()->text == text; }, kWait))
        return 1;
    const double map = ms(clock), mapProcessor = processorMs() - processor;
    if (!idle())
        return 1;
    auto* view = window.parts().patternA;
    const int tokens = static_cast<int>(reply()->prompt.ids.size());
    clock.restart();
    view->setCrosshair(tokens - tokens / 8, tokens / 4);
    const bool came = QTest::qWaitFor([&] { return !view->readout().contains(QLatin1String("strongest")); }, kWait);
    const double row = ms(clock);
    std::vector<double> frames;
    for (int i = 0; i < 200; ++i) {
        const double start = processorMs();
        view->setViewport({0.3 + 0.001 * i, 0.6 + 0.001 * i, 8});
        view->setCrosshair(tokens / 2 + i, tokens / 4 + i);
        (void)view->grab();
        frames.push_back(processorMs() - start);
    }
    (void)idle();
    std::sort(frames.begin(), frames.end());
    std::printf("%d tokens: map %.0f ms (processor %.0f ms), exact row under the cursor %.0f ms%s, frame while panning "
                "%.1f ms median, %.1f ms 95th percentile (processor), "
                "memory %.0f MB more than before\n",
                tokens, map, mapProcessor, row, came ? "" : " (it did not come)", frames[100], frames[190],
                residentMegabytes() - before);
    return 0;
}

int showBeside(gui::MainWindow& window)
{
    QElapsedTimer clock;
    clock.start();
    window.openModels(QStringLiteral("tiny-transformer"), QStringLiteral("tiny-ssm"));
    const auto drawn = [&](Side side) { return window.explorer()->pattern(side) != nullptr; };
    if (!QTest::qWaitFor([&] { return drawn(Side::A) && drawn(Side::B); }, kWait))
        return 1;
    (void)window.grab();
    std::printf("both pictures after %.0f ms\n", ms(clock));
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    const QTemporaryDir folder;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    options.session = folder.filePath(QStringLiteral("bench.headscope"));
    QElapsedTimer clock;
    clock.start();
    gui::MainWindow window(options);
    window.show();
    const double shown = ms(clock);
    if (argc == 2 && QLatin1String(argv[1]) == QLatin1String("beside"))
        return showBeside(window);
    if (argc > 2)
        return showLongPrompt(window, QString::fromLocal8Bit(argv[1]), QString::fromLocal8Bit(argv[2]));
    clock.restart();
    window.openModels(QStringLiteral("tiny-transformer"));
    if (!QTest::qWaitFor([&] { return window.explorer()->pattern(Side::A) != nullptr; }, kWait))
        return 1;
    const double picture = ms(clock);
    if (!QTest::qWaitFor([&] { return !window.client()->busy(); }, kWait))
        return 1;
    Times times;
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 8;
    for (int i = 0; i < rounds; ++i)
        clickAndUndo(window, {1 + i / 8 % 3, widgets::HeadKind::Attention, i % 8, 1}, times);
    std::printf("window shown %.0f, first picture %.0f, crossed out %.1f, first estimate %.0f, final scores %.0f, "
                "undone from the cache %.0f ms (medians of %d)\n",
                shown, picture, median(times.crossed), median(times.estimate), median(times.final),
                median(times.undone), rounds);
    return 0;
}
