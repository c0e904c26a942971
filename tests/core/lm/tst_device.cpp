// SPDX-License-Identifier: GPL-3.0-or-later
// What a GPU asks of the code, shown without one, in every family: on a device that is not the processor a run behind
// its first layer neither reads a number back nor takes anything from the host (only such a run can be recorded), and
// scores are the processor's.
#include "core/engine/generate.h"
#include "core/engine/pattern/patterns.h"
#include "core/engine/ranking/attribution.h"
#include "core/engine/scoring/scorer.h"
#include "core/engine/tensors.h"
#include "core/io/safetensors/checkpoint.h"
#include "core/lm/device/device.h"
#include "core/lm/device/transfer.h"
#include "core/lm/family.h"
#include "core/lm/load.h"
#include "core/lm/weights/quantization.h"
#include "tests/support/encodedfixture.h"
#include "tests/support/hostdevice.h"
#include "tests/support/modelon.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>

#include <QTest>

#include <filesystem>
#include <map>

using namespace headscope;
using namespace encodedfixture;
using tests::takeHostTraffic;

namespace {

/// The first layers on the first device; 0: on the processor.
std::shared_ptr<const lm::Model> modelOn(const QString& folder, int devices)
{
    std::vector<at::Device> all;
    for (int i = 0; i < devices; ++i)
        all.push_back(tests::hostDevice(i));
    return tests::modelOn(folder.toStdString(), all.empty() ? std::vector<at::Device>{at::kCPU} : all);
}

/// Texts that share a beginning, end at different lengths and branch twice.
lm::DeviceTree someTree(const at::Device& device)
{
    const std::vector<std::vector<int>> texts = {{1, 2, 3, 4, 5, 1, 2},
                                                 {1, 2, 3, 4, 5, 3},
                                                 {1, 2, 3, 7, 7, 7, 7, 7, 7},
                                                 {2, 2, 2, 2, 2, 2, 2, 2},
                                                 {3, 1, 4, 1, 5, 9}};
    std::vector<const std::vector<int>*> pointers;
    for (const auto& text : texts)
        pointers.push_back(&text);
    return {std::make_shared<const lm::TokenTree>(pointers), device};
}

QString joined(const std::vector<std::string>& words)
{
    QStringList all;
    for (const std::string& word : words)
        all.append(QString::fromStdString(word));
    all.removeDuplicates();
    return all.join(QStringLiteral(", "));
}

double largestDifference(const at::Tensor& there, const at::Tensor& host)
{
    return (there.cpu() - host).abs().max().item<double>() / std::max(1.0, host.abs().max().item<double>());
}

} // namespace

class TestDevice : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_there = tests::hostDevice(); }
    void trafficIsSeen();
    void hostStaysOut_data();
    void hostStaysOut();
    void continuationsAreTheProcessors_data() { hostStaysOut_data(); }
    void continuationsAreTheProcessors();
    void scoresAreTheProcessors_data();
    void scoresAreTheProcessors();
    void patternsAreTheProcessors_data() { hostStaysOut_data(); }
    void patternsAreTheProcessors();
    void estimatesAreTheProcessors_data() { hostStaysOut_data(); }
    void estimatesAreTheProcessors();
    void layersArePlaced();
    void transfersKeepNumbers();

private:
    at::NoGradGuard m_noGrad;
    at::Device m_there = at::kCPU;
};

void TestDevice::trafficIsSeen()
{
    const at::Tensor there = at::ones({3}, at::TensorOptions(m_there));
    static_cast<void>(takeHostTraffic());
    static_cast<void>((there + there * 2.0).add(at::ones({})));
    QCOMPARE(joined(takeHostTraffic()), QString());
    QCOMPARE(there.sum().item<float>(), 3.0F);
    QCOMPARE(joined(takeHostTraffic()), QStringLiteral("number read back"));
    static_cast<void>(at::ones({2}).to(m_there).cpu());
    QCOMPARE(joined(takeHostTraffic()), QStringLiteral("copy from the host, copy to the host"));
    const at::Tensor second = there.to(tests::hostDevice(1));
    QCOMPARE(joined(takeHostTraffic()), QString());
    QCOMPARE(second.device().index(), at::DeviceIndex(1));
    QVERIFY_THROWS_EXCEPTION(c10::Error, static_cast<void>(there + second));
    static_cast<void>(takeHostTraffic());
    static_cast<void>(at::dot(there, second));
    QVERIFY(joined(takeHostTraffic()).contains(QStringLiteral("with tensors of two devices")));
}

void TestDevice::hostStaysOut_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("devices");
    for (const auto& [name, folder] : families())
        for (const int devices : {1, 2})
            QTest::addRow("%s, %d", qPrintable(name), devices) << QString::fromStdString(folder.string()) << devices;
}

// As the engine runs it: the whole tree, of the last layer some rows only.
void TestDevice::hostStaysOut()
{
    QFETCH(QString, folder);
    QFETCH(int, devices);
    const auto model = modelOn(folder, devices), host = modelOn(folder, 0);
    QVERIFY(model && host);
    QCOMPARE(model->device(), m_there);
    const int layers = static_cast<int>(model->spec().layers.size());
    const auto run = [&](const lm::Model& on, const lm::DeviceTree& tree, const at::Tensor& embedding,
                         const at::Tensor& rows) {
        return on.unembed(on.runLayers(embedding, 0, layers, embedding, {.rows = rows, .tree = &tree}));
    };
    const at::Tensor wantedRows = at::tensor({4, 9, 12}, at::kLong).unsqueeze(0);
    const lm::DeviceTree hostTree = someTree(at::kCPU), tree = someTree(m_there);
    const at::Tensor wanted = run(*host, hostTree, host->embed(hostTree.ids(), {.tree = &hostTree}), wantedRows);
    const at::Tensor rows = lm::onDevice(wantedRows, m_there), embedding = model->embed(tree.ids(), {.tree = &tree});
    QVERIFY(largestDifference(run(*model, tree, embedding, rows), wanted)
            < 1e-5); // the first time what layers need of the tree is brought there
    static_cast<void>(takeHostTraffic());
    const at::Tensor again = run(*model, tree, embedding, rows);
    QCOMPARE(joined(takeHostTraffic()), QString());
    QVERIFY(largestDifference(again, wanted) < 1e-5);
}

void TestDevice::continuationsAreTheProcessors()
{
    QFETCH(QString, folder);
    QFETCH(int, devices);
    const auto model = modelOn(folder, devices), host = modelOn(folder, 0);
    QVERIFY(model && host);
    lm::State state, hostState;
    for (const int length : {9, 1, 1}) {
        const at::Tensor ids = (at::arange(2 * length, at::kLong) * 5 % model->spec().vocabulary).view({2, length});
        const at::Tensor there = ids.to(m_there);
        static_cast<void>(takeHostTraffic());
        const at::Tensor logits = model->logits(there, {.state = &state});
        QCOMPARE(joined(takeHostTraffic()), QString());
        QVERIFY(largestDifference(logits, host->logits(ids, {.state = &hostState})) < 1e-5);
    }
}

// What scores add to a run of layers asks nothing of the family: two devices for some.
void TestDevice::scoresAreTheProcessors_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("devices");
    int place = 0;
    for (const auto& [name, folder] : families())
        for (const int devices : {1, 2})
            if (devices == 1 || place++ % 8 == 0)
                QTest::addRow("%s, %d", qPrintable(name), devices)
                    << QString::fromStdString(folder.string()) << devices;
}

// Batch after batch, each three times: as it is, recorded, replayed.
void TestDevice::scoresAreTheProcessors()
{
    const lm::Recorder recorder = [](const std::function<void()>& work) {
        return repeated([work] {
            static_cast<void>(takeHostTraffic());
            work();
            QCOMPARE(joined(takeHostTraffic()), QString());
        });
    };
    QFETCH(QString, folder);
    QFETCH(int, devices);
    const auto model = modelOn(folder, devices), host = modelOn(folder, 0);
    QVERIFY(model && host);
    engine::Scorer plain(host, nullptr),
        scorer(model, nullptr, {.batchTokens = 16, .firstChunk = 2, .recorder = recorder});
    const auto examples = questions(model->spec().vocabulary);
    const auto plainWork = plain.prepare(examples), work = scorer.prepare(examples);
    QVERIFY(work->batches().size() > 2);
    const std::string last = std::to_string(model->spec().layers.size() - 1);
    std::map<std::string, std::vector<tasks::Outcome>> known; // of the processor: the same in each round
    for (int round = 0; round < 3; ++round)
        for (const std::string& text :
             {std::string(), std::string("L0H0"), "skip:L" + last, "L" + last + "H0@last", "L0H0 L" + last + "H1"}) {
            const auto set = interventions::InterventionSet::parse(text);
            QVERIFY(set.has_value());
            std::vector<tasks::Outcome>& wanted = known[text];
            std::vector<tasks::Outcome> got(examples.size());
            int finished = 0;
            const auto keep = [&](int i, const tasks::Outcome& outcome) {
                wanted[static_cast<std::size_t>(i)] = outcome;
            };
            if (wanted.empty()) {
                wanted.resize(examples.size());
                QVERIFY(plain.score(plainWork, *set, {}, keep, {}).has_value());
            }
            const auto done = scorer.score(
                work, *set, {},
                [&](int i, const tasks::Outcome& outcome) { got[static_cast<std::size_t>(i)] = outcome, ++finished; },
                {});
            QVERIFY2(done.has_value(), done.has_value() ? "" : done.error().message.c_str());
            QCOMPARE(finished, static_cast<int>(examples.size()));
            for (std::size_t i = 0; i < wanted.size(); ++i)
                for (std::size_t c = 0; c < wanted[i].logLikelihoods.size(); ++c) {
                    const double off = std::abs(got[i].logLikelihoods[c] - wanted[i].logLikelihoods[c]);
                    QVERIFY2(off < 1e-5 * std::max(1.0, std::abs(wanted[i].logLikelihoods[c])),
                             qPrintable(QStringLiteral("%1 at '%2'").arg(off).arg(QString::fromStdString(text))));
                    QCOMPARE(got[i].greedy[c], wanted[i].greedy[c]);
                }
        }
    QVERIFY(scorer.graphs()->fault.empty());
    // Layers whose experts choose by what they read are run each time, those of Gemma that hand on more than a stream,
    // and those on another device.
    const std::string& family = model->spec().family;
    if (devices == 1 && family != "gemma3n_text" && family != "gemma4_text"
        && std::ranges::none_of(model->spec().layers, [](const auto& layer) { return layer.experts > 0; }))
        QVERIFY(scorer.graphs()->replays > scorer.graphs()->made);
}

void TestDevice::patternsAreTheProcessors()
{
    QFETCH(QString, folder);
    QFETCH(int, devices);
    const auto model = modelOn(folder, devices), host = modelOn(folder, 0);
    QVERIFY(model && host);
    std::vector<int> ids;
    for (int t = 0; t < 11; ++t)
        ids.push_back((7 * t + 2) % model->spec().vocabulary);
    auto heads = engine::allHeads(model->spec());
    heads.resize(std::min<std::size_t>(heads.size(), 6));
    for (const char* text : {"", "L0H0", "lastrow:L0"})
        for (const std::optional<int> row : {std::optional<int>(), std::optional<int>(4)}) {
            const engine::PatternOptions options{.ablation = *interventions::InterventionSet::parse(text), .row = row};
            const auto got = engine::patterns(*model, ids, heads, options, {}, {}),
                       wanted = engine::patterns(*host, ids, heads, options, {}, {});
            QVERIFY2(got.has_value() && wanted.has_value(), got.has_value() ? "" : got.error().message.c_str());
            for (std::size_t h = 0; h < heads.size(); ++h) {
                const auto& one = (*got)[h].matrix.values;
                const auto& other = (*wanted)[h].matrix.values;
                QCOMPARE(one.size(), other.size());
                for (std::size_t i = 0; i < one.size(); ++i)
                    QVERIFY2(std::abs(one[i] - other[i]) < 1e-5F * std::max(1.0F, std::abs(other[i])), text);
            }
        }
    const auto next = engine::nextTokens(*model, ids, {}, {}, 3), hostNext = engine::nextTokens(*host, ids, {}, {}, 3);
    QCOMPARE(next->front().id, hostNext->front().id);
    const at::Tensor prompt = engine::idTensor(*host, ids);
    QCOMPARE(engine::generate(*model, prompt, {.newTokens = 6}), engine::generate(*host, prompt, {.newTokens = 6}));
}

// Backward through every layer, which the engine runs along the tree and padded.
void TestDevice::estimatesAreTheProcessors()
{
    QFETCH(QString, folder);
    QFETCH(int, devices);
    const auto model = modelOn(folder, devices), host = modelOn(folder, 0);
    QVERIFY(model && host);
    std::vector<std::vector<engine::RankedHead>> found;
    for (const auto& one : {host, model}) {
        const engine::Scorer scorer(one, nullptr);
        const auto items = questions(one->spec().vocabulary);
        const auto benchmark = engine::Benchmark::ofEncoded(taskOf(items), items, scorer);
        QVERIFY(benchmark.has_value());
        const auto estimate = engine::estimateRemovals(**benchmark, *one, {}, {}, {}, {.agreement = 1});
        QVERIFY2(estimate.has_value(), estimate.has_value() ? "" : estimate.error().message.c_str());
        found.push_back(estimate->heads);
    }
    double largest = 0;
    std::map<std::string, double> wanted;
    for (const engine::RankedHead& head : found[0]) {
        wanted[toText(head.head)] = head.value;
        largest = std::max(largest, std::abs(head.value));
    }
    QCOMPARE(found[1].size(), wanted.size());
    for (const engine::RankedHead& head : found[1])
        QVERIFY2(std::abs(head.value - wanted.at(toText(head.head))) < 1e-4 * std::max(largest, 1e-3),
                 toText(head.head).c_str());
}

void TestDevice::layersArePlaced()
{
    const at::Device gpu(at::kCUDA, 0), other(at::kCUDA, 1), third(at::kCUDA, 2), cpu(at::kCPU);
    const auto ends = [](const std::vector<lm::PlacedLayers>& placement) {
        QList<int> all;
        for (const lm::PlacedLayers& part : placement)
            all << part.last;
        return all;
    };
    const lm::WeightSizes even{std::vector<std::int64_t>(12, 10), 40};
    const std::vector<std::optional<std::int64_t>> unknown(3);
    // The embedding counts as four layers.
    QCOMPARE(ends(lm::place({gpu, other}, even, 0, unknown)), QList<int>({4, 12}));
    QCOMPARE(ends(lm::place({gpu, other, third}, even, 0, unknown)), QList<int>({2, 8, 12}));
    // And less where layers keep something of the text besides.
    QCOMPARE(ends(lm::place({gpu, other}, even, 30, unknown)), QList<int>({6, 12}));
    // More devices than layers.
    QCOMPARE(ends(lm::place({gpu, other, third}, {{10}, 5}, 0, unknown)), QList<int>({0, 1, 1}));
    // The processor takes what is left over.
    QCOMPARE(ends(lm::place({gpu, other, cpu}, even, 0, {75, 40, 1})), QList<int>({3, 7, 12}));
    QCOMPARE(ends(lm::place({gpu, cpu}, even, 0, {1000, 1000})), QList<int>({12, 12}));
    QCOMPARE(ends(lm::place({gpu, cpu}, even, 0, {5, 1000})), QList<int>({0, 12}));
    const auto placement = lm::place({gpu, other}, even, 0, unknown);
    QCOMPARE(placement[0].bytes, std::int64_t{80});
    QCOMPARE(placement[1].bytes, std::int64_t{80});
    for (const auto& [text, words] :
         {std::pair("cuda:0,auto", "expected it alone"), std::pair("cpu,cuda:0", "the processor is not the last"),
          std::pair("cuda:1,cuda:1", "name a GPU twice"), std::pair("cuda,cuda:0", "name a GPU twice"),
          std::pair("cuda:all,cuda:1", "name a GPU twice"), std::pair("cuda:0,", "'' is not known"),
          std::pair("cuda:-1", "is not known"), std::pair("cuda:99999999999", "is not known"),
          std::pair("cuda:0;cuda:1", "is not known"), std::pair("cpu,cpu", "the processor is not the last")}) {
        const auto checked = lm::checkDevice(text);
        QVERIFY2(!checked.has_value() && checked.error().message.find(words) != std::string::npos, text);
        QVERIFY(!lm::parseDevices(text).has_value());
    }
    for (const char* text : {"cuda:0,cuda:1", "cuda:all", "cuda:all,cpu", "cuda,cpu", "cuda:1,cuda:0", "auto"})
        QVERIFY(lm::checkDevice(text).has_value());
    QCOMPARE(lm::deviceKind("cuda:0,cuda:1"), std::string("cuda"));
    QCOMPARE(lm::deviceKind("cuda:0,cpu"), std::string("cuda,cpu"));
    QCOMPARE(lm::deviceKind("cpu"), std::string("cpu"));
}

void TestDevice::transfersKeepNumbers()
{
    const at::Tensor x = at::arange(6, at::kFloat).view({2, 3});
    QVERIFY(lm::onDevice(x, at::kCPU).is_same(x));
    QVERIFY(lm::HostCopy(x).wait().is_same(x));
    for (const at::Tensor& there : {x, lm::onDevice(x, m_there)}) {
        QVERIFY(at::equal(lm::HostCopy(there).wait(), x));
        const at::Tensor turned = lm::HostCopy(there.t()).wait();
        QVERIFY(turned.is_cpu() && turned.is_contiguous() && at::equal(turned, x.t()));
    }
}

QTEST_GUILESS_MAIN(TestDevice)
#include "tst_device.moc"
