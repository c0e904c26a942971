// SPDX-License-Identifier: GPL-3.0-or-later
// A survey says what plain computation says on texts small enough for it, for attention, SSM and both; and it says the
// same, bit for bit, however it is cut up. Texts are read as they are, and what is none is refused in a sentence.
#include "core/analysis/patternscores.h"
#include "core/lm/load.h"
#include "core/survey/loss.h"
#include "core/survey/similar.h"
#include "core/survey/survey.h"
#include "core/survey/texts/filter.h"
#include "tests/support/goldens.h"
#include "tests/support/sanitized.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace headscope;
using namespace headscope::survey;
using lm::Site;
namespace fs = std::filesystem;

namespace {

struct Shipped {
    std::shared_ptr<const lm::Model> model;
    std::shared_ptr<const text::Tokenizer> tokenizer;

    explicit Shipped(const QString& name)
    {
        const fs::path folder = goldens::kSource / "resources/models" / name.toStdString();
        model = lm::load(folder, {"cpu", "fp32"})->model;
        tokenizer = *text::Tokenizer::load(folder);
    }
    /// Words of the vocabulary in lines of different lengths, the same for the same seed.
    std::string words(int count, unsigned seed) const
    {
        std::mt19937 random(seed);
        std::string text;
        for (int i = 0; i < count; ++i) {
            const auto most = static_cast<unsigned>(std::min(40, model->spec().vocabulary - 5));
            const int id = 5 + static_cast<int>(random() % most); // few, so that words repeat
            text += *tokenizer->tokenOf(id) + (random() % 9 == 0 ? " \n " : " ");
        }
        return text;
    }
    lm::Edits base(const char* ablation = "") const
    {
        return lm::resolve(*interventions::InterventionSet::parse(ablation), model->spec()).value();
    }
};

void write(const QString& path, const std::string& text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text.data(), static_cast<qint64>(text.size())), static_cast<qint64>(text.size()));
}

std::shared_ptr<const TextSource> sourceOf(const QString& path)
{
    const fs::path paths[] = {path.toStdString()};
    return std::make_shared<TextSource>(TextSource::open(paths, {}).value());
}

std::string whyNot(const QString& path)
{
    const fs::path paths[] = {path.toStdString()};
    const auto source = TextSource::open(paths, {});
    return source.has_value() ? "" : source.error().message;
}

/// Every value that a metric has, by plain computation, of one head.
struct Plain {
    std::array<std::vector<double>, kMetricCount> values;
    std::array<double, kDistances> profile{};
    int rows = 0;

    void add(const Matrix& m, const WindowFacts& facts)
    {
        using analysis::massOn;
        for (int t = 1; t < m.rows; ++t) {
            const auto row = m.row(t);
            const analysis::RowScores scores = analysis::rowScores(row, t);
            put(Metric::Entropy, scores.entropy);
            put(Metric::EffectiveTokens, scores.effectiveTokens);
            put(Metric::First, scores.sinkMass);
            put(Metric::Diagonal, scores.diagonalMass);
            put(Metric::Previous, massOn(row, t - 1, t));
            double duplicate = 0, induction = 0, aggregate = 0;
            bool repeated = false, closed = false;
            for (int s = 0; s < t; ++s) {
                if (facts.ids[static_cast<std::size_t>(s)] == facts.ids[static_cast<std::size_t>(t)]) {
                    repeated = true;
                    duplicate += massOn(row, s, s + 1);
                    induction += s + 1 < t ? massOn(row, s + 1, s + 2) : 0;
                }
                if (facts.segmentBegin[static_cast<std::size_t>(s)] >= 0) {
                    closed = true;
                    aggregate += massOn(row, s, s + 1);
                }
            }
            if (repeated) {
                put(Metric::Duplicate, duplicate);
                put(Metric::Induction, induction);
            }
            if (closed)
                put(Metric::Aggregate, aggregate);
            if (const int begin = facts.segmentBegin[static_cast<std::size_t>(t)]; begin >= 0 && begin < t)
                put(Metric::Gather, massOn(row, begin, t));
            for (int s = 0; s <= t; ++s)
                profile[distancePlace(t - s)] += massOn(row, s, s + 1);
            ++rows;
        }
    }
    void put(Metric metric, double value) { values[indexOf(metric)].push_back(value); }
};

double meanOf(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double deviationOf(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += (value - meanOf(values)) * (value - meanOf(values));
    return values.size() < 2 ? 0 : std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// What every head of a layer does on one window, with nothing of the survey's own code.
std::map<std::pair<int, Site>, at::Tensor> matricesOf(const Shipped& shipped, const std::vector<int>& ids,
                                                      std::map<std::pair<int, Site>, at::Tensor>* z = nullptr,
                                                      std::vector<at::Tensor>* streams = nullptr)
{
    lm::Capture capture;
    capture.residual = true;
    for (std::size_t layer = 0; layer < shipped.model->spec().layers.size(); ++layer)
        for (const lm::MixerSpec& mixer : shipped.model->spec().layers[layer].mixers) {
            auto& site = capture.sites[{static_cast<int>(layer), mixer.site()}];
            site.wantMatrix = site.wantZ = true;
        }
    const lm::Edits base = shipped.base();
    (void)shipped.model->logits(at::tensor(std::vector<std::int64_t>(ids.begin(), ids.end()), at::kLong).unsqueeze(0),
                                {.edits = &base, .capture = &capture});
    std::map<std::pair<int, Site>, at::Tensor> matrices;
    for (auto& [where, site] : capture.sites) {
        matrices[where] = site.matrix;
        if (z)
            (*z)[where] = site.z;
    }
    if (streams)
        *streams = capture.residuals;
    return matrices;
}

Matrix hostMatrix(const at::Tensor& m)
{
    const at::Tensor host = m.contiguous();
    Matrix out(static_cast<int>(m.size(0)), static_cast<int>(m.size(1)));
    std::copy_n(host.const_data_ptr<float>(), out.values.size(), out.values.begin());
    return out;
}

void runAll(Survey& survey)
{
    for (bool more = true; more;) {
        const auto went = survey.step();
        QVERIFY2(went.has_value(), went.has_value() ? "" : went.error().message.c_str());
        more = *went;
    }
}

} // namespace

class TestSurvey : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_noGrad.emplace(); }
    void saysWhatPlainComputationSays_data() { models(); }
    void saysWhatPlainComputationSays();
    void writtenNormsAreThoseOfHeadsAlone_data() { models(); }
    void writtenNormsAreThoseOfHeadsAlone();
    void goingOnChangesNoBit_data() { models(); }
    void goingOnChangesNoBit();
    void blocksMeasuredAloneChangeNoBit_data() { models(); }
    void blocksMeasuredAloneChangeNoBit();
    void aBatchThatIsStoppedCountsNothing();
    void someHeadsAreThoseOfAll();
    void partsAreTheWhole_data();
    void partsAreTheWhole();
    void placesAreWhereTheMetricIsLargest();
    void placesDoNotDependOnTheOrder();
    void quantilesAreRightToATwentieth();
    void packedHeadsComeBackAndDamageIsRefused();
    void sizeDoesNotGrowWithTheTexts();
    void piecesAreTheTextsByteForByte();
    void windowsAreThoseOfTheSeed();
    void wordsOutsideTheVocabularyAreLeftOutAndCounted();
    void segmentsAreThoseOfTheText();
    void lossIsThatOfRunsWithoutTheHead_data() { models(); }
    void lossIsThatOfRunsWithoutTheHead();
    void intervalsOverFewWindowsAreStudents();
    void filtersSayWhichHeadsFit_data();
    void filtersSayWhichHeadsFit();
    void filtersThatCanNotBeReadAreRefused();
    void similarHeadsAreTheNearest();
    void refusesWhatIsNoText_data();
    void refusesWhatIsNoText();
    void refusesWindowsAndHeadsThatTheModelHasNot();

private:
    static void models()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"tiny-hybrid", "tiny-ssm", "tiny-transformer"})
            if (!testing::kSanitized || name[5] == 'h') // which has both kinds of layers
                QTest::newRow(name) << QString::fromLatin1(name);
    }
    QString textsOf(const Shipped& shipped, int files, int words)
    {
        auto* folder = new QTemporaryDir;
        m_folders.emplace_back(folder);
        for (int i = 0; i < files; ++i)
            write(folder->filePath(QStringLiteral("%1.txt").arg(i)), shipped.words(words, static_cast<unsigned>(i)));
        return folder->path();
    }
    Survey surveyOf(const Shipped& shipped, const QString& texts, int window = 24, std::int64_t tokens = 0,
                    SurveyOptions options = {})
    {
        Windows windows(sourceOf(texts), shipped.tokenizer,
                        {.length = window, .tokens = tokens, .seed = 3, .start = 0});
        return std::move(*Survey::make(shipped.model, shipped.base(), std::move(windows), std::move(options)));
    }
    std::optional<at::NoGradGuard> m_noGrad;
    std::vector<std::unique_ptr<QTemporaryDir>> m_folders;
};

void TestSurvey::saysWhatPlainComputationSays()
{
    QFETCH(QString, name);
    const Shipped shipped(name);
    const QString texts = textsOf(shipped, 3, 90);
    Survey survey = surveyOf(shipped, texts);
    runAll(survey);

    Windows windows(sourceOf(texts), shipped.tokenizer, {.length = 24, .tokens = 0, .seed = 99, .start = 0});
    std::vector<Plain> plain(survey.heads().size());
    std::int64_t tokens = 0;
    for (auto window = *windows.next(); window; window = *windows.next()) {
        tokens += static_cast<std::int64_t>(window->facts.ids.size());
        const auto matrices = matricesOf(shipped, window->facts.ids);
        for (std::size_t i = 0; i < plain.size(); ++i) {
            const SurveyedHead& head = survey.heads()[i];
            plain[i].add(hostMatrix(matrices.at({head.layer, head.site})[0][head.head]), window->facts);
        }
    }
    QCOMPARE(survey.state().measured.tokens, tokens);
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const HeadSurvey& measured = survey.results()[i];
        QCOMPARE(measured.rows(), static_cast<std::int64_t>(plain[i].rows));
        for (int m = 0; m < static_cast<int>(Metric::Norm); ++m) {
            const Distribution& seen = measured.of(static_cast<Metric>(m));
            const std::vector<double>& expected = plain[i].values[static_cast<std::size_t>(m)];
            const auto say = [&] { return QByteArray(kMetricNames[static_cast<std::size_t>(m)]); };
            QVERIFY2(seen.count() == static_cast<std::int64_t>(expected.size()) && !expected.empty(), say());
            const double near = m == static_cast<int>(Metric::EffectiveTokens) ? 1e-3 : 1e-4;
            QVERIFY2(std::abs(seen.mean() - meanOf(expected)) < near, say());
            QVERIFY2(std::abs(seen.deviation() - deviationOf(expected)) < near, say());
            QVERIFY2(std::abs(seen.largest() - *std::max_element(expected.begin(), expected.end())) < 2 * near, say());
        }
        double whole = 0;
        for (std::size_t d = 0; d < kDistances; ++d) {
            whole += measured.profile()[d];
            QVERIFY(std::abs(measured.profile()[d] - plain[i].profile[d] / plain[i].rows) < 1e-4);
        }
        QVERIFY(std::abs(whole - 1) < 1e-4);
    }
}

// A head's write is what the layer adds with this head alone less what it adds with none.
void TestSurvey::writtenNormsAreThoseOfHeadsAlone()
{
    QFETCH(QString, name);
    const Shipped shipped(name);
    const QString texts = textsOf(shipped, 1, 20);
    Survey survey = surveyOf(shipped, texts);
    runAll(survey);
    Windows windows(sourceOf(texts), shipped.tokenizer, {.length = 24, .tokens = 0, .seed = 3, .start = 0});
    const auto window = *windows.next();
    std::vector<at::Tensor> streams;
    std::map<std::pair<int, Site>, at::Tensor> z;
    (void)matricesOf(shipped, window->facts.ids, &z, &streams);
    const lm::Edits base = shipped.base();
    const why::LayerRun run(*shipped.model, base, streams[0]);
    for (std::size_t i = 0; i < survey.heads().size(); ++i) {
        const auto [layer, site, head] = survey.heads()[i];
        const at::Tensor& stream = streams[static_cast<std::size_t>(layer)];
        const int heads = run.mixer(layer, site).heads;
        lm::LayerEdits alone, none;
        alone.site(site).scale = at::zeros({heads});
        alone.site(site).scale[head] = 1.0;
        none.site(site).scale = at::zeros({heads});
        // In a layer of two mixers the other writes the same both times.
        const at::Tensor wrote = run.behindMixer(stream, layer, alone) - run.behindMixer(stream, layer, none);
        const at::Tensor share = wrote[0].norm(2, -1) / stream[0].norm(2, -1);
        const at::Tensor norm =
            z.at({layer, site})[0].unflatten(1, {heads, -1}).select(1, head).to(at::kFloat).norm(2, -1);
        const auto rows = share.size(0);
        const auto near = [&](Metric metric, const at::Tensor& expected) {
            const double mean = expected.narrow(0, 1, rows - 1).mean().item<double>();
            const double seen = survey.results()[i].of(metric).mean();
            return std::abs(seen - mean) < 1e-3 * std::max(1.0, mean);
        };
        QVERIFY(near(Metric::Norm, norm));
        QVERIFY(near(Metric::StreamShare, share));
    }
}

void TestSurvey::goingOnChangesNoBit()
{
    QFETCH(QString, name);
    const Shipped shipped(name);
    const QString texts = textsOf(shipped, 3, 3500); // more than one block
    Survey whole = surveyOf(shipped, texts);
    runAll(whole);

    // Put away after every fifth batch, and taken up by a survey that has seen nothing.
    Survey part = surveyOf(shipped, texts);
    int batches = 0;
    for (bool more = true; more; ++batches) {
        more = *part.step();
        if (batches % 5 != 4)
            continue;
        std::vector<HeadSurvey> results;
        for (const HeadSurvey& head : part.results())
            results.push_back(*HeadSurvey::unpack(head.pack(), {}));
        const SurveyState state = part.state();
        part = surveyOf(shipped, texts);
        const auto on = part.resume(state, std::move(results));
        QVERIFY2(on.has_value(), on.has_value() ? "" : on.error().message.c_str());
    }
    QVERIFY(batches > 6);
    QVERIFY(part.state().measured == whole.state().measured);
    QVERIFY(part.results() == whole.results());
}

void TestSurvey::blocksMeasuredAloneChangeNoBit()
{
    QFETCH(QString, name);
    const Shipped shipped(name);
    const QString texts = textsOf(shipped, 3, 3500);
    Survey whole = surveyOf(shipped, texts);
    runAll(whole);
    // Each by a survey of its own that has seen others before, the last ones first.
    const auto begins = surveyOf(shipped, texts).blocks({});
    QVERIFY(begins.has_value() && begins->size() > 2);
    std::map<std::size_t, SurveyedBlock> blocks;
    Survey other = surveyOf(shipped, texts);
    for (std::size_t block = begins->size() - 1; block-- > 1;) {
        blocks[block] = *other.measureBlock((*begins)[block], {});
        QCOMPARE(other.state().measured.tokens, 0);
        QCOMPARE(other.results()[0].rows(), 0);
    }
    // One that measures the first itself takes in the others.
    Survey part = surveyOf(shipped, texts);
    QVERIFY(part.blockDone());
    do {
        QVERIFY(*part.step());
    } while (!part.blockDone());
    for (const auto& [block, measured] : blocks) {
        std::vector<HeadSurvey> heads;
        for (const HeadSurvey& head : measured.heads)
            heads.push_back(*HeadSurvey::unpack(head.pack(), {}));
        const auto taken = part.take({std::move(heads), measured.measured});
        QVERIFY2(taken.has_value(), taken.has_value() ? "" : taken.error().message.c_str());
    }
    QVERIFY(!*part.step());
    QVERIFY(part.state() == whole.state());
    QVERIFY(part.results() == whole.results());
    QVERIFY(!part.take(blocks.rbegin()->second).has_value()); // there are no more texts
}

void TestSurvey::aBatchThatIsStoppedCountsNothing()
{
    const Shipped shipped(QStringLiteral("tiny-transformer"));
    Survey survey = surveyOf(shipped, textsOf(shipped, 1, 300));
    Survey other = surveyOf(shipped, textsOf(shipped, 1, 300));
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = survey.step({stop.get_token(), {}});
    QVERIFY(!stopped.has_value() && stopped.error().kind == Error::Kind::Cancelled);
    QCOMPARE(survey.results()[0].rows(), 0);
    runAll(survey);
    runAll(other);
    QVERIFY(survey.results() == other.results());
}

void TestSurvey::someHeadsAreThoseOfAll()
{
    const Shipped shipped(QStringLiteral("tiny-transformer"));
    const QString texts = textsOf(shipped, 2, 200);
    Survey all = surveyOf(shipped, texts);
    Survey some = surveyOf(shipped, texts, 24, 0, {.heads = {{2, Site::Any, 5}, {1, Site::Any, -1}}});
    runAll(all);
    runAll(some);
    QCOMPARE(some.heads().size(), 9U);
    for (std::size_t i = 0; i < some.heads().size(); ++i) {
        const auto at = std::find(all.heads().begin(), all.heads().end(), some.heads()[i]) - all.heads().begin();
        const HeadSurvey &a = all.results()[static_cast<std::size_t>(at)], &b = some.results()[i];
        QCOMPARE(b.rows(), a.rows());
        // Batches are larger, so that sums of products may be rounded otherwise.
        QVERIFY(std::abs(a.of(Metric::Entropy).mean() - b.of(Metric::Entropy).mean()) < 1e-5);
        QVERIFY(std::abs(a.of(Metric::Induction).mean() - b.of(Metric::Induction).mean()) < 1e-5);
    }
}

void TestSurvey::partsAreTheWhole_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("masked");
    for (const std::string& name : goldens::models()) {
        QTest::newRow(name.c_str()) << QString::fromStdString(name) << false;
        QTest::newRow((name + ", masked").c_str()) << QString::fromStdString(name) << true;
    }
    QVERIFY(goldens::models().size() >= 66);
}

// Windows whose matrices are too large for memory are measured some rows at a time; in every family.
void TestSurvey::partsAreTheWhole()
{
    QFETCH(const QString, name);
    QFETCH(const bool, masked);
    Shipped shipped(QStringLiteral("tiny-transformer")); // for its words
    shipped.model = lm::load(goldens::own("golden") / name.toStdString(), {"cpu", "fp32"})->model;
    const QString texts = textsOf(shipped, 1, 100);
    const int most = shipped.model->spec().maxPositions, window = most > 0 ? std::min(most, 50) : 50;
    lm::Edits base = shipped.base(); // what hides entries has to be there for each part
    for (int layer = 0; layer < base.layerCount; ++layer)
        for (const lm::MixerSpec& mixer : shipped.model->spec().layers[static_cast<std::size_t>(layer)].mixers)
            base.layers[layer].site(mixer.site()).spans.push_back({-1, {12, 20}, {2, 9}});
    const auto survey = [&](SurveyOptions options) {
        Windows windows(sourceOf(texts), shipped.tokenizer, {.length = window, .tokens = 0, .seed = 3, .start = 0});
        return std::move(*Survey::make(shipped.model, masked ? base : shipped.base(), std::move(windows), options));
    };
    Survey whole = survey({}), parts = survey({.atOnce = 700});
    runAll(whole);
    runAll(parts);
    QCOMPARE(parts.results().size(), whole.results().size());
    for (std::size_t i = 0; i < whole.results().size(); ++i) {
        const HeadSurvey &a = whole.results()[i], &b = parts.results()[i];
        QCOMPARE(b.rows(), a.rows());
        QVERIFY(a.rows() >= 90);
        for (std::size_t m = 0; m < kMetricCount; ++m) {
            const auto metric = static_cast<Metric>(m);
            const double one = a.of(metric).mean(), other = b.of(metric).mean();
            QVERIFY2(std::abs(one - other) <= 2e-5 * std::max(1.0, std::abs(one)),
                     qPrintable(QStringLiteral("head %1 %2: %3 and %4")
                                    .arg(i)
                                    .arg(QLatin1String(survey::name(metric)))
                                    .arg(one)
                                    .arg(other)));
        }
        for (std::size_t d = 0; d < kDistances; ++d)
            QVERIFY(std::abs(a.profile()[d] - b.profile()[d]) < 2e-5);
    }
}

void TestSurvey::placesAreWhereTheMetricIsLargest()
{
    const Shipped shipped(QStringLiteral("tiny-transformer"));
    const QString texts = textsOf(shipped, 3, 200);
    Survey survey = surveyOf(shipped, texts);
    runAll(survey);
    for (const std::size_t head : {0U, 13U, 31U}) {
        const HeadSurvey& measured = survey.results()[head];
        const auto& places = measured.top(Metric::Previous).places();
        QCOMPARE(places.size(), 5U);
        QCOMPARE(static_cast<double>(places[0].value), measured.of(Metric::Previous).largest());
        for (const Place& place : places) {
            const Window window = *survey.windows().again(place.piece, place.window);
            const auto matrices = matricesOf(shipped, window.facts.ids);
            const SurveyedHead& one = survey.heads()[head];
            const Matrix matrix = hostMatrix(matrices.at({one.layer, one.site})[0][one.head]);
            const auto t = static_cast<int>(place.position);
            QVERIFY(std::abs(analysis::massOn(matrix.row(t), t - 1, t) - static_cast<double>(place.value)) < 1e-4);
            const auto reads = analysis::topEntries(matrix.row(t), 1);
            QVERIFY(std::abs(static_cast<double>(place.reads[0].share) - reads[0].share) < 1e-4);
            QCOMPARE(place.reads[0].token, static_cast<std::uint32_t>(reads[0].token));
        }
        QCOMPARE(measured.sample(Metric::Previous).places().size(), 24U);
        const auto ordinary = measured.sample(Metric::Previous).stratified(5);
        QCOMPARE(ordinary.size(), 5U);
        QVERIFY(std::is_sorted(ordinary.begin(), ordinary.end(),
                               [](const Place& a, const Place& b) { return a.value < b.value; }));
    }
}

void TestSurvey::placesDoNotDependOnTheOrder()
{
    std::vector<Place> places;
    for (std::uint32_t i = 0; i < 500; ++i)
        places.push_back({static_cast<float>(i % 7), i / 10, i % 10, i});
    const auto keep = [](const std::vector<Place>& all) {
        std::pair<TopPlaces, SampledPlaces> kept{TopPlaces(6), SampledPlaces(20)};
        for (const Place& place : all) {
            if (kept.first.wants(place))
                kept.first.add(place);
            const std::uint64_t draw = drawOf(5, place.piece, place.window, place.position);
            if (kept.second.wants(draw))
                kept.second.add(place, draw);
        }
        return kept;
    };
    const auto forward = keep(places);
    Place late{6, 99, 9, 9, {}}, early{6, 0, 0, 0, {}}; // as large as the smallest kept, behind it and before it
    QVERIFY(!forward.first.wants(late) && forward.first.wants(early));
    std::reverse(places.begin(), places.end());
    QVERIFY(keep(places) == forward);
    std::shuffle(places.begin(), places.end(), std::mt19937(1));
    QVERIFY(keep(places) == forward);
    QCOMPARE(forward.first.places()[0].value, 6.0F);
    QCOMPARE(forward.first.places()[0].position, 6U); // of equal values the earliest
    QCOMPARE(forward.second.places().size(), 20U);
}

void TestSurvey::quantilesAreRightToATwentieth()
{
    std::mt19937_64 random(4);
    for (const double scale : {1e-4, 0.3, 900.0}) {
        Distribution seen;
        std::vector<double> values;
        for (int i = 0; i < 20000; ++i) {
            const double u = static_cast<double>(random() >> 11) / 9007199254740992.0;
            values.push_back(static_cast<double>(static_cast<float>(scale * u * u)));
            seen.add(static_cast<float>(values.back()));
        }
        seen.add(std::numeric_limits<float>::quiet_NaN());
        QCOMPARE(seen.count(), 20000);
        std::sort(values.begin(), values.end());
        for (const double q : {0.05, 0.25, 0.5, 0.75, 0.95, 0.99}) {
            const double exact = values[static_cast<std::size_t>(q * 19999)];
            QVERIFY2(std::abs(seen.quantile(q) - exact) < exact / 20 + 2e-6, qPrintable(QString::number(q)));
        }
        QCOMPARE(seen.quantile(1), seen.largest());
        QVERIFY(std::abs(seen.mean() - meanOf(values)) < 1e-9 * scale);
        QVERIFY(std::abs(seen.deviation() - deviationOf(values)) < 1e-6 * scale);
    }
    QCOMPARE(Distribution().quantile(0.5), 0.0);
}

void TestSurvey::packedHeadsComeBackAndDamageIsRefused()
{
    const Shipped shipped(QStringLiteral("tiny-hybrid"));
    Survey survey = surveyOf(shipped, textsOf(shipped, 1, 120));
    runAll(survey);
    const std::string bytes = survey.results()[5].pack();
    QVERIFY(*HeadSurvey::unpack(bytes, {}) == survey.results()[5]);
    for (std::size_t length = 0; length < bytes.size(); length += 97)
        QVERIFY(!HeadSurvey::unpack(bytes.substr(0, length), {}).has_value());
    QVERIFY(!HeadSurvey::unpack(bytes + "x", {}).has_value());
    QVERIFY(!HeadSurvey::unpack(bytes, {.top = 2, .sample = 3}).has_value());
}

void TestSurvey::sizeDoesNotGrowWithTheTexts()
{
    const Shipped shipped(QStringLiteral("tiny-transformer"));
    Survey few = surveyOf(shipped, textsOf(shipped, 2, 2000)), many = surveyOf(shipped, textsOf(shipped, 10, 2000));
    runAll(few);
    runAll(many);
    QVERIFY(many.results()[3].rows() > 4 * few.results()[3].rows());
    for (std::size_t i = 0; i < many.results().size(); ++i)
        QVERIFY(std::cmp_less_equal(many.results()[i].pack().size(), headBytes({})));
}

void TestSurvey::piecesAreTheTextsByteForByte()
{
    const QTemporaryDir folder;
    std::string lines, run(300'000, 'x'), wide;
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i)
        lines += std::string(random() % 60, 'a' + static_cast<char>(random() % 26)) + "\n";
    for (int i = 0; i < 40000; ++i)
        wide += "\xE4\xB8\xAD"; // no blank anywhere
    QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("deep/er")));
    write(folder.filePath(QStringLiteral("a.txt")), lines);
    write(folder.filePath(QStringLiteral("b.txt")), run);
    write(folder.filePath(QStringLiteral("deep/er/c.txt")), wide);
    write(folder.filePath(QStringLiteral("d.jsonl")), "{\"text\": \"one\\u00e9\"}\n\n\"two\"\n{\"prompt\":\"three\"}");
    write(folder.filePath(QStringLiteral("other.md")), std::string(3, '\0'));
    const auto source = sourceOf(folder.path());
    QCOMPARE(source->files(), 4U);
    std::string together;
    std::vector<std::string> json;
    for (std::size_t i = 0; i < source->pieces(); ++i) {
        const PieceText piece = *source->read(i);
        QVERIFY(piece.text.size() <= 32 * 1024);
        if (piece.name.starts_with("d.jsonl"))
            json.push_back(piece.text);
        else
            together += piece.text;
    }
    QVERIFY(together == lines + run + wide);
    QVERIFY((json == std::vector<std::string>{"one\xC3\xA9", "two", "three"}));
    QCOMPARE(sourceOf(folder.path())->hash(), source->hash());
    write(folder.filePath(QStringLiteral("a.txt")), lines + "z");
    QVERIFY(sourceOf(folder.path())->hash() != source->hash());
}

void TestSurvey::windowsAreThoseOfTheSeed()
{
    const Shipped shipped(QStringLiteral("tiny-transformer"));
    const auto source = sourceOf(textsOf(shipped, 8, 400));
    const auto all = [&](std::uint64_t seed, std::int64_t tokens) {
        Windows windows(source, shipped.tokenizer, {.length = 32, .tokens = tokens, .seed = seed, .start = 0});
        std::vector<std::pair<std::uint32_t, std::vector<int>>> found;
        for (auto window = *windows.next(); window; window = *windows.next())
            found.emplace_back(window->piece, window->facts.ids);
        return found;
    };
    const auto one = all(1, 0);
    QVERIFY(one == all(1, 0));
    QVERIFY(one != all(2, 0));
    QCOMPARE(one.size(), all(2, 0).size());
    QCOMPARE(all(1, 320).size(), 10U);
    for (const auto& [piece, ids] : one) {
        QVERIFY(ids.size() <= 32);
        QCOMPARE(ids.front(), 0);
    }
    // From the middle on.
    Windows reader(source, shipped.tokenizer, {.length = 32, .tokens = 0, .seed = 1, .start = 0});
    for (int i = 0; i < 17; ++i)
        (void)*reader.next();
    Windows other(source, shipped.tokenizer, {.length = 32, .tokens = 0, .seed = 1, .start = 0});
    QVERIFY(other.goTo(reader.position()).has_value());
    QVERIFY((*other.next())->facts.ids == one[17].second);
}

void TestSurvey::wordsOutsideTheVocabularyAreLeftOutAndCounted()
{
    const Shipped shipped(QStringLiteral("tiny-transformer"));
    QTemporaryDir folder;
    write(folder.filePath(QStringLiteral("a.txt")), "The value of gramophone the\nkey is zzz The key of the value\n");
    Windows windows(sourceOf(folder.path()), shipped.tokenizer, {.length = 64, .tokens = 0});
    const auto window = *windows.next();
    QVERIFY(window.has_value());
    QCOMPARE(windows.position().counts.leftOut, 2);
    const auto expected = shipped.tokenizer->encodePlain("The value of the\nkey is The key of the value\n", false);
    QVERIFY(window->facts.ids == expected->ids);
}

void TestSurvey::segmentsAreThoseOfTheText()
{
    const Shipped shipped(QStringLiteral("tiny-transformer"));
    const std::string text = "The value of the key is\nThe key of the value\nkey";
    const auto windowsOf = [&](std::vector<ByteRange> segments, int length) {
        auto source =
            std::make_shared<TextSource>(TextSource::open({}, {{"given", text, std::move(segments)}}).value());
        Windows windows(std::move(source), shipped.tokenizer, {.length = length, .tokens = 0, .start = 0});
        std::vector<WindowFacts> facts;
        for (auto window = *windows.next(); window; window = *windows.next())
            facts.push_back(window->facts);
        return facts;
    };
    // Lines: six words and the line's end, five and another; the start token in front.
    const WindowFacts lines = windowsOf({}, 32).at(0);
    QCOMPARE(lines.ids.size(), 15U);
    QVERIFY((lines.closing == std::vector<int>{7, 13}));
    QCOMPARE(lines.segmentBegin[7], 1);
    QCOMPARE(lines.segmentBegin[13], 8);
    QCOMPARE(lines.closedBefore[14], 2);
    // The text's own: "value of the", "key of"; in windows of six the second line's is cut.
    const std::vector<ByteRange> own = {{4, 16}, {28, 34}};
    const WindowFacts given = windowsOf(own, 32).at(0);
    QVERIFY((given.closing == std::vector<int>{4, 10}));
    QCOMPARE(given.segmentBegin[4], 2);
    QCOMPARE(given.segmentBegin[10], 9);
    const auto parts = windowsOf({{4, 34}}, 6);
    QVERIFY(parts[0].closing.empty());
    QVERIFY((parts[1].closing == std::vector<int>{5}));
    QCOMPARE(parts[1].segmentBegin[5], 1);
}

// Many heads in one batch against one plain run of the whole model for each.
void TestSurvey::lossIsThatOfRunsWithoutTheHead()
{
    QFETCH(QString, name);
    const Shipped shipped(name);
    const auto source = sourceOf(textsOf(shipped, 2, 150));
    const Windows windows(source, shipped.tokenizer, {.length = 24, .tokens = 0, .seed = 2, .start = 0});
    const std::vector<std::string> heads = {"L1H2", "L3H0", "L1H5"};
    std::vector<interventions::HeadRef> refs;
    for (const std::string& head : heads)
        refs.push_back(*interventions::parseHead(head));
    auto survey = *LossSurvey::make(shipped.model, shipped.base(), windows, refs, 5);
    while (*survey.step())
        ;
    QCOMPARE(survey.results().size(), 3U);
    const auto lossesOf = [&](const std::vector<int>& ids, const std::string& ablation) {
        const lm::Edits base = shipped.base(ablation.c_str());
        const at::Tensor input = at::tensor(std::vector<std::int64_t>(ids.begin(), ids.end()), at::kLong).unsqueeze(0);
        const at::Tensor all = at::log_softmax(shipped.model->logits(input, {.edits = &base})[0], -1);
        std::vector<double> losses;
        for (std::int64_t t = 1; t < input.size(1); ++t)
            losses.push_back(-all[t - 1][ids[static_cast<std::size_t>(t)]].item<double>());
        return losses;
    };
    for (const HeadLoss& measured : survey.results()) {
        const std::string removed =
            "L" + std::to_string(measured.head.layer) + "H" + std::to_string(measured.head.head);
        std::vector<double> before, change, newOnes;
        double largest = 0;
        Windows again = windows;
        for (auto window = *again.next(); window; window = *again.next()) {
            const auto with = lossesOf(window->facts.ids, ""), without = lossesOf(window->facts.ids, removed);
            for (std::size_t t = 0; t < with.size(); ++t) {
                before.push_back(with[t]);
                change.push_back(without[t] - with[t]);
                largest = std::max(largest, change.back());
                if (window->facts.earlier[t + 1] < 0)
                    newOnes.push_back(change.back());
            }
        }
        const LossChange& all = measured.of(TokenGroup::All);
        QCOMPARE(all.before.count(), static_cast<std::int64_t>(before.size()));
        QVERIFY(std::abs(all.before.mean() - meanOf(before)) < 1e-4);
        QVERIFY(std::abs(all.change.mean() - meanOf(change)) < 1e-4);
        const auto interval = all.change.interval(); // nothing of a head that changes nothing
        QVERIFY(interval ? interval->low < all.change.mean() && all.change.mean() < interval->high
                         : all.change.mean() == 0);
        QCOMPARE(measured.of(TokenGroup::New).change.count(), static_cast<std::int64_t>(newOnes.size()));
        QVERIFY(std::abs(measured.of(TokenGroup::New).change.mean() - meanOf(newOnes)) < 1e-4);
        const auto& rises = measured.rises.places(); // none of a head that writes nothing
        QVERIFY(std::abs((rises.empty() ? 0.0 : static_cast<double>(rises[0].value)) - largest) < 1e-3);
        // Each token is in one group of each kind.
        for (const auto& kind : {std::array{TokenGroup::New, TokenGroup::Repeated, TokenGroup::Continued},
                                 std::array{TokenGroup::Early, TokenGroup::Middle, TokenGroup::Late},
                                 std::array{TokenGroup::Frequent, TokenGroup::Usual, TokenGroup::Rare}}) {
            std::int64_t together = 0;
            for (const TokenGroup group : kind)
                together += measured.of(group).before.count();
            QCOMPARE(together, all.before.count());
        }
    }
    QVERIFY(!LossSurvey::make(shipped.model, shipped.base(), windows, {}, 5).has_value());
}

// Two windows with the means 1 and 2, of two tokens each: residuals -1 and 1, so the standard error of the mean 1.5 is
// sqrt(2 / 1 * 2) / 4, and Student's quantile for one degree of freedom is tan(0.475 pi).
void TestSurvey::intervalsOverFewWindowsAreStudents()
{
    ClusteredMean mean;
    mean.add(2, 2);
    QVERIFY(!mean.interval());
    mean.add(4, 2);
    const auto interval = mean.interval();
    QVERIFY(interval.has_value());
    QVERIFY(std::abs(interval->high - (1.5 + 12.706204736174696 / 2)) < 1e-9);
    QVERIFY(std::abs(interval->low - (1.5 - 12.706204736174696 / 2)) < 1e-9);
    ClusteredMean same; // no spread, so nothing is known of the uncertainty
    same.add(0, 3);
    same.add(0, 5);
    QVERIFY(!same.interval());
}

void TestSurvey::filtersSayWhichHeadsFit_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("fits");
    const auto row = [](const char* text, bool fits) { QTest::newRow(text) << QString::fromLatin1(text) << fits; };
    // cost 0.25, induction 0.5; there is no entropy
    row("", true);
    row("cost > 0.1 and induction > 0.5", false);
    row("cost > 0.1 and induction >= 0.5", true);
    row("cost>0.1 and induction=.5", true);
    row("cost < 0.1 or induction > 0.4 and cost != 1", true);
    row("(cost < 0.1 or induction > 0.4) and cost > 1", false);
    row("not cost < 0.1", true);
    row("not (cost > 0.1 or induction > 9)", false);
    row("induction > cost", true);
    row("-1 < cost", true);
    row("entropy > 0", false);
    row("entropy <= 0", false);
    row("cost > 2e-1", true);
}

void TestSurvey::filtersSayWhichHeadsFit()
{
    QFETCH(QString, text);
    QFETCH(bool, fits);
    const std::vector<std::string_view> names = {"cost", "induction", "entropy"};
    const auto filter = Filter::parse(text.toStdString(), names);
    QVERIFY2(filter.has_value(), filter.has_value() ? "" : filter.error().message.c_str());
    QCOMPARE(filter->matches([](std::string_view name) -> std::optional<double> {
        return name == "cost" ? std::optional(0.25) : name == "induction" ? std::optional(0.5) : std::nullopt;
    }),
             fits);
}

void TestSurvey::filtersThatCanNotBeReadAreRefused()
{
    const std::vector<std::string_view> names = {"cost"};
    for (const char* text : {"cost", "cost >", "cost > 1 and", "cost > 1 cost > 2", "(cost > 1", "coast > 1", "> 1",
                             "cost ~ 1", "cost > 1)", "not", "1 2"}) {
        const auto filter = Filter::parse(text, names);
        QVERIFY2(!filter.has_value(), text);
        QVERIFY(filter.error().message.ends_with('.'));
    }
    QVERIFY(!Filter::parse(std::string(100000, '('), names).has_value());
    std::string nots;
    for (int i = 0; i < 10000; ++i)
        nots += "not ";
    QVERIFY(!Filter::parse(nots + "cost > 1", names).has_value());
}

void TestSurvey::similarHeadsAreTheNearest()
{
    const std::vector<HeadTraits> a = {{"A0", {0, 0}}, {"A1", {1, 1}}, {"A2", {0.9, 1}}};
    const std::vector<HeadTraits> b = {{"B0", {1, 0.9}}, {"B1", {0.1, 0}}};
    const auto matches = nearestHeads(a, b);
    QCOMPARE(matches.size(), 3U);
    const auto matchOf = [&](std::size_t first) {
        return *std::find_if(matches.begin(), matches.end(), [&](const HeadMatch& m) { return m.first == first; });
    };
    QCOMPARE(matchOf(0).second, 1U);
    QCOMPARE(matchOf(1).second, 0U);
    QCOMPARE(matchOf(2).second, 0U);
    QVERIFY(matchOf(0).mutual && matchOf(1).mutual && !matchOf(2).mutual);
    QVERIFY(std::abs(matchOf(0).distance - 0.1 / std::sqrt(2)) < 1e-12);
    QVERIFY(std::is_sorted(matches.begin(), matches.end(),
                           [](const HeadMatch& x, const HeadMatch& y) { return x.distance < y.distance; }));
    const auto near = neighbours(a, 0, 2);
    QCOMPARE(near.size(), 2U);
    QCOMPARE(near[0].second, 2U);
    QVERIFY(!near[0].mutual); // A2 is nearer to A1
    QVERIFY(neighbours(a, 1, 1)[0].mutual);
    QVERIFY(nearestHeads(a, {}).empty());
}

void TestSurvey::refusesWhatIsNoText_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("said");
    QTest::newRow("no file") << QString() << QByteArray() << QStringLiteral("There is no file of texts");
    QTest::newRow("empty") << QStringLiteral("a.txt") << QByteArray() << QStringLiteral("has no text");
    QTest::newRow("binary") << QStringLiteral("a.txt") << QByteArray("abc\0def", 7)
                            << QStringLiteral("is not text: byte 3 is 0");
    QTest::newRow("UTF-8") << QStringLiteral("a.txt") << QByteArray(QByteArray(20000, 'a') + "\n\xC3(")
                           << QStringLiteral("is not UTF-8 at byte 20001");
    QTest::newRow("JSON") << QStringLiteral("a.jsonl") << QByteArray("{\"text\": \"a\"}\n{\"text\": ")
                          << QStringLiteral("line 2 of");
    QTest::newRow("key") << QStringLiteral("a.jsonl") << QByteArray("{\"title\": \"a\"}")
                         << QStringLiteral("has no \"text\"");
    QTest::newRow("deep") << QStringLiteral("a.jsonl") << QByteArray(QByteArray(100000, '[') + "1")
                          << QStringLiteral("is not JSON");
    QTest::newRow("long line") << QStringLiteral("a.jsonl") << QByteArray(17'000'000, 'a')
                               << QStringLiteral("line 1 of");
}

void TestSurvey::refusesWhatIsNoText()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, bytes);
    QFETCH(QString, said);
    const QTemporaryDir folder;
    const QString path = folder.filePath(name.isEmpty() ? QStringLiteral("missing.txt") : name);
    if (!name.isEmpty())
        write(path, bytes.toStdString());
    const QString message = QString::fromStdString(whyNot(path));
    QVERIFY2(message.contains(said), qPrintable(message));
    QVERIFY(message.endsWith(QLatin1Char('.')));
    const QTemporaryDir bare;
    QVERIFY(QString::fromStdString(whyNot(bare.path())).contains(QStringLiteral("no .txt and no .jsonl file")));
}

void TestSurvey::refusesWindowsAndHeadsThatTheModelHasNot()
{
    const Shipped shipped(QStringLiteral("tiny-transformer"));
    const auto source = sourceOf(textsOf(shipped, 1, 50));
    const auto said = [&](int window, SurveyOptions options) {
        Windows windows(source, shipped.tokenizer, {.length = window});
        const auto made = Survey::make(shipped.model, shipped.base(), std::move(windows), std::move(options));
        return made.has_value() ? std::string() : made.error().message;
    };
    QVERIFY(said(2, {}).find("too short") != std::string::npos);
    QVERIFY(said(5000, {}).find("longer than the model reads") != std::string::npos);
    QVERIFY(!said(32, {.heads = {{9, Site::Any, 0}}}).empty());
    QVERIFY(said(32, {.heads = {{1, Site::Any, 3}}}).empty());
    const lm::DonorLoader donors([](const std::string& name) -> Result<std::shared_ptr<const lm::Model>> {
        return Shipped(QString::fromStdString(name)).model;
    });
    const auto under = [&](const char* set) {
        auto base = lm::resolve(*interventions::InterventionSet::parse(set), shipped.model->spec(), donors).value();
        const auto made =
            Survey::make(shipped.model, std::move(base), Windows(source, shipped.tokenizer, {.length = 32}), {});
        return made.has_value() ? std::string() : made.error().message;
    };
    QVERIFY(under("swap:L1=tiny-ssm").find("another model's with other heads") != std::string::npos);
    QVERIFY(under("swap:L1=tiny-transformer").empty());
}

QTEST_GUILESS_MAIN(TestSurvey)
#include "tst_survey.moc"
