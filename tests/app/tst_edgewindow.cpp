// SPDX-License-Identifier: GPL-3.0-or-later
// Edges around heads of shipped models, in the whole window: who feeds the head that fetches the answer, in a
// Transformer, an SSM and a hybrid; over many pairs; as a file; and what has no edges is a sentence.
#include "core/io/textfiles/textfile.h"
#include "tests/support/windowfixture.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabWidget>

using namespace headscope;
using namespace Qt::StringLiterals;
using widgets::EdgePage;
using widgets::EdgeView;
using widgets::OtherPrompt;

class TestEdgeWindow : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void whoFeedsTheHeadThatFetches_data();
    void whoFeedsTheHeadThatFetches();
    void theExchangedPieceChoosesTheDoor();
    void theFirstLayerHearsTheEmbeddingAlone();
    void mlpsLogitsAndTheEmbedding();
    void theCostIsToldBefore();
    void manyPairsHaveIntervals();
    void aPartOfTheGraphIsAskedAbout();
    void savesNumbersAndPictures();
    void stopKeepsWhatIsThere();
    void refusesWithASentence_data();
    void refusesWithASentence();
    void promptsThatCanNotBeComparedAreASentence_data();
    void promptsThatCanNotBeComparedAreASentence();
    void anAblationForgetsTheEdges();
    void aPartThatWritesNothingIsNamed();

private:
    [[nodiscard]] EdgePage& page() const { return *m_fixture.window().parts().why->edges(); }
    [[nodiscard]] EdgeView& view() const { return *page().view(Side::A); }
    [[nodiscard]] const widgets::EdgeData& edges() const { return view().graph()->edges(); }
    [[nodiscard]] bool traced(const QString& part, const EdgePage::Choice& choice = {}) const
    {
        page().setChoice(choice);
        view().setPart(part);
        Q_EMIT page().startRequested();
        return m_fixture.settled<app::EdgeQuestion>();
    }
    [[nodiscard]] const widgets::GraphEdge* find(const QString& from, const QString& to) const
    {
        for (const widgets::GraphEdge& edge : edges().edges)
            if (edges().sender(edge) == from && edges().receiver(edge) == to)
                return &edge;
        return nullptr;
    }
    [[nodiscard]] QString told() const
    {
        QString lines = view().sentence();
        for (std::size_t i = 0; i < std::min<std::size_t>(edges().edges.size(), 12); ++i)
            lines += u'\n' + view().graph()->words(static_cast<int>(i));
        return lines;
    }
    testing::WindowFixture m_fixture;
};

void TestEdgeWindow::initTestCase()
{
    QVERIFY(m_fixture.open(u"tiny-transformer"_s));
    QVERIFY(m_fixture.showSample(u"toy_kv:pairs=8"_s));
    m_fixture.window().act(u"edges"_s);
    QCOMPARE(m_fixture.window().parts().why->tabs()->currentWidget(), &page());
    QVERIFY(m_fixture.settled<app::EdgeQuestion>());
}

void TestEdgeWindow::whoFeedsTheHeadThatFetches_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("head");
    QTest::addColumn<QStringList>("senders"); // of the strongest edges into it, by name
    QTest::addColumn<QString>("through");
    QTest::addColumn<double>("least"); // of the way, by each of them alone
    QTest::addColumn<double>("most");
    QTest::newRow("ssm") << u"tiny-ssm"_s << u"L2H1"_s << QStringList{u"L0H4"_s, u"L1H0"_s} << u"b"_s << 0.2 << 0.6;
    // No edge alone goes far: what the head reads is spread.
    QTest::newRow("hybrid") << u"tiny-hybrid"_s << u"L3H1"_s << QStringList{u"L2H2"_s} << u"v"_s << 0.03 << 0.1;
    QTest::newRow("transformer") << u"tiny-transformer"_s << u"L2H5"_s << QStringList{u"L1H2"_s} << u"k"_s << 0.6
                                 << 0.9;
}

// Key and value belong to others in the other prompt: which key stands before a value has to be gathered there.
void TestEdgeWindow::whoFeedsTheHeadThatFetches()
{
    QFETCH(const QString, model);
    QFETCH(const QString, head);
    QFETCH(const QStringList, senders);
    QFETCH(const QString, through);
    QFETCH(const double, least);
    QFETCH(const double, most);
    m_fixture.window().openModels(model);
    QVERIFY(QTest::qWaitFor([&] { return m_fixture.explorer().model(Side::A)->name == model.toStdString(); },
                            testing::WindowFixture::kWait));
    QVERIFY(traced(head, {.around = EdgePage::Around::Feeding, .pair = {.other = OtherPrompt::Binding}}));
    QVERIFY2(edges().edges.size() > static_cast<std::size_t>(senders.size()), qPrintable(told()));
    QStringList strongest;
    for (qsizetype i = 0; i < senders.size(); ++i) {
        const widgets::GraphEdge& edge = edges().edges[static_cast<std::size_t>(i)];
        QCOMPARE(edges().receiver(edge), head + u'.' + through);
        QVERIFY2(edge.share > least && edge.share < most, qPrintable(told()));
        strongest.append(edges().sender(edge));
    }
    strongest.sort();
    QCOMPARE(strongest, senders);
    // A table of what a graph draws: as many, in the same order.
    QCOMPARE(view().table()->model()->rowCount(), static_cast<int>(edges().edges.size()));
    QVERIFY2(view().sentence().contains(senders.front()), qPrintable(view().sentence()));
    QCOMPARE(view().difference().count(u'['), 2); // both keys stand at the other's place
}

// What gathers keys feeds the query where another key is asked for, and the value comes from below where it is another.
void TestEdgeWindow::theExchangedPieceChoosesTheDoor()
{
    const auto strongest = [this](OtherPrompt other) {
        return traced(u"L2H5"_s, {.around = EdgePage::Around::Feeding, .pair = {.other = other}})
                   ? edges().sender(edges().edges.front()) + u' ' + edges().receiver(edges().edges.front())
                   : QString();
    };
    QCOMPARE(strongest(OtherPrompt::Key), u"L1H2 L2H5.q"_s);
    QCOMPARE(strongest(OtherPrompt::Value), u"L0.mlp L2H5.v"_s);
}

void TestEdgeWindow::theFirstLayerHearsTheEmbeddingAlone()
{
    QVERIFY(traced(u"L0H3"_s, {.around = EdgePage::Around::Feeding, .pair = {.other = OtherPrompt::Key}}));
    QCOMPARE(edges().edges.size(), std::size_t{3}); // through query, key and value; it has no gate
    for (const widgets::GraphEdge& edge : edges().edges)
        QCOMPARE(edges().sender(edge), u"embed"_s);
    QVERIFY2(view().sentence().contains(u"Only the embedding"_s), qPrintable(view().sentence()));
}

void TestEdgeWindow::mlpsLogitsAndTheEmbedding()
{
    QVERIFY(traced(u"L1.mlp"_s));
    QVERIFY2(find(u"L1H2"_s, u"L1.mlp"_s), qPrintable(told())); // heads of its own layer stand before it
    QVERIFY(find(u"L1.mlp"_s, u"logits"_s) && !find(u"L2H0"_s, u"L1.mlp"_s));
    QVERIFY(traced(u"logits"_s));
    // Into the logits an edge alone is what the part writes straight to them, MLPs among them.
    QVERIFY2(find(u"L2H5"_s, u"logits"_s) && find(u"L2H5"_s, u"logits"_s)->share > 0.1, qPrintable(told()));
    QVERIFY2(find(u"L1H2"_s, u"logits"_s)->share < find(u"L2H5"_s, u"logits"_s)->share / 2, qPrintable(told()));
    QVERIFY(traced(u"embed"_s));
    QVERIFY(!edges().edges.empty());
    for (const widgets::GraphEdge& edge : edges().edges)
        QCOMPARE(edges().sender(edge), u"embed"_s);
}

// Two runs are recorded, and each edge is one; gates are counted, which heads of this family turn out not to have.
void TestEdgeWindow::theCostIsToldBefore()
{
    const auto runs = [&] {
        if (!QTest::qWaitFor([&] { return view().cost().contains(u" passes"_s); }, testing::WindowFixture::kWait))
            return qint64{-1};
        static const QRegularExpression number(u"up to ([\\d,.\\s]+) passes"_s);
        return QLocale().toLongLong(number.match(view().cost()).captured(1));
    };
    for (const auto around : {EdgePage::Around::Both, EdgePage::Around::Feeding, EdgePage::Around::Listening}) {
        page().setChoice({.around = around});
        view().setPart(u"L2H4"_s);
        view().setPart(u"L2H5"_s); // asked anew
        QVERIFY(m_fixture.settled<app::EdgeCostRequest>());
        const qint64 told = runs();
        QVERIFY(traced(u"L2H5"_s, {.around = around}));
        const auto count = static_cast<qint64>(edges().edges.size());
        QVERIFY2(told >= count + 2 && told < 2 * (count + 2),
                 qPrintable(u"%1, %2 edges"_s.arg(view().cost()).arg(count)));
    }
    view().setPart(u"L9H9"_s);
    QVERIFY(QTest::qWaitFor([&] { return view().cost().isEmpty(); }, testing::WindowFixture::kWait));
}

void TestEdgeWindow::manyPairsHaveIntervals()
{
    QVERIFY(traced(u"L2H5"_s,
                   {.around = EdgePage::Around::Feeding, .pair = {.other = OtherPrompt::Binding, .many = true}}));
    QVERIFY2(view().sentence().contains(u"64 pairs"_s), qPrintable(view().sentence()));
    int spread = 0; // values that are the same for every pair have no interval
    for (const widgets::GraphEdge& edge : edges().edges)
        if (edge.hasInterval()) {
            ++spread;
            QVERIFY(edge.low <= edge.share && edge.share <= edge.high);
        }
    QVERIFY(spread > 4);
    const widgets::GraphEdge& first = edges().edges.front();
    QCOMPARE(edges().sender(first) + u' ' + edges().receiver(first), u"L1H2 L2H5.k"_s);
    QVERIFY2(first.low > 0.6 && first.high < 1, qPrintable(told()));
}

void TestEdgeWindow::aPartOfTheGraphIsAskedAbout()
{
    QVERIFY(traced(u"L2H5"_s, {.pair = {.other = OtherPrompt::Key}}));
    Q_EMIT view().partChosen(u"L1H2"_s);
    QCOMPARE(m_fixture.window().state()->side(Side::A).head, (interventions::HeadRef{1, interventions::Site::Any, 2}));
    QVERIFY(m_fixture.settled<app::EdgeQuestion>());
    QCOMPARE(edges().parts[static_cast<std::size_t>(edges().asked)].name, u"L1H2"_s);
    Q_EMIT view().partChosen(u"logits"_s); // no head: the map stays at the one before
    QVERIFY(m_fixture.settled<app::EdgeQuestion>());
    QCOMPARE(m_fixture.window().state()->side(Side::A).head.head, 2);
    QCOMPARE(view().part(), u"logits"_s);
    m_fixture.window().state()->setHead(Side::A, {2, interventions::Site::Any, 5});
    QCOMPARE(view().part(), u"L2H5"_s); // the head that is shown is the one that is asked about
}

void TestEdgeWindow::savesNumbersAndPictures()
{
    QVERIFY(traced(u"L2H5"_s, {.pair = {.other = OtherPrompt::Key}}));
    const gui::EdgeController& controller = m_fixture.explorer().controllers().edges;
    for (const char* name : {"edges.csv", "edges.pdf", "edges.svg", "edges.png"}) {
        const auto written = controller.write(Side::A, m_fixture.file(QLatin1String(name)));
        QVERIFY2(written.has_value(), written.has_value() ? "" : written.error().message.c_str());
    }
    const auto csv = io::readTextFile(m_fixture.file(u"edges.csv"_s).toStdString());
    QVERIFY(csv.has_value()
            && csv->starts_with("sender,receiver,change,share,low,high,pairs,clean,corrupt,answer,distractor\n"));
    QVERIFY(csv->find("\nL1H2,L2H5.k,") != std::string::npos);
    QVERIFY(std::ranges::count(*csv, '\n') >= std::ssize(edges().edges) + 1); // prompts may have several lines
    const auto svg = io::readTextFile(m_fixture.file(u"edges.svg"_s).toStdString());
    QVERIFY(svg.has_value() && svg->find("L2H5") != std::string::npos); // real text
    const auto wrong = controller.write(Side::A, m_fixture.file(u"edges.doc"_s));
    QVERIFY(!wrong.has_value() && wrong.error().message.find(".csv") != std::string::npos);
}

void TestEdgeWindow::stopKeepsWhatIsThere()
{
    page().setChoice({.pair = {.other = OtherPrompt::Key, .many = true}});
    Q_EMIT page().startRequested();
    Q_EMIT page().stopRequested();
    QVERIFY(m_fixture.settled<app::EdgeQuestion>());
    QVERIFY2(!edges().edges.empty() || view().sentence().contains(u"Stopped"_s), qPrintable(view().sentence()));
    QVERIFY(!page().findChild<QPushButton*>(u"stop"_s)->isEnabled());
}

void TestEdgeWindow::refusesWithASentence_data()
{
    QTest::addColumn<QString>("part");
    QTest::addColumn<EdgePage::Around>("around");
    QTest::addColumn<QString>("expected");
    QTest::newRow("no such head") << u"L9H1"_s << EdgePage::Around::Both << u"There is no part “L9H1”"_s;
    QTest::newRow("no such MLP") << u"L4.mlp"_s << EdgePage::Around::Both << u"There is no part “L4.mlp”"_s;
    QTest::newRow("no name at all") << u"<b>gather</b>"_s << EdgePage::Around::Both << u"<b>gather</b>"_s;
    QTest::newRow("nothing") << QString() << EdgePage::Around::Both << u"expected a head"_s;
    QTest::newRow("before the embedding") << u"embed"_s << EdgePage::Around::Feeding << u"later layer"_s;
    QTest::newRow("behind the logits") << u"logits"_s << EdgePage::Around::Listening << u"what feeds them"_s;
}

void TestEdgeWindow::refusesWithASentence()
{
    QFETCH(const QString, part);
    QFETCH(const EdgePage::Around, around);
    QFETCH(const QString, expected);
    QVERIFY(traced(part, {.around = around, .pair = {.other = OtherPrompt::Key}}));
    QVERIFY(edges().edges.empty());
    QVERIFY2(view().sentence().contains(expected), qPrintable(view().sentence()));
    QVERIFY(!m_fixture.explorer().controllers().edges.write(Side::A, m_fixture.file(u"none.csv"_s)).has_value());
}

void TestEdgeWindow::anAblationForgetsTheEdges()
{
    QVERIFY(traced(u"L2H5"_s, {.pair = {.other = OtherPrompt::Binding}}));
    QVERIFY(!edges().edges.empty());
    const double before = find(u"L1H2"_s, u"L2H5.k"_s)->change;
    m_fixture.ablate("L1H2");
    QVERIFY(edges().edges.empty()); // they were of another state
    QVERIFY(traced(u"L2H5"_s, {.pair = {.other = OtherPrompt::Binding}}));
    // What is ablated sends nothing.
    QVERIFY2(std::abs(before) > 1 && std::abs(find(u"L1H2"_s, u"L2H5.k"_s)->change) < 1e-4, qPrintable(told()));
    m_fixture.ablate("");
}

void TestEdgeWindow::promptsThatCanNotBeComparedAreASentence_data()
{
    QTest::addColumn<QString>("written"); // empty: the prompt itself
    QTest::addColumn<QString>("expected");
    QTest::newRow("another length") << u"<s> The color of Ada is"_s << u"tokens"_s;
    QTest::newRow("the same answer") << QString() << u"answers differently"_s;
}

void TestEdgeWindow::promptsThatCanNotBeComparedAreASentence()
{
    QFETCH(const QString, written);
    QFETCH(const QString, expected);
    const QString other = written.isEmpty() ? QString::fromStdString(m_fixture.explorer().prompt().text) : written;
    QVERIFY(traced(u"L2H5"_s, {.pair = {.other = OtherPrompt::Written, .written = other}}));
    QVERIFY(edges().edges.empty());
    QVERIFY2(view().sentence().contains(expected), qPrintable(view().sentence()));
}

// Zamba2's shared attention feeds its layer's Mamba and writes nothing into the stream itself.
void TestEdgeWindow::aPartThatWritesNothingIsNamed()
{
    const QString golden = QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/golden/zamba2/"),
                  shipped = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer/tokenizer.json"),
                  folder = m_fixture.file(u"zamba2"_s);
    QVERIFY(QDir().mkpath(folder));
    for (const QString& name : {u"config.json"_s, u"model.safetensors"_s})
        QVERIFY(QFile::copy(golden + name, folder + u'/' + name));
    QFile words(shipped), own(folder + u"/tokenizer.json"_s);
    QVERIFY(words.open(QIODevice::ReadOnly) && own.open(QIODevice::WriteOnly));
    QJsonObject tokenizer = QJsonDocument::fromJson(words.readAll()).object(), model = tokenizer[u"model"_s].toObject(),
                vocabulary;
    const QJsonObject all = model[u"vocab"_s].toObject();
    for (auto word = all.begin(); word != all.end(); ++word)
        if (word.value().toInt() < 63) // it has 64 words
            vocabulary[word.key()] = word.value();
    vocabulary[u"<unk>"_s] = 63;
    model[u"vocab"_s] = vocabulary;
    tokenizer[u"model"_s] = model;
    own.write(QJsonDocument(tokenizer).toJson());
    own.close();
    m_fixture.window().openModels(folder);
    QVERIFY(QTest::qWaitFor([&] { return m_fixture.explorer().model(Side::A)->name == "zamba2"; },
                            testing::WindowFixture::kWait));
    m_fixture.explorer().usePrompt({.text = "<s> The color of Ada is"});
    const widgets::PairChoice pair{.other = OtherPrompt::Written, .written = u"<s> The home of Ben is"_s};
    QVERIFY(traced(u"L1A0"_s, {.around = EdgePage::Around::Listening, .pair = pair}));
    QVERIFY2(view().sentence().contains(u"writes nothing into the stream itself"_s), qPrintable(view().sentence()));
    QVERIFY(traced(u"logits"_s, {.around = EdgePage::Around::Feeding, .pair = pair}));
    QVERIFY(!edges().edges.empty());
    for (const widgets::GraphEdge& edge : edges().edges)
        QVERIFY2(!edges().sender(edge).startsWith(u"L1A"_s), qPrintable(told())); // not with a 0 either
    m_fixture.window().act(u"why"_s);
    QVERIFY(m_fixture.settled<app::DirectRequest>());
    const widgets::WhyView& why = *m_fixture.window().parts().why->view(Side::A);
    QVERIFY(!why.parts()->bars().empty());
    for (const widgets::PartRow& part : why.parts()->bars())
        QVERIFY(!part.name.startsWith(u"L1A"_s));
    QVERIFY(std::ranges::any_of(why.findChildren<QLabel*>(), [](const QLabel* label) {
        return label->text().contains(u"no contribution of their own"_s);
    }));
}

QTEST_MAIN(TestEdgeWindow)
#include "tst_edgewindow.moc"
