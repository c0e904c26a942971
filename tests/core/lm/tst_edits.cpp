// SPDX-License-Identifier: GPL-3.0-or-later
// Spans, positions and steering: what they mean by what is already tested.
#include "core/io/safetensors/safetensors.h"
#include "core/io/safetensors/safetensorswriter.h"
#include "core/lm/load.h"
#include "tests/support/goldens.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace headscope;
using namespace Qt::StringLiterals;
namespace fs = std::filesystem;

namespace {

constexpr int kLength = 20;

struct Subject {
    std::shared_ptr<const lm::Model> model;
    at::Tensor ids;

    explicit Subject(const QString& name)
        : model(lm::load(goldens::own("golden") / name.toStdString(), {"cpu", "fp32"})->model),
          ids((at::arange(2 * kLength, at::kLong) * 7 % std::min(61, model->spec().vocabulary - 1) + 1)
                  .view({2, kLength}))
    {
    }
    at::Tensor logits(const QString& set) const
    {
        const auto edits = lm::resolve(*interventions::InterventionSet::parse(set.toStdString()), model->spec());
        if (!edits.has_value())
            qFatal("%s", edits.error().message.c_str());
        return model->logits(ids, {.edits = &*edits});
    }
    double apart(const QString& a, const QString& b) const
    {
        return (logits(a) - logits(b)).abs().max().item<double>();
    }
    at::Tensor matrix(const QString& set, int layer, lm::Site site) const
    {
        const auto edits =
            lm::resolve(*interventions::InterventionSet::parse(set.toStdString()), model->spec()).value();
        lm::Capture capture;
        capture.sites[{layer, site}].wantMatrix = true;
        (void)model->logits(ids, {.edits = &edits, .capture = &capture});
        return capture.sites[{layer, site}].matrix;
    }
};

constexpr double kTolerance = 1e-4;

} // namespace

class TestEdits : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_noGrad.emplace(); }
    void aSpanIsAllOfItsEntries_data();
    void aSpanIsAllOfItsEntries();
    void knockingOutIsMaskingAndRenormalising_data();
    void knockingOutIsMaskingAndRenormalising();
    void aQueryThatReadsNothingGivesNothing();
    void factorsOfOneHeadMultiply_data();
    void factorsOfOneHeadMultiply();
    void keptHeadsOfOneMixerAreUnited_data();
    void keptHeadsOfOneMixerAreUnited();
    void otherHeadsAreNotThoseOfTheSpec();
    void positionsAreThoseOfTheText_data() { models(); }
    void positionsAreThoseOfTheText();
    void textsOfABatchDoNotMix_data() { positionsAreThoseOfTheText_data(); }
    void textsOfABatchDoNotMix();
    void steeringAddsToTheStream_data() { everyModel(); }
    void steeringAddsToTheStream();
    void wordsChangePlacesInTheStream_data() { everyModel(); }
    void wordsChangePlacesInTheStream();
    void expertsAreFactorsOfWhatTheyGive_data();
    void expertsAreFactorsOfWhatTheyGive();
    void refusesWithASentence_data();
    void refusesWithASentence();

private:
    static void models();
    static void everyModel();
    std::optional<at::NoGradGuard> m_noGrad;
};

void TestEdits::models()
{
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"llama", "gpt_neox", "mamba", "mamba2", "llamba", "stretch/qwen3_next", "stretch/falcon_h1"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestEdits::everyModel()
{
    QTest::addColumn<QString>("name");
    for (const std::string& name : goldens::models())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
    QVERIFY(goldens::models().size() >= 66);
}

void TestEdits::aSpanIsAllOfItsEntries_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("head");
    for (const auto& [name, head] :
         {std::pair("llama", "L1H2"), std::pair("gemma2", "L0H1"), std::pair("mamba", "L1C5"),
          std::pair("mamba2", "L1H3"), std::pair("llamba", "L2H0"), std::pair("stretch/qwen3_next", "L0H1"),
          std::pair("hybrid_llamba", "L2S1")})
        QTest::newRow(name) << QString::fromLatin1(name) << QString::fromLatin1(head);
}

void TestEdits::aSpanIsAllOfItsEntries()
{
    QFETCH(QString, name);
    QFETCH(QString, head);
    const Subject subject(name);
    QString entries;
    for (int q = 12; q <= 14; ++q)
        for (int k = 3; k <= 6; ++k)
            entries += QStringLiteral("mask:%1[q=%2,k=%3] ").arg(head).arg(q).arg(k);
    const QString span = QStringLiteral("mask:%1[q=12-14,k=3-6]").arg(head);
    QVERIFY(subject.apart(span, entries) < kTolerance);
    QVERIFY(subject.apart(span, QString()) > kTolerance);
    // An entry named by both is taken away once.
    QVERIFY(subject.apart(span + u' ' + entries, entries) < kTolerance);
    // Queries before the span read what they read before.
    QVERIFY(at::allclose(subject.logits(span).narrow(1, 0, 12), subject.logits({}).narrow(1, 0, 12), 1e-4, 1e-4));
}

void TestEdits::knockingOutIsMaskingAndRenormalising_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"llama", "mistral", "gemma2", "gpt2", "qwen3", "phi", "stretch/jamba"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestEdits::knockingOutIsMaskingAndRenormalising()
{
    QFETCH(QString, name);
    const Subject subject(name);
    const QString where = QStringLiteral("L1H*[q=13-16,k=9-11");
    QVERIFY(subject.apart(u"knock:"_s + where + u']', u"mask:"_s + where + u",renorm]"_s) < kTolerance);
    QVERIFY(subject.apart(u"knock:"_s + where + u']', u"mask:"_s + where + u']') > kTolerance);
    const at::Tensor matrix = subject.matrix(u"knock:"_s + where + u']', 1, lm::Site::Attention);
    QVERIFY((matrix.sum(-1) - 1).abs().max().item<double>() < 1e-5);
    QCOMPARE(matrix.narrow(2, 13, 4).narrow(3, 9, 3).abs().max().item<double>(), 0.0);
    QVERIFY(at::equal(matrix.triu(1), at::zeros_like(matrix)));
}

void TestEdits::aQueryThatReadsNothingGivesNothing()
{
    const Subject subject(QStringLiteral("mistral")); // reads seven tokens back, itself included
    const at::Tensor matrix =
        subject.matrix(u"knock:L1H0[q=15,k=9-14] knock:L1H0[q=15,k=15]"_s, 1, lm::Site::Attention);
    QCOMPARE(matrix.select(1, 0).select(1, 15).abs().max().item<double>(), 0.0);
    QVERIFY(at::isfinite(subject.logits(u"knock:L1H0[q=15,k=9-14] knock:L1H0[q=15,k=15]"_s)).all().item<bool>());
}

void TestEdits::factorsOfOneHeadMultiply_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("set");
    QTest::addColumn<QString>("same");
    const auto row = [](const char* name, const char* set, const char* same) {
        QTest::newRow(set) << QString::fromLatin1(name) << QString::fromLatin1(set) << QString::fromLatin1(same);
    };
    row("llama", "L1H2 L1H2=scale:0.5", "L1H2");
    row("llama", "L1H2=scale:0.5 L1A2", "L1H2"); // the other name comes later in the set
    row("llama", "L1H2=scale:0.5 L1H2=scale:4", "L1H2=scale:2");
    row("llama", "L1H2@last L1H2=scale:0.5@last", "L1H2@last");
    row("llama", "L1H2@3-9 L1H2=scale:0.5@3-9", "L1H2@3-9");
    row("mamba2", "prenorm:L1H2 prenorm:L1H2=scale:0.5", "prenorm:L1H2");
    row("hub/mixtral", "L1X1 L1X1=scale:0.5", "L1X1");
    row("hub/mixtral", "L1X* L1X1=scale:0.5", "L1X*");
}

void TestEdits::factorsOfOneHeadMultiply()
{
    QFETCH(QString, name);
    QFETCH(QString, set);
    QFETCH(QString, same);
    const Subject subject(name);
    QCOMPARE(subject.apart(set, same), 0.0);
    QVERIFY(subject.apart(set, {}) > kTolerance);
}

void TestEdits::keptHeadsOfOneMixerAreUnited_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("other");
    QTest::newRow("attention") << QStringLiteral("llama") << QStringLiteral("A");
    QTest::newRow("SSM") << QStringLiteral("mamba2") << QStringLiteral("S");
}

// Whichever name a `keep:` calls the mixer by.
void TestEdits::keptHeadsOfOneMixerAreUnited()
{
    QFETCH(QString, name);
    QFETCH(QString, other);
    const Subject subject(name);
    QCOMPARE(subject.apart(u"keep:L1H2 keep:L1"_s + other + u'3', u"keep:L1H2,3"_s), 0.0);
    QCOMPARE(subject.apart(u"L1H2 keep:L1H2 keep:L1"_s + other + u'3', u"keep:L1H3"_s), 0.0);
    QVERIFY(subject.apart(u"keep:L1H2,3"_s, u"L1H*"_s) > kTolerance);
}

// Heads and captures name those of the spec; the layer of another model may have others.
void TestEdits::otherHeadsAreNotThoseOfTheSpec()
{
    const auto shipped = [](const std::string& name) -> std::shared_ptr<const lm::Model> {
        return lm::load(goldens::kSource / "resources/models" / name, {"cpu", "fp32"})->model;
    };
    const auto host = shipped("tiny-transformer");
    const lm::DonorLoader donors(
        [&](const std::string& name) -> Result<std::shared_ptr<const lm::Model>> { return shipped(name); });
    const auto resolved = [&](const std::string& set, const lm::ModelSpec& spec) {
        return lm::resolve(*interventions::InterventionSet::parse(set), spec, donors);
    };
    for (const char* edit : {"L1H0-7", "L1H0=mean", "keep:L1H3", "skip:L1.mixer", "mask:L1H0[q=9,k=3]",
                             "knock:L1H0[q=9,k=3-4]", "lastrow:L1"}) {
        const auto edits = resolved(std::string("swap:L1=tiny-ssm ") + edit, host->spec());
        QVERIFY2(!edits.has_value() && edits.error().message.starts_with("Layer L1 is another model's"), edit);
        QVERIFY2(resolved(std::string("swap:L1=tiny-transformer ") + edit, host->spec()).has_value(), edit);
    }
    const auto swapped = resolved("swap:L1=tiny-ssm L2H0 skip:L1.mlp", host->spec());
    QVERIFY(swapped.has_value());
    QVERIFY(!lm::checkSameHeads(*swapped, host->spec()).has_value());
    QVERIFY(!lm::checkSameHeads(*swapped, host->spec(), 1).has_value());
    QVERIFY(lm::checkSameHeads(*swapped, host->spec(), 2).has_value());
    for (const char* set : {"swap:L1=tiny-transformer", "swap:L1=tiny-ssm upto:L0", "swap:L1=tiny-ssm skip:L1"})
        QVERIFY2(lm::checkSameHeads(*resolved(set, host->spec()), host->spec()).has_value(), set);

    // Of the same kind, but more of them than the spec has.
    lm::ModelParts parts = host->parts();
    parts.spec.layers[1].mixers[0].heads /= 2;
    const lm::Model fewer(std::move(parts));
    const auto edits = resolved("swap:L1=tiny-transformer", fewer.spec());
    QVERIFY(edits.has_value() && !lm::checkSameHeads(*edits, fewer.spec()).has_value());
    lm::Capture capture;
    for (const int layer : {1, 2})
        capture.sites[{layer, lm::Site::Attention}].wantZ = true;
    (void)fewer.logits(at::arange(1, 9).view({1, 8}), {.edits = &*edits, .capture = &capture});
    const auto captured = [&](int layer) { return capture.sites[{layer, lm::Site::Attention}].z.defined(); };
    QVERIFY(!captured(1));
    QVERIFY(captured(2));
}

// What runs beside a text in the same batch decides nothing about it; an output of another example is nowhere to be
// had.
void TestEdits::textsOfABatchDoNotMix()
{
    QFETCH(QString, name);
    const Subject subject(name);
    const QString head = name == QStringLiteral("stretch/falcon_h1") ? u"L1S2"_s : u"L1H2"_s;
    const auto mean =
        lm::resolve(*interventions::InterventionSet::parse((head + u"=mean"_s).toStdString()), subject.model->spec());
    const at::Tensor together = subject.logits(head + u"=mean"_s);
    for (int row = 0; row < 2; ++row)
        QVERIFY(at::allclose(together.narrow(0, row, 1),
                             subject.model->logits(subject.ids.narrow(0, row, 1), {.edits = &*mean}), 1e-5, 1e-5));
    QVERIFY(subject.apart(head + u"=mean"_s, {}) > 1e-4);
    const auto set = interventions::InterventionSet::parse((head + u"=resample:3"_s).toStdString());
    const auto alone = lm::resolve(*set, subject.model->spec());
    QVERIFY(!alone.has_value() && alone.error().message.find("each text is run by itself") != std::string::npos);
    QVERIFY(lm::resolve(*set, subject.model->spec(), {}, lm::Others::Examples).has_value());
}

void TestEdits::positionsAreThoseOfTheText()
{
    QFETCH(QString, name);
    const Subject subject(name);
    const bool both = name == QStringLiteral("stretch/falcon_h1");
    const QString head = both ? u"L1S2"_s : u"L1H2"_s;
    const QString last = QString::number(kLength - 1);
    QCOMPARE(subject.apart(head + u"@0-"_s + last, head), 0.0);
    QCOMPARE(subject.apart(head + u'@' + last, head + u"@last"_s), 0.0);
    QCOMPARE(subject.apart(head + u"=scale:2@0-9 "_s + head + u"=scale:2@10-"_s + last, head + u"=scale:2"_s), 0.0);
    QVERIFY(subject.apart(head + u"=mean@0-"_s + last, head + u"=mean"_s) < 1e-6);
    const at::Tensor cut = subject.logits(head + u"@12-14"_s), plain = subject.logits({});
    QVERIFY(at::equal(cut.narrow(1, 0, 12), plain.narrow(1, 0, 12)));
    QVERIFY(!at::allclose(cut.narrow(1, 12, 3), plain.narrow(1, 12, 3), 1e-4, 1e-4));
    // The same when the text is run in two pieces.
    const auto edits =
        lm::resolve(*interventions::InterventionSet::parse((head + u"@12-14"_s).toStdString()), subject.model->spec())
            .value();
    lm::State state;
    const at::Tensor front = subject.model->logits(subject.ids.narrow(1, 0, 13), {.edits = &edits, .state = &state}),
                     back = subject.model->logits(subject.ids.narrow(1, 13, kLength - 13),
                                                  {.edits = &edits, .state = &state});
    QVERIFY(at::allclose(at::cat({front, back}, 1), cut, 1e-4, 1e-4));
}

void TestEdits::steeringAddsToTheStream()
{
    QFETCH(QString, name);
    const Subject subject(name);
    const QTemporaryDir folder;
    std::vector<float> direction(static_cast<std::size_t>(subject.model->spec().hidden));
    for (std::size_t i = 0; i < direction.size(); ++i) // no constant: a LayerNorm would take it away
        direction[i] = i % 3 == 0 ? 0.25F : -0.125F;
    const QString file = folder.filePath(QStringLiteral("v.safetensors"));
    const std::vector<io::TensorToWrite> tensors{
        {"v", io::Dtype::F32, {static_cast<std::int64_t>(direction.size())}, std::as_bytes(std::span(direction))}};
    QVERIFY(io::writeSafetensors(file.toStdString(), tensors).has_value());
    const auto streams = [&](const QString& set) {
        const auto edits =
            lm::resolve(*interventions::InterventionSet::parse(set.toStdString()), subject.model->spec()).value();
        lm::Capture capture;
        capture.residual = true;
        (void)subject.model->logits(subject.ids, {.edits = &edits, .capture = &capture});
        return capture.residuals;
    };
    const auto plain = streams({}), steered = streams(QStringLiteral("steer:L1*2=%1[v]").arg(file));
    QVERIFY(at::equal(plain[0], steered[0]));
    const auto width = std::ssize(direction), beside = plain[1].size(-1) - width; // what some layers carry besides
    QVERIFY(at::allclose(steered[1].narrow(-1, 0, width), plain[1].narrow(-1, 0, width) + at::tensor(direction) * 2,
                         1e-6, 1e-6));
    QVERIFY(at::equal(steered[1].narrow(-1, width, beside), plain[1].narrow(-1, width, beside)));
    QCOMPARE(subject.apart(QStringLiteral("steer:L1*2=%1[v] steer:L1*-2=%1[v]").arg(file), {}), 0.0);
    QVERIFY(subject.apart(QStringLiteral("steer:L1*2=%1[v]").arg(file), {}) > kTolerance);
}

// Against the definition: least-squares coordinates in the span of both directions change places, and what is outside
// the span stays; for one direction twice as long as the other, too, where the coordinates are those of least norm.
void TestEdits::wordsChangePlacesInTheStream()
{
    QFETCH(QString, name);
    const Subject subject(name);
    const std::int64_t width = subject.model->spec().hidden;
    const at::Tensor both = at::stack({at::arange(width) % 7 - 3, at::arange(width) % 5 - 1}, 1).to(at::kFloat);
    bool dependent = false;
    lm::DonorLoader donors;
    donors.direction = [&](const interventions::Steer& steer) -> Result<at::Tensor> {
        return steer.direction == "jlens:ebb" ? both.select(1, 0)
               : dependent                    ? both.select(1, 0) * 2
                                              : both.select(1, 1);
    };
    const auto streams = [&](const char* set) {
        const auto edits = lm::resolve(*interventions::InterventionSet::parse(set), subject.model->spec(), donors);
        lm::Capture capture;
        capture.residual = true;
        (void)subject.model->logits(subject.ids, {.edits = &*edits, .capture = &capture});
        return capture.residuals;
    };
    const auto plain = streams(""), exchanged = streams("swap:L1=jlens:flow,ebb");
    QVERIFY(at::equal(plain[0], exchanged[0]));
    const at::Tensor before = plain[1].narrow(-1, 0, width).to(at::kDouble);
    const auto expected = [&](const at::Tensor& span) { // [D, 2]
        const at::Tensor coordinates =
            std::get<0>(at::linalg_lstsq(span, before.reshape({-1, width}).t(), 1e-10, "gelsd")); // [2, n]
        return (before.reshape({-1, width}).t() + at::matmul(span, coordinates.flip(0) - coordinates))
            .t()
            .reshape(before.sizes());
    };
    const double scale = before.abs().max().item<double>();
    const auto apart = [&](const at::Tensor& a, const at::Tensor& b) {
        return (a - b).abs().max().item<double>() / scale;
    };
    const at::Tensor now = exchanged[1].narrow(-1, 0, width).to(at::kDouble);
    QVERIFY(apart(now, expected(both.to(at::kDouble))) < 1e-5);
    QVERIFY(apart(now, before) > kTolerance);
    const auto beside = plain[1].size(-1) - width;
    QVERIFY(at::equal(exchanged[1].narrow(-1, width, beside), plain[1].narrow(-1, width, beside)));
    // With a direction besides, what was added is known from what the layer reads.
    lm::LayerEdits edits;
    edits.exchanges = {lm::exchangeOf(both.select(1, 0), both.select(1, 1)),
                       lm::exchangeOf(both.select(1, 0), at::ones(width))};
    edits.steer = both.select(1, 1);
    const at::Tensor read = lm::steered(plain[1], &edits);
    QVERIFY(apart(lm::addedBySteering(read, edits), (read - plain[1]).narrow(-1, 0, width)) < 1e-5);
    // Twice is nothing, and equal directions are nothing.
    lm::LayerEdits twice;
    twice.exchanges = {edits.exchanges.back(), edits.exchanges.back()};
    QVERIFY(apart(lm::steered(plain[1], &twice), plain[1]) < 1e-5);
    lm::LayerEdits equal;
    equal.exchanges = {lm::exchangeOf(both.select(1, 0), both.select(1, 0))};
    QVERIFY(at::equal(lm::steered(plain[1], &equal), plain[1]));
    dependent = true;
    const at::Tensor degenerate = streams("swap:L1=jlens:flow,ebb")[1].narrow(-1, 0, width).to(at::kDouble);
    QVERIFY(apart(degenerate, expected(at::stack({both.select(1, 0), both.select(1, 0) * 2}, 1).to(at::kDouble)))
            < 1e-5);
    lm::LayerEdits scaled;
    scaled.exchanges = {lm::exchangeOf(both.select(1, 0), both.select(1, 0) * 2)};
    const at::Tensor changed = lm::steered(plain[1], &scaled);
    QVERIFY(apart(lm::addedBySteering(changed, scaled), (changed - plain[1]).narrow(-1, 0, width)) < 1e-5);
}

void TestEdits::expertsAreFactorsOfWhatTheyGive_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("alone");
    for (const auto& [name, alone] : {std::pair("hub/mixtral", true), std::pair("hub/gpt_oss", true),
                                      std::pair("hub/deepseek_v3", false), std::pair("hub/granitemoehybrid", false)})
        QTest::newRow(name) << QString::fromLatin1(name) << alone; // alone: no expert runs for every token
}

// That one expert less is what its weights at zero give is in the goldens (logits.ablate.L1X1).
void TestEdits::expertsAreFactorsOfWhatTheyGive()
{
    QFETCH(QString, name);
    QFETCH(bool, alone);
    const Subject subject(name);
    const int last = subject.model->spec().layers[1].experts - 1;
    QVERIFY(subject.apart(QStringLiteral("L1X%1").arg(last), QString()) > kTolerance);
    QVERIFY(subject.apart(QStringLiteral("L1X%1").arg(last), QStringLiteral("keep:L1X0-%1").arg(last - 1)) == 0);
    QVERIFY(subject.apart(u"L1X1=scale:1"_s, QString()) == 0);
    QVERIFY(subject.apart(u"L1X1=scale:0.5"_s, u"L1X1"_s) > kTolerance);
    QCOMPARE(subject.apart(u"L1X*"_s, u"skip:L1.mlp"_s) < kTolerance, alone);
}

void TestEdits::refusesWithASentence_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("set");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* model, const char* set, const char* part) {
        QTest::newRow(set) << QString::fromLatin1(model) << QString::fromLatin1(set) << QString::fromLatin1(part);
    };
    row("mamba2", "knock:L1H2[q=9,k=3]", "attention only");
    row("mamba2", "mask:L1H2[q=9-10,k=3,renorm]", "attention only");
    row("llama", "mask:L1-3H*[q=9,k=3]", "no layer L3");
    row("llama", "mask:L1H4[q=9-10,k=3]", "no head L1H4");
    row("llama", "L1X0", "layer L1 has no experts");
    row("hub/mixtral", "L1X4", "experts 0 to 3");
    row("hub/mixtral", "L1X0=mean", "can only be ablated");
    row("hub/mixtral", "mask:L1X0[q=9,k=3]", "is an expert");
    row("llama", "steer:L3=v.safetensors[v]", "no layer L3");
    row("llama", "steer:L1=/nowhere/v.safetensors[v]", "/nowhere/v.safetensors");
    row("llama", "steer:L1=good.txt-bad.txt", "needs prompts");
    row("llama", "swap:L3=jlens:bread,soup", "no layer L3");
    row("llama", "swap:L1=jlens:bread,soup", "needs prompts");
}

void TestEdits::refusesWithASentence()
{
    QFETCH(QString, model);
    QFETCH(QString, set);
    QFETCH(QString, part);
    const auto edits =
        lm::resolve(*interventions::InterventionSet::parse(set.toStdString()), Subject(model).model->spec());
    QVERIFY(!edits.has_value());
    QVERIFY2(edits.error().message.ends_with('.')
                 && edits.error().message.find(part.toStdString()) != std::string::npos,
             edits.error().message.c_str());
}

QTEST_GUILESS_MAIN(TestEdits)
#include "tst_edits.moc"
