// SPDX-License-Identifier: GPL-3.0-or-later
// Random actions in the real window, hour after hour, in a session that grows. Every so many of them it comes to rest,
// in the same state each time, and counts what it holds with a model, then without one (what is kept of runs goes with
// it). In the first third each rest ends the window, and what is left without one is counted; from then on one window
// stays. packaging/soak.sh says when that is too much. --leak loses so many bytes at each action, to see that it
// is found. Models are looked up and downloaded from the tests' hub. --session names the file to work in, for several
// windows on one session.
//   QT_QPA_PLATFORM=offscreen soak_window FOLDER [--seed N] [--minutes N] [--actions N] [--rest-every N] [--leak N]
//                                                [--session FILE]
// A tab-separated line for each rest goes to standard output; the last actions are in FOLDER/actions, and how many
// objects of each class there were at each rest in FOLDER/held.
#include "app/window/explorer.h"
#include "app/window/mainwindow.h"
#include "app/window/models/getmodeldialog.h"
#include "app/window/models/modeldialogs.h"
#include "tests/soak/monkey.h"
#include "tests/support/benchmeasure.h"
#include "tests/support/hubprocess.h"
#include "tests/support/sanitized.h"
#include "widgets/look/appstyle.h"

#include <QApplication>
#include <QBackingStore>
#include <QClipboard>
#include <QCommandLineParser>
#include <QDesktopServices>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QPixmapCache>
#include <QPushButton>
#include <QSettings>
#include <QTest>
#include <QTimer>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

using namespace headscope;
using namespace Qt::StringLiterals;
using namespace std::string_literals;

namespace {

constexpr int kWait = 900000;   // ms until the worker is idle, beside much other work
constexpr int kHungAfter = 180; // s without a turn of the event loop
constexpr int kStandsStill = testing::kSanitized ? kHungAfter : 3; // s: a person takes the window for broken
constexpr int kStuck = 40; // turns within one action, without a dialog to answer: a drag that waits for its end

std::atomic<int> beats = 0, warnings = 0, longestStandstill = 0; // the last in ms
std::mutex doingMutex;
QString lastDoing;

QString lastAction()
{
    const std::scoped_lock lock(doingMutex);
    return lastDoing;
}

// Nothing may be warned of. What the platform without a display says of itself is no fault of the window.
void hear(QtMsgType type, const QMessageLogContext&, const QString& text)
{
    if (type < QtWarningMsg && type != QtFatalMsg)
        return;
    // Of this display, and of this machine's fonts.
    if (text.startsWith(u"This plugin does not support"_s) || text.contains(u"OpenType support missing"_s))
        return;
    ++warnings;
    std::fprintf(stderr, "warning: %s (after: %s)\n", qPrintable(text), qPrintable(lastAction()));
    if (type == QtFatalMsg)
        std::abort();
}

/// Measures how long the loop stands still, on the clock; a longer time than a person waits is a warning, and without
/// an end it ends the program.
void watch()
{
    std::thread([] {
        using Clock = std::chrono::steady_clock;
        Clock::time_point since = Clock::now();
        QString during;
        for (int seen = -1;; std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
            const auto still = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since).count();
            longestStandstill = std::max(longestStandstill.load(), static_cast<int>(still));
            if (beats == seen && still > kStandsStill * 500) // the next action may have begun when it goes on
                during = lastAction();
            if (beats != seen) {
                if (still > kStandsStill * 1000) {
                    ++warnings;
                    std::fprintf(stderr, "warning: the window stood still for %.1f s (in: %s)\n", double(still) / 1000,
                                 qPrintable(during));
                }
                seen = beats;
                since = Clock::now();
            }
            if (still > kHungAfter * 1000) {
                std::fprintf(stderr, "The window stood still for %d s.\n", kHungAfter);
                std::_Exit(3);
            }
        }
    }).detach();
}

/// Of links: no browser is started.
class Swallower : public QObject
{
    Q_OBJECT
public:
    Q_INVOKABLE void swallow(const QUrl&) {}
};

class Soak : public QObject
{
public:
    Soak(QString folder, QString session, unsigned seed, int actions, int minutes, int restEvery, int leak)
        : m_folder(std::move(folder)), m_shared(!session.isEmpty()),
          m_session(m_shared ? std::move(session) : m_folder + u"/soak.headscope"_s), m_log(m_folder + u"/actions"_s),
          m_monkey(seed, m_folder + u"/files"_s, [this](const QString& action) { log(action); }), m_actions(actions),
          m_minutes(minutes), m_restEvery(restEvery), m_leak(leak)
    {
        makeFiles();
        (void)m_log.open(QIODevice::WriteOnly);
        m_clock.start();
        open();
        std::printf("actions\tminutes\twindows");
        for (const char* there : {"model", "window", "nothing"})
            std::printf("%s\t%s resident MB\t%s heap MB\t%s objects\t%s files",
                        there == "nothing"s ? "\tsession MB" : "", there, there, there, there);
        std::printf("\n");
        later();
    }
    ~Soak() override { m_window.reset(); }
    [[nodiscard]] bool isDone() const { return m_done; }

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const bool keeps = m_stays && watched == m_window.get() && event->type() == QEvent::Close;
        if (keeps)
            event->ignore();
        return keeps;
    }

private:
    void later() { QTimer::singleShot(1, this, &Soak::step); }

    void log(const QString& action)
    {
        {
            const std::scoped_lock lock(doingMutex);
            lastDoing = action;
        }
        if (m_log.pos() > 10'000'000) { // the end is of interest
            m_log.resize(0);
            m_log.seek(0);
        }
        m_log.write(QStringLiteral("%1 %2\n").arg(m_count, 7).arg(action).toUtf8());
        m_log.flush();
    }

    // What dialogs and drops are given: a session of the past, a text, a study, a table, and what is none of them.
    void makeFiles() const
    {
        const QString files = m_folder + u"/files"_s, source = QStringLiteral(HEADSCOPE_SOURCE_DIR);
        QDir().mkpath(files);
        const auto write = [&files](const QString& name, const QByteArray& bytes) {
            QFile file(files + u'/' + name);
            if (file.open(QIODevice::WriteOnly))
                file.write(bytes);
        };
        write(u"text.txt"_s, "The value of the key k3 is");
        write(u"table.csv"_s, "question,answer\nWhat?,this\n");
        write(u"rows.jsonl"_s, "{\"question\": \"a\", \"choices\": [\"b\", \"c\"], \"answer\": 0}\n");
        write(u"broken.headscope"_s, "SQLite format 3\0 and no more");
        write(u"broken.json"_s, "{\"name\": [[[[");
        for (const QFileInfo& old : QDir(source + u"/tests/data/sessions"_s).entryInfoList({u"*.session"_s}))
            QFile::copy(old.filePath(), files + u'/' + old.completeBaseName() + u".headscope"_s);
    }

    void open()
    {
        gui::WindowOptions options;
        options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
        options.backend.device = "cpu";
        options.session = m_session;
        m_window = std::make_unique<gui::MainWindow>(options);
        m_window->show();
        m_window->openModels(u"tiny-transformer"_s);
        m_window->installEventFilter(this);
        ++m_opened;
    }

    // The next turn is ordered before the action: a dialog runs a loop of its own within it.
    void step()
    {
        ++beats;
        later();
        const bool asks = QApplication::activeModalWidget() || QApplication::activePopupWidget();
        if (m_depth > 0 && !asks) {
            if (++m_waited % kStuck == 0)
                QTest::keyClick(m_window->windowHandle(), Qt::Key_Escape);
            return;
        }
        m_waited = 0;
        if (m_resting)
            return;
        const bool restDue = m_count >= m_nextRest;
        if (restDue && soak::Monkey::leave())
            return;
        if (m_depth == 0 && (restDue || !m_window->isVisible()))
            return rest();
        if (m_depth > 8) { // one dialog over the other
            soak::Monkey::leave();
            return;
        }
        ++m_depth;
        ++m_count;
        if (m_leak > 0)
            m_leaked = new char[static_cast<std::size_t>(m_leak)];
        if (m_monkey.below(150) == 0)
            openOther();
        else if (m_monkey.below(300) == 0)
            getModel();
        else
            m_monkey.act(*m_window);
        --m_depth;
    }

    void openOther()
    {
        const QStringList models = {u"tiny-transformer"_s, u"tiny-ssm"_s, u"tiny-hybrid"_s};
        const QString a = models.at(m_monkey.below(3)),
                      b = m_monkey.below(2) == 0 ? models.at(m_monkey.below(3)) : QString();
        log(u"open "_s + a + u' ' + b);
        m_window->openModels(a, b);
    }

    // Names of the tests' hub: sound, slow, cut on the way, refused, absent. What was downloaded is forgotten at a
    // rest.
    void getModel()
    {
        const QStringList names{u"org/good"_s,  u"org/slow"_s,    u"org/cut"_s, u"org/packed"_s,
                                u"org/gated"_s, u"org/nowhere"_s, u"org/busy"_s};
        const QString name = names.at(m_monkey.below(static_cast<int>(names.size())));
        log(u"get "_s + name);
        gui::ModelDialogs& dialogs = *m_window->modelDialogs();
        dialogs.showGet();
        if (auto* fetch = dialogs.get()->findChild<QPushButton*>(u"fetch"_s); fetch->isEnabled())
            return fetch->click();
        auto* field = dialogs.get()->findChild<QLineEdit*>(u"name"_s);
        field->setText(name);
        QTest::keyClick(field, Qt::Key_Return);
    }

    bool idle() const
    {
        return QTest::qWaitFor([this] { return !m_window->worker()->busy(); }, kWait);
    }

    void rest()
    {
        m_resting = true;
        log(u"rest"_s);
        if (!m_window->isVisible()) { // closed: a new one on the same session
            m_window.reset();
            open();
        }
        settle();
        std::printf("%d\t%.1f\t%d", m_count, double(m_clock.elapsed()) / 60000, m_opened);
        count("model", m_window->findChildren<QObject*>());
        letModelsGo();
        count("window", m_window->findChildren<QObject*>());
        std::printf("\t%.2f", double(QFileInfo(m_session).size()) / 1e6);
        m_done = (m_actions > 0 && m_count >= m_actions) || (m_minutes > 0 && m_clock.elapsed() >= m_minutes * 60000LL);
        const bool stayed =
            std::exchange(m_stays, m_count * 3 >= m_actions && m_clock.elapsed() * 3 >= m_minutes * 60000LL);
        if (stayed && !m_done) {
            m_window->openModels(u"tiny-transformer"_s);
        } else {
            m_window.reset();
            QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            count("nothing", QApplication::allWidgets());
            if (!m_done)
                open();
        }
        std::printf("\n");
        std::fflush(stdout);
        m_nextRest = m_count + m_restEvery;
        m_resting = false;
        if (m_done)
            QApplication::exit();
    }

    // The same state each time: one model with all heads on, opened anew so that nothing is kept of its runs, one
    // prompt, nothing open before the window, nothing under way.
    void settle()
    {
        for (QWidget* widget : QApplication::topLevelWidgets())
            if (widget != m_window.get() && widget->isVisible())
                widget->close();
        m_window->worker()->stopAll();
        QDir(qEnvironmentVariable("HF_HUB_CACHE")).removeRecursively(); // to be downloaded again
        if (m_shared)
            m_window->explorer()->openSession(m_session); // another may be open
        if (m_window->lecture() && m_window->isFullScreen())
            m_window->showNormal();
        m_window->resize(1440, 900);
        m_window->explorer()->closeB();
        bool opened = true;
        for (const QString& model : {u"tiny-ssm"_s, u"tiny-transformer"_s}) {
            m_window->openModels(model);
            opened = idle() && opened;
        }
        m_window->explorer()->closeB(); // the session of a new window may have opened it meanwhile
        m_window->explorer()->restoreAll(Side::A);
        m_window->worker()->ask(app::SampleRequest{"toy_kv:pairs=8", 0});
        isIdle(opened && idle());
        QTest::qWait(500);
    }

    // What is asked behind it is answered once they are gone.
    void letModelsGo()
    {
        m_window->worker()->stopAll();
        for (const Side side : kSides)
            m_window->worker()->closeModel(side);
        m_window->worker()->ask(app::SampleRequest{"toy_kv:pairs=8", 0});
        isIdle(idle());
    }

    static void isIdle(bool is)
    {
        if (is)
            return;
        std::fprintf(stderr, "The window did not come to rest.\n");
        ++warnings;
    }

    void count(const char* there, const auto& objects)
    {
        // What has a limit of its own: a cache, what was copied last, and the image of each window that is closed.
        QPixmapCache::clear();
        QGuiApplication::clipboard()->clear();
        for (const QWidget* window : QApplication::topLevelWidgets())
            if (QBackingStore* image = window->backingStore(); image && !window->isVisible())
                image->resize({});
        malloc_trim(0);
        const struct mallinfo2 heap = mallinfo2();
        std::printf("\t%.1f\t%.2f\t%lld\t%lld", residentMegabytes(), double(heap.uordblks + heap.hblkhd) / 1e6,
                    static_cast<long long>(objects.size()),
                    static_cast<long long>(QDir(u"/proc/self/fd"_s).entryList(QDir::Files | QDir::System).size()));
        tellHeld(there, objects);
    }

    // What a rise is made of: of each class how many there are, to compare one rest with another.
    void tellHeld(const char* there, const auto& objects) const
    {
        QMap<QByteArray, int> counts;
        for (const QObject* object : objects)
            ++counts[object->metaObject()->className()];
        QFile file(m_folder + u"/held"_s);
        if (!file.open(QIODevice::Append))
            return;
        for (const auto& [name, number] : counts.asKeyValueRange())
            file.write(QByteArray::number(m_count) + '\t' + there + '\t' + name + '\t' + QByteArray::number(number)
                       + '\n');
    }

    QString m_folder;
    bool m_shared;
    QString m_session;
    QFile m_log;
    soak::Monkey m_monkey;
    int m_actions, m_minutes, m_restEvery, m_leak;
    std::unique_ptr<gui::MainWindow> m_window;
    QElapsedTimer m_clock;
    int m_count = 0, m_nextRest = 0, m_opened = 0, m_depth = 0, m_waited = 0;
    bool m_resting = false, m_done = false, m_stays = false;
    char* volatile m_leaked = nullptr;
};

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QApplication application(argc, argv);
    QApplication::setOrganizationName(u"Headscope"_s);
    QApplication::setApplicationName(u"Headscope"_s);
    QApplication::setStyle(new widgets::AppStyle);
    QApplication::setQuitOnLastWindowClosed(false);
    QCommandLineParser parser;
    const QStringList numbers{u"seed"_s, u"minutes"_s, u"actions"_s, u"rest-every"_s, u"leak"_s};
    for (const QString& name : numbers)
        parser.addOption({name, QString(), u"value"_s, name == u"rest-every" ? u"250"_s : u"0"_s});
    parser.addOption({u"session"_s, QString(), u"file"_s});
    parser.process(application);
    if (parser.positionalArguments().size() != 1) {
        std::fprintf(stderr, "soak_window FOLDER [--seed N] [--minutes N] [--actions N] [--rest-every N] [--leak N] "
                             "[--session FILE]\n");
        return 2;
    }
    const QString folder = QDir(parser.positionalArguments().at(0)).absolutePath();
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder + u"/settings"_s);
    QDir().mkpath(folder + u"/files"_s);
    QDir::setCurrent(folder + u"/files"_s); // what is written to a name without a folder
    testing::HubProcess hub;
    if (!hub.start()) {
        std::fprintf(stderr, "The hub of the tests does not start.\n");
        return 2;
    }
    qputenv("HF_ENDPOINT", QByteArray::fromStdString(hub.settings().endpoint));
    qputenv("HF_HUB_CACHE", (folder + u"/hub"_s).toUtf8());
    Swallower swallower;
    const QStringList schemes{u"http"_s, u"https"_s, u"file"_s, u"mailto"_s};
    for (const QString& scheme : schemes)
        QDesktopServices::setUrlHandler(scheme, &swallower, "swallow");
    qInstallMessageHandler(hear);
    watch();
    const auto value = [&](int i) { return parser.value(numbers.at(i)).toInt(); };
    Soak soak(folder, parser.value(u"session"_s), static_cast<unsigned>(value(0)), value(2), value(1), value(3),
              value(4));
    while (!soak.isDone()) // "Quit" ends the loop
        QApplication::exec();
    for (const QString& scheme : schemes)
        QDesktopServices::unsetUrlHandler(scheme);
    (void)hub.stop();
    std::fprintf(stderr, "%d warnings; at most %.1f s without a turn of the loop\n", warnings.load(),
                 double(longestStandstill) / 1000);
    return warnings == 0 ? 0 : 1;
}

#include "soak_window.moc"
