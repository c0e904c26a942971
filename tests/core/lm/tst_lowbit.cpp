// SPDX-License-Identifier: GPL-3.0-or-later
// Weights in 8 and 4 bits: what is rounded, that products, tables and parts of maps are those of the rounded weight,
// and that every family runs with them.
#include "core/lm/kernels/cpupacked.h"
#include "core/lm/load.h"
#include "core/lm/tree/treemixing.h"
#include "core/lm/weights/packedweight.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

using namespace headscope;
using lm::WeightForm;
namespace fs = std::filesystem;

namespace {

constexpr int kManyRows = 12; // from there on activations may be rounded to 16 bits

const fs::path kGolden = fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden";

at::Tensor normal(std::vector<std::int64_t> shape, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> draw;
    at::Tensor x = at::empty(shape, at::kFloat);
    for (std::int64_t i = 0; i < x.numel(); ++i)
        x.data_ptr<float>()[i] = draw(random);
    return x;
}

double furthest(const at::Tensor& a, const at::Tensor& b)
{
    return (a - b).abs().max().item<double>();
}

double relative(const at::Tensor& a, const at::Tensor& b)
{
    return ((a - b).norm() / b.norm()).item<double>();
}

WeightForm formOf(const QString& name)
{
    return lm::weightForm(name.toStdString());
}

} // namespace

class TestLowBit : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everySetPacksToTheSameBits_data();
    void everySetPacksToTheSameBits();
    void whatIsNotFiniteIsSaid();
    void productsAreThoseOfTheRoundedWeight_data();
    void productsAreThoseOfTheRoundedWeight();
    void manyRowsAreRoundedAlone();
    void whatIsNotFiniteIsNotRounded();
    void eightBitsAreWithinHalfAStep();
    void fourBitsFitTheirStepToTheGroup();
    void blocksOfFourBitsStayAsTheyAre();
    void weightsOfZeroAndOfOneSignStay();
    void rowsOfATableAreThoseOfTheWeight();
    void bytesAreForecast();
    void everyFamilyRuns_data();
    void everyFamilyRuns();
    void gradientsPassThrough();
    void whatIsPackedIsNoTensorForOthers();
    void aGpuIsRefused();
    void whatDoesNotFitIsTold();
};

namespace plain { // packing, one number after the other

void packRow(const float* row, std::int64_t in, std::uint8_t* codes, float& scale)
{
    float most = 0.0F;
    for (std::int64_t k = 0; k < in; ++k)
        most = std::max(most, std::abs(row[k]));
    const float inverse = most > 0 ? 127.0F / most : 0.0F;
    scale = most / 127.0F;
    for (std::int64_t k = 0; k < in; ++k) // of the smallest the inverse is no number
        codes[k * lm::kPackedPanel] = static_cast<std::uint8_t>(
            static_cast<std::int8_t>(std::isfinite(inverse) ? std::lrint(row[k] * inverse) : 0));
}

float rounded(const std::vector<float>& group, float step, std::vector<float>& steps)
{
    double product = 0, square = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
        steps[i] = step != 0 ? std::clamp(std::nearbyint(group[i] / step), -8.0F, 7.0F) : 0.0F;
        product += steps[i] * group[i];
        square += steps[i] * steps[i];
    }
    return square > 0 ? static_cast<float>(product / square) : 0.0F;
}

void packGroup(const std::vector<float>& group, std::int64_t n, std::uint32_t* words)
{
    const float farthest =
        *std::max_element(group.begin(), group.end(), [](float a, float b) { return std::abs(a) < std::abs(b); });
    std::vector<float> steps(group.size());
    const c10::Half step = std::clamp(rounded(group, farthest / -8.0F, steps), -65504.0F, 65504.0F);
    static_cast<void>(rounded(group, step, steps));
    reinterpret_cast<c10::Half*>(words)[n] = step;
    for (std::int64_t i = 0; i < lm::kPackedGroup; ++i) {
        std::uint32_t& word = words[lm::kPackedScaleWords + i / lm::kPackedWord * lm::kPackedPanel + n];
        word |= static_cast<std::uint32_t>(steps[static_cast<std::size_t>(i)] + 8) << (4 * (i % lm::kPackedWord));
    }
}

struct Panel {
    std::vector<std::uint32_t> words;
    std::vector<std::uint8_t> codes;
    std::vector<float> scales = std::vector<float>(lm::kPackedPanel);
    bool operator==(const Panel&) const = default;

    explicit Panel(std::int64_t in)
        : words(static_cast<std::size_t>((in + lm::kPackedGroup - 1) / lm::kPackedGroup * lm::kPackedGroupWords)),
          codes(static_cast<std::size_t>(in * lm::kPackedPanel))
    {
    }
    // Of at most 64 rows; those that are not there are zeros, and so is what fills up a group.
    explicit Panel(const at::Tensor& weight) : Panel(weight.size(1))
    {
        const std::int64_t in = weight.size(1), groups = (in + lm::kPackedGroup - 1) / lm::kPackedGroup;
        const at::Tensor filled = at::zeros({lm::kPackedPanel, groups * lm::kPackedGroup}, at::kFloat);
        filled.narrow(0, 0, weight.size(0)).narrow(1, 0, in).copy_(weight);
        for (std::int64_t n = 0; n < lm::kPackedPanel; ++n) {
            const float* const row = filled[n].data_ptr<float>();
            packRow(row, in, codes.data() + n, scales[static_cast<std::size_t>(n)]);
            for (std::int64_t group = 0; group < groups; ++group)
                packGroup({row + group * lm::kPackedGroup, row + (group + 1) * lm::kPackedGroup}, n,
                          words.data() + group * lm::kPackedGroupWords);
        }
    }
};

} // namespace plain

// One panel in both forms.
bool packWith(lm::KernelSet set, const at::Tensor& weight, plain::Panel& to)
{
    lm::PanelToPack panel;
    panel.numbers = weight.data_ptr();
    panel.stored = weight.scalar_type() == at::kFloat  ? lm::StoredNumber::Float
                   : weight.scalar_type() == at::kHalf ? lm::StoredNumber::Half
                                                       : lm::StoredNumber::Bfloat;
    panel.stride = weight.stride(0);
    panel.count = weight.size(0);
    panel.in = weight.size(1);
    panel.codes = to.codes.data();
    panel.scales = to.scales.data();
    panel.words = to.words.data();
    const bool eight = lm::packedKernels(set).pack(panel);
    panel.bits = 4;
    return lm::packedKernels(set).pack(panel) && eight;
}

// Numbers that are hard to round: of every size, denormal ones among them, on steps and between two of them, of one
// size, hardly any but 0, and of sizes far apart.
std::vector<at::Tensor> hardWeights(std::int64_t out, std::int64_t in)
{
    const at::Tensor random = normal({out, in}, 21), none = at::zeros({out, in}, at::kFloat);
    const at::Tensor steps = at::round(random * 3) * 0.5, sizes = at::exp2(normal({out, in}, 22) * 30).clamp(0, 1e37);
    std::vector<at::Tensor> weights = {
        none,         -none, random, steps, at::sign(random), random * sizes, at::where(random > 2, random, none),
        random * 1e-3};
    for (const double size : {1e-45, 1e-42, 1e-38, 4e-37, 1e-8, 6e-8, 3e-5, 1e5, 6e4, 1e30, 1e38})
        weights.push_back((random / random.abs().max() * size).to(at::kFloat));
    return weights;
}

void TestLowBit::everySetPacksToTheSameBits_data()
{
    QTest::addColumn<int>("set");
    QTest::newRow("baseline") << static_cast<int>(lm::KernelSet::Baseline);
    QTest::newRow("avx2") << static_cast<int>(lm::KernelSet::Avx2);
    QTest::newRow("avx512") << static_cast<int>(lm::KernelSet::Avx512);
}

void TestLowBit::everySetPacksToTheSameBits()
{
    QFETCH(const int, set);
    const auto kernels = static_cast<lm::KernelSet>(set);
    if (!lm::runsHere(kernels))
        QSKIP("this processor or build lacks the instructions");
    for (const auto& [out, in] : {std::pair(64, 96), std::pair(64, 33), std::pair(13, 70), std::pair(1, 1)})
        for (const at::Tensor& weight : hardWeights(out, in))
            for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf}) {
                const at::Tensor stored = weight.to(type), numbers = stored.to(at::kFloat);
                if (!at::isfinite(numbers).all().item<bool>())
                    continue; // too large for fp16
                plain::Panel got(in);
                std::fill(got.words.begin(), got.words.end(), 0xDEADBEEF); // all of it is written
                std::fill(got.codes.begin(), got.codes.end(), std::uint8_t{0xAA});
                QVERIFY(packWith(kernels, stored, got));
                QVERIFY2(got == plain::Panel(numbers), qPrintable(QStringLiteral("%1 x %2, up to %3, %4")
                                                                      .arg(out)
                                                                      .arg(in)
                                                                      .arg(numbers.abs().max().item<double>())
                                                                      .arg(QLatin1String(c10::toString(type)))));
            }
}

void TestLowBit::whatIsNotFiniteIsSaid()
{
    constexpr double kNone = std::numeric_limits<double>::infinity();
    for (const auto set : {lm::KernelSet::Baseline, lm::KernelSet::Avx2, lm::KernelSet::Avx512})
        for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf})
            for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kNone, -kNone, 65504.0}) {
                at::Tensor weight = normal({20, 70}, 23).to(type);
                weight[19][69] = bad;
                plain::Panel panel(70);
                if (lm::runsHere(set))
                    QCOMPARE(packWith(set, weight, panel), std::isfinite(bad));
                for (const WeightForm form : {WeightForm::Int8, WeightForm::Int4})
                    QCOMPARE(lm::PackedWeight(weight, form).finite(), std::isfinite(bad));
            }
}

void TestLowBit::productsAreThoseOfTheRoundedWeight_data()
{
    QTest::addColumn<QString>("form");
    QTest::addColumn<int>("out");
    QTest::addColumn<int>("in");
    for (const char* form : {"int8", "int4"})
        for (const auto& [out, in] : {std::pair(64, 32), std::pair(100, 70), std::pair(7, 129), std::pair(200, 2100)})
            QTest::addRow("%s %d x %d", form, out, in) << QString::fromLatin1(form) << out << in;
}

void TestLowBit::productsAreThoseOfTheRoundedWeight()
{
    QFETCH(const QString, form);
    QFETCH(const int, out);
    QFETCH(const int, in);
    const at::Tensor weight = normal({out, in}, 1), bias = normal({out}, 2);
    const lm::PackedWeight packed(weight, formOf(form));
    const at::Tensor dense = packed.dense();
    QCOMPARE(dense.sizes().vec(), weight.sizes().vec());
    QVERIFY(relative(dense, weight) < (form == u"int8" ? 0.01 : 0.1));
    for (const int rows : {1, 2, 5, 12, 70, 250}) {
        const at::Tensor x = normal({rows, in}, 3);
        const at::Tensor wanted = at::linear(x.to(at::kDouble), dense.to(at::kDouble), bias.to(at::kDouble));
        const double off = relative(packed.product(x, bias).to(at::kDouble), wanted),
                     half = relative(at::linear(x.to(at::kBFloat16), dense.to(at::kBFloat16), bias.to(at::kBFloat16))
                                         .to(at::kDouble),
                                     wanted);
        QVERIFY2(off < (rows == 1 && form == u"int4" ? 1e-4
                        : rows < kManyRows           ? 1e-6
                        : form == u"int8"            ? 5e-5
                                                     : half / 2),
                 qPrintable(QStringLiteral("%1: %2, bf16 %3").arg(rows).arg(off).arg(half)));
    }
    at::Tensor wide = at::zeros({3, out + 5}, at::kFloat), part = wide.narrow(1, 0, out);
    const at::Tensor x = normal({3, in}, 4);
    packed.productInto(part, x, {});
    QVERIFY(relative(part, at::linear(x, dense)) < 1e-5);
    QCOMPARE(wide.narrow(1, out, 5).abs().max().item<double>(), 0.0);
    QVERIFY(packed.inputs(in / 3, in / 2).equal(dense.narrow(1, in / 3, in / 2)));
    QVERIFY(lm::PackedWeight(weight.t().contiguous().t(), formOf(form)).dense().equal(dense)); // whatever the strides
}

// Where many rows are rounded to 16 bits, each is for itself and a large number costs only its own block: the same row
// is the same in any company, and neighbours of a number a thousand times theirs in another block stay as exact.
void TestLowBit::manyRowsAreRoundedAlone()
{
    for (const WeightForm form : {WeightForm::Int8, WeightForm::Int4}) {
        const lm::PackedWeight packed(normal({130, 600}, 15), form);
        const at::Tensor x = normal({40, 600}, 16);
        const at::Tensor all = packed.product(x, {});
        QVERIFY(packed.product(x.narrow(0, 7, 20), {}).equal(all.narrow(0, 7, 20)));
        at::Tensor loud = x.clone();
        loud.select(1, 140).fill_(1000);
        const at::Tensor rest =
            packed.product(loud, {}) - at::outer(loud.select(1, 140), packed.dense().select(1, 140));
        at::Tensor without = x.clone();
        without.select(1, 140).zero_();
        const at::Tensor wanted = at::linear(without, packed.dense());
        QVERIFY2(relative(rest, wanted) < (form == WeightForm::Int8 ? 2e-2 : 6e-2),
                 qPrintable(QString::number(relative(rest, wanted))));
    }
}

void TestLowBit::whatIsNotFiniteIsNotRounded()
{
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        at::Tensor x = normal({20, 64}, 17);
        x[3][40] = bad;
        const at::Tensor got = lm::PackedWeight(normal({70, 64}, 18), WeightForm::Int8).product(x, {});
        QVERIFY(!at::isfinite(got.select(0, 3)).any().item<bool>());
        QVERIFY(at::isfinite(got.select(0, 4)).all().item<bool>());
    }
    const at::Tensor none = at::zeros({20, 64}, at::kFloat), tiny = at::full({20, 64}, 1e-38, at::kFloat);
    const lm::PackedWeight packed(normal({70, 64}, 18), WeightForm::Int4);
    QVERIFY(packed.product(none, {}).equal(at::zeros({20, 70}, at::kFloat)));
    QVERIFY(at::isfinite(packed.product(tiny, {})).all().item<bool>());
}

void TestLowBit::eightBitsAreWithinHalfAStep()
{
    const at::Tensor weight = normal({65, 300}, 5) * at::logspace(-3, 3, 65).unsqueeze(1);
    const at::Tensor step = std::get<0>(weight.abs().max(1, true)) / 127;
    const at::Tensor off = (lm::PackedWeight(weight, WeightForm::Int8).dense() - weight).abs() / step;
    QVERIFY2(off.max().item<double>() <= 0.5 + 1e-3, qPrintable(QString::number(off.max().item<double>())));
}

void TestLowBit::fourBitsFitTheirStepToTheGroup()
{
    // What is on the steps of a group already stays, up to the rounding of a step to fp16.
    const at::Tensor codes = at::randint(-8, 8, {70, 96}, at::kFloat);
    codes.view({70, 3, 32}).select(2, 0).fill_(-8);
    const at::Tensor scales = at::exp(normal({70, 3, 1}, 6)) * 0.01;
    const at::Tensor weight = (codes.view({70, 3, 32}) * scales).view({70, 96});
    const at::Tensor dense = lm::PackedWeight(weight, WeightForm::Int4).dense();
    QVERIFY2(relative(dense, weight) < 5e-4, qPrintable(QString::number(relative(dense, weight))));
    // And the step is not the one of the largest number alone: no other one within a tenth is better by much.
    const at::Tensor random = normal({64, 32}, 7), found = lm::PackedWeight(random, WeightForm::Int4).dense();
    const double naive = [&] {
        const at::Tensor largest = random.gather(1, random.abs().argmax(1, true)), step = largest / -8;
        return relative((random / step).round().clamp(-8, 7) * step, random);
    }();
    QVERIFY(relative(found, random) < naive);
}

// GGUF's Q4_0: groups of 32 with an fp16 step, the farthest number -8 steps from 0. Its own bits are what is kept.
void TestLowBit::blocksOfFourBitsStayAsTheyAre()
{
    const at::Tensor codes = at::randint(-7, 8, {70, 3, 32}, at::kFloat);
    codes.select(2, 5).fill_(-8);
    const at::Tensor steps = (normal({70, 3, 1}, 14) * 0.01).to(at::kHalf).to(at::kFloat);
    const at::Tensor weight = (codes * steps).view({70, 96});
    QVERIFY(lm::PackedWeight(weight, WeightForm::Int4).dense().equal(weight));
}

void TestLowBit::weightsOfZeroAndOfOneSignStay()
{
    for (const WeightForm form : {WeightForm::Int8, WeightForm::Int4}) {
        QVERIFY(lm::PackedWeight(at::zeros({64, 40}, at::kFloat), form).dense().equal(at::zeros({64, 40}, at::kFloat)));
        for (const double value : {3.0, -3.0})
            QVERIFY(furthest(lm::PackedWeight(at::full({64, 40}, value, at::kFloat), form).dense(),
                             at::full({64, 40}, value, at::kFloat))
                    < 2e-3);
    }
}

void TestLowBit::rowsOfATableAreThoseOfTheWeight()
{
    const lm::PackedWeight table(normal({150, 40}, 8), WeightForm::Int8);
    const at::Tensor ids = at::tensor({0, 149, 64, 63, 64, 7}, at::kLong).view({2, 3});
    QVERIFY(table.rows(ids).equal(at::embedding(table.dense(), ids)));
    QVERIFY_THROWS_EXCEPTION(c10::Error, static_cast<void>(table.rows(at::tensor({150}, at::kLong))));
}

void TestLowBit::bytesAreForecast()
{
    for (const WeightForm form : {WeightForm::Int8, WeightForm::Int4})
        for (const auto& [out, in] : {std::pair(64, 32), std::pair(100, 70), std::pair(4096, 64)})
            QCOMPARE(lm::PackedWeight(normal({out, in}, 9), form).bytes(), lm::PackedWeight::bytesFor(out, in, form));
    const double full = 4.0 * 2048 * 2048;
    QVERIFY(static_cast<double>(lm::PackedWeight::bytesFor(2048, 2048, WeightForm::Int8)) < 0.26 * full);
    QVERIFY(static_cast<double>(lm::PackedWeight::bytesFor(2048, 2048, WeightForm::Int4)) < 0.15 * full);
}

void TestLowBit::everyFamilyRuns_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("form");
    for (const fs::path& room : {kGolden, kGolden / "hub"})
        for (const auto& entry : fs::directory_iterator(room))
            if (fs::exists(entry.path() / "config.json"))
                for (const char* form : {"int8", "int4"})
                    QTest::addRow("%s %s", entry.path().filename().c_str(), form)
                        << QString::fromStdString(entry.path().string()) << QString::fromLatin1(form);
}

// The models are random and as small as they can be, so that the numbers are held to be near only; what is exact is
// that products with packed maps are those with the rounded ones, above.
void TestLowBit::everyFamilyRuns()
{
    QFETCH(const QString, folder);
    QFETCH(const QString, form);
    const c10::NoGradGuard noGrad;
    const auto full = lm::load(folder.toStdString(), {.device = "cpu", .dtype = "fp32"});
    const auto few = lm::load(folder.toStdString(), {.device = "cpu", .dtype = form.toStdString()});
    QVERIFY2(full.has_value(), full.has_value() ? "" : full.error().message.c_str());
    QVERIFY2(few.has_value(), few.has_value() ? "" : few.error().message.c_str());
    QCOMPARE(few->dtype, form.toStdString());
    QCOMPARE(few->contentHash, full->contentHash); // the same model: what differs is how it is computed
    QCOMPARE(few->model->spec().parameters, full->model->spec().parameters);
    // Maps of fewer numbers than a scale is for take no less.
    QVERIFY(few->bytes < full->bytes || (few->bytes == full->bytes && full->model->spec().hidden < 16));
    const auto inspected = lm::inspect(folder.toStdString(), {.device = "cpu", .dtype = form.toStdString()});
    QCOMPARE(inspected->bytes, few->bytes);
    const at::Tensor ids = at::arange(0, 24, at::kLong).unsqueeze(0) % full->model->spec().vocabulary;
    const at::Tensor wanted = full->model->logits(ids), got = few->model->logits(ids);
    QCOMPARE(wanted.equal(got), few->bytes == full->bytes); // something was rounded
    const double off = relative(got - got.mean(-1, true), wanted - wanted.mean(-1, true));
    // A router of random numbers chooses by close calls, and another expert is another function.
    const bool experts = std::ranges::any_of(full->model->spec().layers, [](const auto& l) { return l.experts > 0; });
    QVERIFY2(off < (form == u"int8" ? (experts ? 0.3 : 0.1) : 0.75), qPrintable(QString::number(off)));
}

void TestLowBit::gradientsPassThrough()
{
    const lm::Linear map{lm::asTensor(std::make_shared<const lm::PackedWeight>(normal({70, 40}, 10), WeightForm::Int8)),
                         {}};
    at::Tensor x = normal({3, 40}, 11).requires_grad_(true);
    map(x).sum().backward();
    QVERIFY(relative(x.grad(), lm::denseOf(map.weight).sum(0).expand({3, 40})) < 1e-5);
}

void TestLowBit::whatIsPackedIsNoTensorForOthers()
{
    const at::Tensor packed =
        lm::asTensor(std::make_shared<const lm::PackedWeight>(normal({70, 40}, 12), WeightForm::Int4));
    QCOMPARE(packed.sizes().vec(), std::vector<std::int64_t>({70, 40}));
    QVERIFY(lm::packedIn(packed) && !lm::packedIn(normal({70, 40}, 12)) && !lm::packedIn({}));
    QVERIFY_THROWS_EXCEPTION(c10::Error, static_cast<void>(packed.narrow(0, 0, 1))); // nobody computes with nothing
    QVERIFY_THROWS_EXCEPTION(c10::Error, static_cast<void>(at::matmul(packed, normal({40, 1}, 13))));
}

void TestLowBit::aGpuIsRefused()
{
    const auto loaded = lm::load(kGolden / "llama", {.device = "cuda", .dtype = "int4"});
    QVERIFY(!loaded.has_value());
    QCOMPARE(loaded.error().message,
             std::string("Weights in int4 are for the processor; expected the device auto or cpu."));
}

void TestLowBit::whatDoesNotFitIsTold()
{
    const auto loaded = lm::load(kGolden / "llama", {.device = "cpu", .dtype = "int8", .memoryLimit = 1'000});
    QVERIFY(!loaded.has_value());
    QCOMPARE(loaded.error().kind, Error::Kind::Memory);
    QVERIFY2(loaded.error().message.find("of weights in int8") != std::string::npos, loaded.error().message.c_str());
}

QTEST_GUILESS_MAIN(TestLowBit)
#include "tst_lowbit.moc"
