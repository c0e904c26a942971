// SPDX-License-Identifier: GPL-3.0-or-later
// 16,384 tokens in the pattern view: the map comes pooled, and exact rows come when they are looked at. Never T x T. A
// tiny model with random weights.
#include "app/controllers/pattern/patterncontroller.h"
#include "app/controllers/pattern/patternlinks.h"
#include "app/controllers/pattern/previewcontroller.h"
#include "app/controllers/pattern/rowprofilecontroller.h"
#include "tests/support/replyrecorder.h"
#include "tests/support/smallcheckpoint.h"

#include <nlohmann/json.hpp>

#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>
#include <iterator>

using namespace Qt::StringLiterals;
using namespace headscope;

namespace {

constexpr int kTokens = 16384;
constexpr int kWait = 600000; // slow machines; nothing here is timed

/// A checkpoint that allows long texts.
QString longModel(const QString& parent, const std::string& family)
{
    const std::string folder = smallcheckpoint::make(parent.toStdString(), family);
    const std::filesystem::path path = std::filesystem::path(folder) / "config.json";
    std::ifstream in(path);
    const std::string written(std::istreambuf_iterator<char>(in), {});
    nlohmann::json config = *io::parsePythonJson(written);
    config["max_position_embeddings"] = 2 * kTokens;
    std::ofstream(path) << smallcheckpoint::asPython(config);
    return QString::fromStdString(folder);
}

/// As many bytes as tokens: a key here and there in text of changing letters.
std::string longText()
{
    std::string text;
    for (std::size_t i = 0; i < kTokens; ++i)
        text += i % 97 == 0 ? '\n' : static_cast<char>('a' + i * i % 23);
    return text;
}

/// The middle of the window with what fills it, without the rest of the window.
struct Page {
    explicit Page(const QString& resources) : door(app::ModelsOptions{{.device = "cpu"}, resources.toStdString()})
    {
        page.setStripShown(widgets::StripShown::None);
        page.resize(900, 700);
        page.show();
    }

    app::Door door;
    widgets::PatternPage page;
    gui::WindowState state;
    gui::PatternLinks links{state, page, nullptr};
    gui::PatternController patterns{state, door, page, nullptr};
    gui::RowProfileController rows{state, door, page, links, nullptr};
};

} // namespace

class TestLongPrompt : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s)); }

    void theBeginningComesFirst_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<QString>("ablation");
        QTest::addColumn<std::vector<int>>("unread"); // of each map that comes
        QTest::newRow("llama") << u"llama"_s << QString() << std::vector{kTokens - 2048, 0};
        QTest::newRow("a head off") << u"llama"_s << u"L0H1"_s << std::vector{kTokens - 2048, 0};
        QTest::newRow("mamba2") << u"mamba2"_s << QString() << std::vector{kTokens - 2048, 0};
        QTest::newRow("hybrid") << u"zamba2"_s << QString() << std::vector{kTokens - 2048, 0};
        // What is done to the last token cannot be done to that of a beginning.
        QTest::newRow("at the end") << u"llama"_s << u"L0H1@last"_s << std::vector{0};
    }

    void theBeginningComesFirst()
    {
        QFETCH(QString, family);
        QFETCH(QString, ablation);
        QFETCH(std::vector<int>, unread);
        app::Door door(
            app::ModelsOptions{{.device = "cpu"}, QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources").toStdString()});
        const testing::ReplyRecorder<app::OpenModelRequest> opened(door);
        QSignalSpy failed(&door, &app::Door::failed);
        door.ask(app::OpenModelRequest{Side::A, {longModel(m_folder.path(), family.toStdString()).toStdString(), {}}});
        QVERIFY(QTest::qWaitFor([&] { return !opened.replies.empty(); }, kWait));
        std::vector<std::shared_ptr<const app::PatternReply>> came;
        door.on<app::MapRequest>(this, [&](Side, const auto& reply) { came.push_back(reply); });
        QSignalSpy finished(&door, &app::Door::finished);
        const auto set = interventions::InterventionSet::parse(ablation.toStdString());
        door.ask(app::MapRequest{
            Side::A, {.text = longText()}, {.head = {1, interventions::Site::Any, 0}, .ablation = *set}});
        QVERIFY(QTest::qWaitFor([&] { return !finished.isEmpty() || !failed.isEmpty(); }, kWait));
        QVERIFY2(failed.isEmpty(), qPrintable(failed.isEmpty() ? QString() : failed.at(0).at(1).toString()));
        std::vector<int> told;
        for (const auto& reply : came)
            told.push_back(reply->unread);
        QCOMPARE(told, unread);
        // What was shown first is what is shown at the end, and nothing is claimed of the rest.
        const Matrix &first = came.front()->matrix, &last = came.back()->matrix;
        QCOMPARE(first.rows, last.rows);
        const int read = (kTokens - came.front()->unread) / came.front()->pool;
        float worst = 0;
        int known = 0;
        for (int row = 0; row < first.rows; ++row)
            for (int col = 0; col < first.cols; ++col) {
                known += std::isnan(first.at(row, col)) ? 0 : 1;
                if (row < read && col < read)
                    worst = std::max(worst, std::abs(first.at(row, col) - last.at(row, col)));
            }
        QCOMPARE(known, read * read);
        QVERIFY2(worst < 1e-5F, qPrintable(QString::number(static_cast<double>(worst))));
    }

    /// Small pictures of a long text come when all of it was read; until then the strip says why it is empty.
    void theStripSaysWhyItIsEmpty()
    {
        Page shown(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources"));
        widgets::HeadMapPanel a(Side::A), b(Side::B);
        const gui::PreviewController previews(shown.state, shown.door, shown.page, {&a, &b}, nullptr);
        shown.page.setStripShown(widgets::StripShown::Layer);
        shown.door.on<app::OpenModelRequest>(&shown.state, &gui::WindowState::setModel);
        shown.door.ask(app::OpenModelRequest{Side::A, {longModel(m_folder.path(), "llama").toStdString(), {}}});
        QVERIFY(QTest::qWaitFor([&] { return shown.state.hasModel(Side::A); }, kWait));
        shown.state.setPrompt({.text = longText()});
        const auto says = [&](const QString& words) {
            return std::ranges::any_of(shown.page.findChildren<QLabel*>(),
                                       [&](const QLabel* label) { return label->text().contains(words); });
        };
        const QString why = u"reading the text for thumbnails"_s;
        QVERIFY(says(u"Layer 1 of A"_s) && !says(why)); // not before it is missed
        QVERIFY(QTest::qWaitFor([&] { return says(why); }, kWait));
        QVERIFY(!shown.page.strip()->hasAllPictures());
        QVERIFY(QTest::qWaitFor([&] { return shown.page.strip()->hasAllPictures(); }, kWait));
        QVERIFY(says(u"Layer 1 of A"_s) && !says(why));
    }

    void rowsComeWhenTheyAreLookedAt()
    {
        QVERIFY(m_folder.isValid());
        Page shown(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources"));
        shown.door.on<app::OpenModelRequest>(&shown.state, &gui::WindowState::setModel);
        QSignalSpy failed(&shown.door, &app::Door::failed);
        shown.door.ask(app::OpenModelRequest{Side::A, {longModel(m_folder.path(), "llama").toStdString(), {}}});
        QVERIFY(QTest::qWaitFor([&] { return shown.state.hasModel(Side::A); }, kWait));
        shown.state.setHead(Side::A, {1, interventions::Site::Any, 0});
        shown.state.setPrompt({.text = "a short one"});
        QVERIFY(QTest::qWaitFor([&] { return shown.page.profile(Side::A)->filled(); }, kWait));
        // What is said below the map is never of the prompt before.
        bool stale = false;
        connect(&shown.state, &gui::WindowState::patternChanged, this, [&] {
            const auto& pattern = shown.state.side(Side::A).pattern;
            stale = stale || (pattern && pattern->pool > 1 && shown.page.profile(Side::A)->filled());
        });
        shown.state.setPrompt({.text = longText()});
        QVERIFY(QTest::qWaitFor(
            [&] {
                const auto& pattern = shown.state.side(Side::A).pattern;
                return pattern && pattern->pool > 1 && pattern->unread == 0;
            },
            kWait));
        QVERIFY(!stale);

        // The whole map at 8 x 8 tokens an entry: 2,048 x 2,048 numbers instead of 268 million.
        const auto reply = shown.state.side(Side::A).pattern;
        QCOMPARE(static_cast<int>(reply->prompt.ids.size()), kTokens);
        QCOMPARE(reply->pool, 8);
        QCOMPARE(reply->matrix.rows, kTokens / 8);
        QCOMPARE(reply->matrix.cols, kTokens / 8);

        // The cursor on a cell far down: its row comes, and then the value under the cursor is exact.
        widgets::PatternView* view = shown.page.view(Side::A);
        Matrix rows;
        int first = -1;
        shown.door.on<app::RowsRequest>(this, [&](Side, const auto& block) {
            rows = block->rows;
            first = block->first;
        });
        const int row = kTokens - 1000, col = 1234;
        view->setCrosshair(row, col);
        QVERIFY(view->readout().contains(u"strongest"_s)); // an upper bound so long
        QVERIFY(QTest::qWaitFor([&] { return first == row; }, kWait));
        QCOMPARE(rows.rows, 1);
        QCOMPARE(rows.cols, kTokens);
        QVERIFY(!view->readout().contains(u"strongest"_s));
        double sum = 0;
        for (const float value : rows.row(0))
            sum += static_cast<double>(value);
        QVERIFY2(std::abs(sum - 1) < 1e-3, qPrintable(QString::number(sum)));
        for (int t = row + 1; t < kTokens; ++t)
            QCOMPARE(rows.at(0, t), 0.0F);

        // Zoomed in, the rows on the screen come with some margin; each pooled entry is the strongest of its cells.
        view->setCrosshair(-1, -1);
        first = -1;
        view->setViewport({0.5, 0.5, 128});
        QVERIFY(QTest::qWaitFor([&] { return first >= 0; }, kWait));
        QVERIFY(rows.rows > 64 && rows.rows <= 512);
        const int block = (first + 7) / 8;
        for (int entry = 0; entry <= block; ++entry) {
            float strongest = 0;
            for (int r = block * 8; r < block * 8 + 8; ++r)
                for (int c = entry * 8; c < entry * 8 + 8; ++c)
                    if (std::abs(rows.at(r - first, c)) > std::abs(strongest))
                        strongest = rows.at(r - first, c);
            const float pooled = reply->matrix.at(block, entry);
            QVERIFY2(std::abs(pooled - strongest) <= 1e-4F * std::abs(strongest) + 1e-9F,
                     qPrintable(u"entry %1: %2 is not %3"_s.arg(entry)
                                    .arg(static_cast<double>(pooled))
                                    .arg(static_cast<double>(strongest))));
        }
        QVERIFY2(failed.isEmpty(), qPrintable(failed.isEmpty() ? QString() : failed.at(0).at(1).toString()));
    }

private:
    QTemporaryDir m_folder;
};

QTEST_MAIN(TestLongPrompt)
#include "tst_longprompt.moc"
