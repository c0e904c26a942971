// SPDX-License-Identifier: GPL-3.0-or-later
// Frame times and memory of the pattern view: drives it by mouse as a person would, offscreen, and times every frame
// from the event to the painted picture, on the clock and in the processor's time, which other programs do not
// lengthen. Not a test: it prints numbers and judges nothing.
//   bench_patternview [tokens] [frames] [WIDTHxHEIGHT]
#include "tests/support/benchmeasure.h"
#include "widgets/pattern/patternview.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cstdio>
#include <random>

#include <malloc.h>

using namespace headscope;
using namespace headscope::widgets;

namespace {

PatternData map(int tokens)
{
    PatternData data;
    auto values = std::make_shared<Matrix>(tokens, tokens);
    std::mt19937 random(1);
    for (int row = 0; row < tokens; ++row) {
        double sum = 0;
        for (int col = 0; col <= row; ++col)
            sum += static_cast<double>(values->at(row, col) =
                                           static_cast<float>(random() % 1000 + (col == 0 ? 20000 : 1)));
        for (int col = 0; col <= row; ++col)
            values->at(row, col) /= static_cast<float>(sum);
    }
    data.values = values;
    for (int i = 0; i < tokens; ++i)
        data.tokens << QStringLiteral(" w%1").arg(i);
    for (int i = 8; i + 8 < tokens; i += 16)
        data.segments.push_back({i % 32 == 8 ? Role::Key : Role::Value, i, i + 3, i == 8});
    data.head = QStringLiteral("A L2H5");
    data.meaning = QStringLiteral("softmax attention (rows sum to 1)");
    return data;
}

class Driver
{
public:
    Driver(PatternView& view, int frames) : m_view(view), m_frames(frames), m_picture(view.size(), QImage::Format_RGB32)
    {
    }

    template <typename Act> void time(const char* what, Act act)
    {
        std::vector<double> ms, processor;
        for (int i = 0; i < m_frames; ++i) {
            QElapsedTimer clock;
            clock.start();
            const double before = processorMs();
            act(i);
            m_view.render(&m_picture);
            processor.push_back(processorMs() - before);
            ms.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        }
        const auto part = [](std::vector<double>& values, double p) {
            std::sort(values.begin(), values.end());
            return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1))];
        };
        std::printf("%-28s %4d frames   median %6.2f ms   95th percentile %6.2f ms   largest %6.2f ms   processor: "
                    "median %6.2f ms   95th percentile %6.2f ms\n",
                    what, m_frames, part(ms, 0.5), part(ms, 0.95), part(ms, 1), part(processor, 0.5),
                    part(processor, 0.95));
    }

    void mouse(QEvent::Type type, const QPointF& at, Qt::MouseButtons buttons)
    {
        QMouseEvent event(type, at, m_view.mapToGlobal(at), type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton,
                          buttons, Qt::NoModifier);
        QCoreApplication::sendEvent(&m_view, &event);
    }
    void wheel(const QPointF& at, int delta)
    {
        QWheelEvent event(at, m_view.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                          false);
        QCoreApplication::sendEvent(&m_view, &event);
    }

private:
    PatternView& m_view;
    int m_frames;
    QImage m_picture;
};

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const QStringList arguments = QApplication::arguments();
    const int tokens = arguments.value(1, QStringLiteral("4096")).toInt(),
              frames = arguments.value(2, QStringLiteral("300")).toInt();
    const QStringList sides = arguments.value(3, QStringLiteral("1200x1000")).split(QLatin1Char('x'));
    PatternView view;
    view.resize(sides.value(0).toInt(), sides.value(1).toInt());
    view.show();
    Driver driver(view, frames);
    driver.time("empty view", [](int) {}); // fonts and buffers are there before memory is measured
    const double before = residentMegabytes();
    PatternData data = map(tokens);
    QElapsedTimer clock;
    clock.start();
    view.setPattern(data);
    const double built = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    data = {};
    const QPointF middle = view.mapGeometry().plot().center();
    driver.time("crosshair, whole map", [&](int i) {
        driver.mouse(QEvent::MouseMove, middle + QPointF(i % 200 - 100, (i * 7) % 200 - 100), Qt::NoButton);
    });
    driver.time("zoom in and out", [&](int i) { driver.wheel(middle + QPointF(i % 50, 0), i % 60 < 30 ? 120 : -120); });
    view.resetViewport();
    for (int i = 0; i < 8; ++i)
        driver.wheel(middle, 120);
    const auto pan = [&](int i) {
        if (i % 100 == 0) {
            driver.mouse(QEvent::MouseButtonRelease, middle, Qt::NoButton);
            driver.mouse(QEvent::MouseButtonPress, middle, Qt::LeftButton);
        }
        const int step = i % 100 < 50 ? i % 100 : 100 - i % 100;
        driver.mouse(QEvent::MouseMove, middle + QPointF(step * 6, step * 5), Qt::LeftButton);
    };
    driver.time("pan, some cells a pixel", pan);
    for (int i = 0; i < 12; ++i)
        driver.wheel(middle, 120);
    driver.time("pan, some pixels a cell", pan);
    malloc_trim(0); // what was freed is not the map's
    std::printf("%d x %d map in %d x %d pixels: built in %.0f ms, %.0f MB with everything that belongs to it\n", tokens,
                tokens, view.width(), view.height(), built, residentMegabytes() - before);
    return 0;
}
