// SPDX-License-Identifier: GPL-3.0-or-later
// How long a person waits in the window, with a real worker, while it scores and ranks. Milliseconds; no test. Models
// of real shapes with random weights are made by realsize.py beside this file. One JSON object on stdout, and without
// --json a table on stderr besides.
//   QT_QPA_PLATFORM=offscreen bench_window [MODEL [MODEL_B]] [--clicks N] [--alone] [--threads N] [--dtype T] [--json]
//   QT_QPA_PLATFORM=offscreen bench_window MODEL --ranking ...   the same once ten heads are ranked, and how long that
//   took QT_QPA_PLATFORM=offscreen bench_window MODEL --prompt TEXT_FILE   how a long prompt shows: map, row, frames,
//   memory
#include "app/window/explorer.h"
#include "app/window/mainwindow.h"
#include "core/base/elapsed.h"
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
#include <ctime>
#include <random>
#include <utility>

using namespace headscope;
using app::Door;

namespace {

constexpr int kWait = 600000;
constexpr int kClickWait = 120000; // what has not come by then is counted as this long
constexpr int kStopEvery = 5;      // clicks; the last one is stopped too
constexpr int kPromptEvery = 10;   // clicks

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
    /// {"median", "p90", "p99", "worst", "n"} each.
    [[nodiscard]] QJsonObject json() const
    {
        QJsonObject all;
        for (const QString& what : m_order) {
            std::vector<double> sorted = m_times.at(what);
            std::ranges::sort(sorted);
            const auto at = [&](std::size_t percent) { return sorted[sorted.size() * percent / 100]; };
            all[what] = QJsonObject{{QStringLiteral("median"), at(50)},
                                    {QStringLiteral("p90"), at(90)},
                                    {QStringLiteral("p99"), at(99)},
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
            std::fprintf(stderr, "%-34s median %8.1f ms   90 %% %8.1f ms   99 %% %8.1f ms   worst %8.1f ms   n %d\n",
                         qPrintable(what), one[QStringLiteral("median")].toDouble(),
                         one[QStringLiteral("p90")].toDouble(), one[QStringLiteral("p99")].toDouble(),
                         one[QStringLiteral("worst")].toDouble(), one[QStringLiteral("n")].toInt());
        }
    }

private:
    QStringList m_order;
    std::map<QString, std::vector<double>> m_times;
};

/// One click after the other on heads drawn at random, each when the one before is decided or its time is used up.
class Clicks
{
public:
    Clicks(gui::MainWindow& window, Times& times) : m_window(window), m_times(times), m_door(*window.worker())
    {
        m_door.on<app::MapRequest>(&m_context, [this](Side side, const auto& reply) {
            if (side == Side::A && reply->request.ablation.canonical() != m_before)
                hear(m_pattern);
        });
        m_door.on<app::NextTokensRequest>(&m_context, [this](const app::NextTokensRequest& request, const auto&) {
            if (request.side == Side::A && request.ablation.canonical() != m_before)
                hear(m_answer);
        });
        m_door.on<app::ScoresRequest>(&m_context, [this](Side side, const auto& reply) {
            if (side != Side::A || reply->ablation.canonical() == m_before)
                return;
            if (std::ranges::any_of(reply->lines, &app::BenchmarkScore::hasNow))
                hear(m_estimate);
            if (reply->final || reply->later
                || std::ranges::all_of(reply->lines, [](const auto& line) { return line.decided || line.final; }))
                hear(m_decided);
        });
    }

    [[nodiscard]] int whileRanking() const { return m_ranking; } ///< clicks while a ranking or an estimate ran

    /// `alone`: each head on a model whose other heads are on; else they add up.
    void run(int clicks, bool alone)
    {
        for (int i = 0; i < clicks; ++i) {
            if (alone && i > 0)
                restore();
            const bool stopped = i % kStopEvery == kStopEvery - 1 || i + 1 == clicks;
            click(stopped);
            if (i % kPromptEvery == kPromptEvery - 1)
                readAnotherPrompt();
        }
    }

private:
    /// Once.
    void hear(double& time) const
    {
        if (time < 0)
            time = ms(m_clock);
    }

    void click(bool thenStop)
    {
        auto* view = m_window.parts().mapA->view();
        const auto random = [this](int count) { return static_cast<int>(m_random() % static_cast<unsigned>(count)); };
        const QModelIndex head =
            view->model()->index(random(view->model()->rowCount()), random(view->model()->columnCount()));
        view->scrollTo(head);
        m_pattern = m_answer = m_estimate = m_decided = -1;
        m_before = m_window.explorer()->pattern(Side::A)->request.ablation.canonical();
        m_busy = m_door.isRunning<app::RankRequest>(Side::A) || m_door.isRunning<app::EstimateRequest>(Side::A);
        m_ranking += m_busy ? 1 : 0;
        m_clock.start();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(head).center(), 0);
        view->viewport()->repaint(); // the cross is on the screen
        add("click_to_cross", ms(m_clock));
        (void)QTest::qWaitFor([this] { return m_pattern >= 0 && m_answer >= 0 && m_estimate >= 0; }, kClickWait);
        add("click_to_answer", m_answer < 0 ? kClickWait : m_answer);
        add("click_to_pattern", m_pattern < 0 ? kClickWait : m_pattern);
        add("click_to_estimate", m_estimate < 0 ? kClickWait : m_estimate);
        if (thenStop)
            return stop();
        (void)QTest::qWaitFor([this] { return m_decided >= 0; }, kClickWait);
        add("click_to_decided", m_decided < 0 ? kClickWait : m_decided);
    }

    void restore()
    {
        m_window.explorer()->restoreAll(Side::A);
        const auto restored = [this] {
            return m_window.explorer()->pattern(Side::A)->request.ablation.canonical().empty()
                   && !m_door.isRunning<app::ScoresRequest>(Side::A);
        };
        (void)QTest::qWaitFor(restored, kClickWait);
    }

    /// Among all clicks, and among those like it: with a ranking behind them or without.
    void add(const char* what, double time)
    {
        const QString name = QLatin1StringView(what);
        m_times.add(name, time);
        m_times.add(name + (m_busy ? QLatin1StringView("_while_ranking") : QLatin1StringView("_at_rest")), time);
    }

    /// From the button to the end of the scores that run, whichever end that is.
    void stop()
    {
        if (!m_door.isRunning<app::ScoresRequest>(Side::A))
            m_window.explorer()->scoreAgain(); // of a small model they are in before anybody could stop them
        QElapsedTimer clock;
        clock.start();
        m_door.stop<app::ScoresRequest>(Side::A);
        (void)QTest::qWaitFor([this] { return !m_door.isRunning<app::ScoresRequest>(Side::A); }, kClickWait);
        m_times.add(QStringLiteral("stop"), ms(clock));
    }

    /// The next sample of the task, until its pattern is drawn.
    void readAnotherPrompt()
    {
        const int sample = m_window.explorer()->prompt().sample;
        QElapsedTimer clock;
        clock.start();
        m_window.explorer()->stepSample(1);
        const auto drawn = [&] {
            const auto pattern = m_window.explorer()->pattern(Side::A);
            return m_window.explorer()->prompt().sample != sample && pattern
                   && pattern->text == m_window.explorer()->prompt().text;
        };
        if (QTest::qWaitFor(drawn, kClickWait))
            m_times.add(QStringLiteral("prompt_to_pattern"), ms(clock));
    }

    gui::MainWindow& m_window;
    Times& m_times;
    app::Door& m_door;
    QObject m_context;
    QElapsedTimer m_clock;
    std::mt19937 m_random{0};
    std::string m_before;
    double m_pattern = -1, m_answer = -1, m_estimate = -1, m_decided = -1;
    int m_ranking = 0;
    bool m_busy = false; ///< a ranking or an estimate ran when the last click came
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
    bool thumbnail = false;
    QObject context;
    window.worker()->on<app::PreviewsRequest>(&context, [&](Side, const auto&) {
        if (!std::exchange(thumbnail, true))
            times.add(QStringLiteral("first_thumbnail"), ms(clock));
    });
    QObject::connect(window.worker(), &app::Door::finished, &context, [&](const app::Lane& lane) {
        if (lane.is<app::PreviewsRequest>() && strip < 0)
            strip = ms(clock);
    });
    clock.start();
    window.openModels(models.value(0, QStringLiteral("tiny-transformer")), models.value(1));
    bool refused = false;
    QObject::connect(window.worker(), &app::Door::failed, &context, [&](const app::Lane&, const QString& sentence) {
        std::fprintf(stderr, "%s\n", qPrintable(sentence));
        refused = true;
    });
    const auto drawn = [&](Side side) { return window.explorer()->pattern(side) != nullptr; };
    if (!QTest::qWaitFor([&] { return refused || (drawn(Side::A) && (models.size() < 2 || drawn(Side::B))); }, kWait)
        || refused)
        return false;
    times.add(QStringLiteral("open_to_pattern"), ms(clock));
    if (!QTest::qWaitFor([&] { return strip >= 0; }, kWait))
        return false;
    times.add(QStringLiteral("strip"), strip);
    return true;
}

/// From the opening until the automatic ranking has estimated every head, and ablated the first ten one by one.
bool awaitRanking(const gui::MainWindow& window, const QElapsedTimer& sinceOpen, Times& times)
{
    const gui::SideState& side = window.explorer()->state().side(Side::A);
    if (!QTest::qWaitFor([&] { return side.ownMetrics.contains("estimate"); }, kWait))
        return false;
    times.add(QStringLiteral("open_to_estimate_of_all_heads"), ms(sinceOpen));
    if (!QTest::qWaitFor([&] { return side.effects && side.effects->size() >= 10; }, kWait))
        return false;
    times.add(QStringLiteral("open_to_ten_heads_ablated"), ms(sinceOpen));
    return true;
}

/// While what was opened is being scored, as a person would not wait for it.
bool readLongPrompt(gui::MainWindow& window, const QString& path, Times& times)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return false;
    const std::string text = file.readAll().toStdString();
    const double before = residentMegabytes();
    QElapsedTimer clock;
    clock.start();
    const double processor = processorMs();
    window.explorer()->usePrompt({.text = text});
    const auto reply = [&] { return window.explorer()->pattern(Side::A); };
    if (!QTest::qWaitFor([&] { return reply() && reply()->text == text; }, kWait))
        return false;
    times.add(QStringLiteral("first_picture_of_prompt"), ms(clock));
    std::fprintf(stderr, "first picture of the prompt after %.0f ms\n", ms(clock)); // the whole map may take an hour
    if (!QTest::qWaitFor([&] { return reply()->unread == 0; }, kWait))
        return false;
    times.add(QStringLiteral("map_of_prompt"), ms(clock));
    times.add(QStringLiteral("map_of_prompt_processor"), processorMs() - processor);
    auto* view = window.parts().patternA;
    const int tokens = static_cast<int>(reply()->prompt.ids.size());
    clock.restart();
    view->setCrosshair(tokens - tokens / 8, tokens / 4);
    (void)QTest::qWaitFor([&] { return !view->readout().contains(QLatin1String("strongest")); }, kWait);
    times.add(QStringLiteral("exact_row"), ms(clock));
    for (int i = 0; i < 200; ++i) {
        const double start = threadSeconds(); // the worker reads rows meanwhile
        view->setViewport({0.3 + 0.001 * i, 0.6 + 0.001 * i, 8});
        view->setCrosshair(tokens / 2 + i, tokens / 4 + i);
        (void)view->grab();
        times.add(QStringLiteral("pan_frame"), 1e3 * (threadSeconds() - start));
    }
    std::fprintf(stderr, "%d tokens, memory %.0f MB more than before\n", tokens, residentMegabytes() - before);
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QCommandLineParser parser;
    const QCommandLineOption alone(QStringLiteral("alone")),
        clicks(QStringLiteral("clicks"), {}, QStringLiteral("N"), QStringLiteral("50")), json(QStringLiteral("json")),
        prompt(QStringLiteral("prompt"), {}, QStringLiteral("TEXT_FILE")),
        pictures(QStringLiteral("pictures"), {}, QStringLiteral("FOLDER")), ranking(QStringLiteral("ranking")),
        dtype(QStringLiteral("dtype"), {}, QStringLiteral("TYPE"), QStringLiteral("auto")),
        threads(QStringLiteral("threads"), {}, QStringLiteral("N"), QStringLiteral("0"));
    parser.addOptions({alone, clicks, json, prompt, pictures, ranking, dtype, threads});
    parser.process(application);
    const QStringList models = parser.positionalArguments();

    const QTemporaryDir folder;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    options.backend.dtype = parser.value(dtype).toStdString();
    options.backend.threads = parser.value(threads).toInt();
    options.session = folder.filePath(QStringLiteral("bench.headscope"));
    Times times;
    QElapsedTimer clock;
    clock.start();
    gui::MainWindow window(options);
    window.show();
    times.add(QStringLiteral("window"), ms(clock));
    takePictures(window, parser.value(pictures));
    clock.restart();
    if (!open(window, models, times) || (parser.isSet(ranking) && !awaitRanking(window, clock, times)))
        return 1;
    QJsonObject all;
    if (parser.isSet(prompt)) {
        if (!readLongPrompt(window, parser.value(prompt), times))
            return 1;
    } else {
        const int count = parser.value(clicks).toInt();
        Clicks clicking(window, times);
        clicking.run(count, parser.isSet(alone));
        all[QStringLiteral("clicks")] = count;
        all[QStringLiteral("clicks_while_ranking")] = clicking.whileRanking();
    }
    const QJsonObject measured = times.json();
    for (auto time = measured.begin(); time != measured.end(); ++time)
        all[time.key()] = time.value();
    const auto& model = window.explorer()->model(Side::A);
    all[QStringLiteral("dtype")] = QString::fromStdString(model->dtype);
    all[QStringLiteral("weights_mb")] = static_cast<double>(model->bytes) / 1e6;
    all[QStringLiteral("resident_mb")] = residentMegabytes();
    all[QStringLiteral("resident_peak_mb")] = peakMegabytes();
    std::printf("%s", QJsonDocument(all).toJson(QJsonDocument::Compact).append('\n').constData());
    if (!parser.isSet(json))
        times.print();
    return 0;
}
