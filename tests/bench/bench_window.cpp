// SPDX-License-Identifier: GPL-3.0-or-later
// How long a person waits in the window, with a real worker, while it scores and ranks. Milliseconds; no test. Models
// of real shapes with random weights are made by realsize.py beside this file.
//   QT_QPA_PLATFORM=offscreen bench_window [MODEL [MODEL_B]] [--clicks N] [--json] [--pictures FOLDER]
//   QT_QPA_PLATFORM=offscreen bench_window MODEL --prompt TEXT_FILE   how a long prompt shows: map, row, frames, memory
#include "app/window/explorer.h"
#include "app/window/mainwindow.h"
#include "tests/support/benchmeasure.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <random>

using namespace headscope;
using gui::BackendClient;
using Kind = BackendClient::Kind;

namespace {

constexpr int kWait = 600000;
constexpr int kClickWait = 120000; // what has not come by then is counted as this long
constexpr int kStopEvery = 5;      // clicks

double ms(const QElapsedTimer& clock)
{
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

/// How often something took how long.
class Times
{
public:
    void add(const QString& what, double time)
    {
        if (!m_times.contains(what))
            m_order.append(what);
        m_times[what].push_back(time);
    }
    [[nodiscard]] QJsonObject json() const
    {
        QJsonObject all;
        for (const QString& what : m_order) {
            std::vector<double> sorted = m_times.at(what);
            std::ranges::sort(sorted);
            all[what] = QJsonObject{{QStringLiteral("median"), sorted[sorted.size() / 2]},
                                    {QStringLiteral("worst"), sorted.back()},
                                    {QStringLiteral("n"), static_cast<int>(sorted.size())}};
        }
        return all;
    }
    void print() const
    {
        const QJsonObject all = json();
        for (const QString& what : m_order) {
            const QJsonObject one = all[what].toObject();
            std::printf("%-34s median %8.1f ms   worst %8.1f ms   n %d\n", qPrintable(what),
                        one[QStringLiteral("median")].toDouble(), one[QStringLiteral("worst")].toDouble(),
                        one[QStringLiteral("n")].toInt());
        }
    }

private:
    QStringList m_order;
    std::map<QString, std::vector<double>> m_times;
};

/// One click after the other, each before the scores of the last are in.
class Clicks
{
public:
    Clicks(gui::MainWindow& window, Times& times) : m_window(window), m_times(times), m_client(*window.client())
    {
        QObject::connect(&m_client, &BackendClient::patternReady, &m_context, [this](Side, const auto& reply) {
            if (m_pattern < 0 && reply->request.ablation.canonical() != m_before)
                m_pattern = ms(m_clock);
        });
        QObject::connect(&m_client, &BackendClient::scoresReady, &m_context, [this](Side, const auto& reply) {
            if (m_estimate < 0 && reply->ablation.canonical() != m_before
                && std::ranges::any_of(reply->lines, &app::BenchmarkScore::hasNow))
                m_estimate = ms(m_clock);
        });
        QObject::connect(&m_client, &BackendClient::cancelled, &m_context, [this](Kind kind) {
            if (kind == Kind::Scores && m_stopped < 0)
                m_stopped = ms(m_clock);
        });
    }

    [[nodiscard]] int whileRanking() const { return m_ranking; } ///< clicks while the ranking ran

    void run(int clicks)
    {
        auto* map = m_window.parts().mapA;
        std::mt19937 random(0);
        for (int i = 0; i < clicks; ++i) {
            const int row = static_cast<int>(random() % static_cast<unsigned>(map->model()->rowCount())),
                      column = static_cast<int>(random() % static_cast<unsigned>(map->model()->columnCount()));
            const QModelIndex head = map->model()->index(row, column);
            map->view()->scrollTo(head);
            click(map->view(), map->view()->visualRect(head).center());
            if (i % kStopEvery == kStopEvery - 1)
                stop();
        }
    }

private:
    void click(widgets::HeadMapView* view, const QPoint& cell)
    {
        m_pattern = m_estimate = -1;
        m_before = m_window.explorer()->pattern(Side::A)->request.ablation.canonical();
        m_ranking += m_client.isRunning(Kind::Rank, Side::A) ? 1 : 0;
        m_clock.start();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, cell, 0);
        view->viewport()->repaint(); // the cross is on the screen
        m_times.add(QStringLiteral("click to crossed out"), ms(m_clock));
        (void)QTest::qWaitFor([this] { return m_pattern >= 0 && m_estimate >= 0; }, kClickWait);
        m_times.add(QStringLiteral("click to its pattern"), m_pattern < 0 ? kClickWait : m_pattern);
        m_times.add(QStringLiteral("click to first estimate"), m_estimate < 0 ? kClickWait : m_estimate);
    }

    void stop()
    {
        if (!m_client.isRunning(Kind::Scores, Side::A))
            return;
        QTest::qWait(300); // in the middle of the work
        m_stopped = -1;
        m_clock.start();
        m_client.stop(Kind::Scores, Side::A);
        (void)QTest::qWaitFor([this] { return m_stopped >= 0 || !m_client.isRunning(Kind::Scores, Side::A); },
                              kClickWait);
        if (m_stopped >= 0)
            m_times.add(QStringLiteral("stop"), m_stopped);
    }

    gui::MainWindow& m_window;
    Times& m_times;
    BackendClient& m_client;
    QObject m_context;
    QElapsedTimer m_clock;
    std::string m_before;
    double m_pattern = -1, m_estimate = -1, m_stopped = -1;

    int m_ranking = 0;
};

/// Pictures of the window a while after the models were opened.
void takePictures(gui::MainWindow& window, const QString& folder)
{
    if (folder.isEmpty())
        return;
    QDir().mkpath(folder);
    for (const int second : {1, 5, 30})
        QTimer::singleShot(second * 1000, &window, [&window, folder, second] {
            window.grab().save(QStringLiteral("%1/after-%2s.png").arg(folder).arg(second));
        });
}

bool open(gui::MainWindow& window, const QStringList& models, Times& times)
{
    QElapsedTimer clock;
    double strip = -1;
    int thumbnails = 0;
    QObject context;
    QObject::connect(window.client(), &BackendClient::previewReady, &context, [&](Side, const auto&) {
        if (++thumbnails == 1)
            times.add(QStringLiteral("open to first thumbnail"), ms(clock));
    });
    QObject::connect(window.client(), &BackendClient::finished, &context, [&](Kind kind, Side) {
        if (kind == Kind::Strip && strip < 0)
            strip = ms(clock);
    });
    clock.start();
    window.openModels(models.value(0, QStringLiteral("tiny-transformer")), models.value(1));
    const auto drawn = [&](Side side) { return window.explorer()->pattern(side) != nullptr; };
    if (!QTest::qWaitFor([&] { return drawn(Side::A) && (models.size() < 2 || drawn(Side::B)); }, kWait))
        return false;
    times.add(QStringLiteral("open to first pattern"), ms(clock));
    if (!QTest::qWaitFor([&] { return strip >= 0; }, kWait))
        return false;
    times.add(QStringLiteral("open to strip filled (%1)").arg(thumbnails), strip);
    return true;
}

bool readLongPrompt(gui::MainWindow& window, const QString& path, Times& times)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return false;
    const std::string text = file.readAll().toStdString();
    const auto idle = [&] { return QTest::qWaitFor([&] { return !window.client()->busy(); }, kWait); };
    if (!idle())
        return false;
    const double before = residentMegabytes();
    QElapsedTimer clock;
    clock.start();
    const double processor = processorMs();
    window.explorer()->usePrompt({.text = text});
    const auto reply = [&] { return window.explorer()->pattern(Side::A); };
    if (!QTest::qWaitFor([&] { return reply() && reply()->text == text; }, kWait))
        return false;
    times.add(QStringLiteral("map of the prompt"), ms(clock));
    times.add(QStringLiteral("the same, processor"), processorMs() - processor);
    if (!idle())
        return false;
    auto* view = window.parts().patternA;
    const int tokens = static_cast<int>(reply()->prompt.ids.size());
    clock.restart();
    view->setCrosshair(tokens - tokens / 8, tokens / 4);
    (void)QTest::qWaitFor([&] { return !view->readout().contains(QLatin1String("strongest")); }, kWait);
    times.add(QStringLiteral("exact row under the cursor"), ms(clock));
    for (int i = 0; i < 200; ++i) {
        const double start = processorMs();
        view->setViewport({0.3 + 0.001 * i, 0.6 + 0.001 * i, 8});
        view->setCrosshair(tokens / 2 + i, tokens / 4 + i);
        (void)view->grab();
        times.add(QStringLiteral("frame while panning, processor"), processorMs() - start);
    }
    (void)idle();
    std::printf("%d tokens, memory %.0f MB more than before\n", tokens, residentMegabytes() - before);
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QCommandLineParser parser;
    const QCommandLineOption clicks(QStringLiteral("clicks"), {}, QStringLiteral("N"), QStringLiteral("50")),
        json(QStringLiteral("json")), prompt(QStringLiteral("prompt"), {}, QStringLiteral("TEXT_FILE")),
        pictures(QStringLiteral("pictures"), {}, QStringLiteral("FOLDER")),
        dtype(QStringLiteral("dtype"), {}, QStringLiteral("TYPE"), QStringLiteral("auto"));
    parser.addOptions({clicks, json, prompt, pictures, dtype});
    parser.process(application);
    const QStringList models = parser.positionalArguments();

    const QTemporaryDir folder;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    options.backend.dtype = parser.value(dtype).toStdString();
    options.session = folder.filePath(QStringLiteral("bench.headscope"));
    Times times;
    QElapsedTimer clock;
    clock.start();
    gui::MainWindow window(options);
    window.show();
    times.add(QStringLiteral("window shown"), ms(clock));
    takePictures(window, parser.value(pictures));
    if (!open(window, models, times))
        return 1;
    if (parser.isSet(prompt))
        return readLongPrompt(window, parser.value(prompt), times) ? (times.print(), 0) : 1;
    Clicks clicking(window, times);
    clicking.run(parser.value(clicks).toInt());
    if (parser.isSet(json)) {
        QJsonObject all = times.json();
        all[QStringLiteral("clicks while ranking")] = clicking.whileRanking();
        all[QStringLiteral("resident MB")] = residentMegabytes();
        std::printf("%s", QJsonDocument(all).toJson().constData());
    } else {
        times.print();
        std::printf("%d clicks while the ranking ran, %.0f MB resident\n", clicking.whileRanking(),
                    residentMegabytes());
    }
    return 0;
}
