// SPDX-License-Identifier: GPL-3.0-or-later
// How long a person waits in the window, on the shipped Transformer: opening to first picture, click to crossed-out cell,
// click to first estimate, click to final scores, undo to scores. Medians in milliseconds; no test.
//   QT_QPA_PLATFORM=offscreen bench_window [rounds]
#include "app/gui/mainwindow.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstdio>

using namespace headscope;
using app::Slot;

namespace {

constexpr int kWait = 600000;

double median(std::vector<double> values)
{
    if (values.empty())
        return -1;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double ms(const QElapsedTimer& clock) { return static_cast<double>(clock.nsecsElapsed()) / 1e6; }

struct Times {
    std::vector<double> crossed, estimate, final, undone;
};

void clickAndUndo(gui::MainWindow& window, const widgets::HeadSpan& head, Times& times)
{
    auto* map = window.parts().mapA;
    const QPoint cell = map->view()->visualRect(map->model()->indexOf(head)).center();
    QElapsedTimer clock;
    double first = -1, last = -1;
    const auto listening = QObject::connect(window.client(), &gui::BackendClient::scoresReady, [&](Slot, const auto& reply) {
        const bool known = std::any_of(reply->lines.begin(), reply->lines.end(), [](const auto& line) { return line.hasNow; });
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
    clock.restart();
    window.openModels(QStringLiteral("tiny-transformer"));
    if (!QTest::qWaitFor([&] { return window.explorer()->pattern(Slot::A) != nullptr; }, kWait))
        return 1;
    const double picture = ms(clock);
    if (!QTest::qWaitFor([&] { return !window.client()->busy(); }, kWait))
        return 1;
    Times times;
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 8;
    for (int i = 0; i < rounds; ++i)
        clickAndUndo(window, {1 + i / 8 % 3, widgets::HeadKind::Attention, i % 8, 1}, times);
    std::printf("window shown %.0f, first picture %.0f, crossed out %.1f, first estimate %.0f, final scores %.0f, undone from the cache %.0f ms (medians of %d)\n",
                shown, picture, median(times.crossed), median(times.estimate), median(times.final), median(times.undone), rounds);
    return 0;
}
