// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/headweights.h"

#include "core/lm/device/transfer.h"
#include "core/lm/weights/packedweight.h"

#include <algorithm>
#include <cmath>

namespace headscope::why {

namespace {

at::Tensor doubled(const at::Tensor& x)
{
    return x.to(at::kDouble);
}

// x [.., D] times the weight of a norm.
at::Tensor timesWeight(const at::Tensor& x, const lm::Norm& norm)
{
    if (!norm.weight.defined())
        return x;
    return x * (norm.kind == lm::NormKind::RmsPlusOne ? doubled(norm.weight) + 1.0 : doubled(norm.weight));
}

// x [.., D] as a norm centres it.
at::Tensor minusMean(const at::Tensor& x, const lm::Norm& norm)
{
    return norm.kind == lm::NormKind::Layer ? x - x.mean(-1, true) : x;
}

// A map that reads through a norm: its weight and centring folded in. map: [.., D].
at::Tensor folded(const at::Tensor& map, const lm::Norm& norm)
{
    return minusMean(timesWeight(doubled(map), norm), norm);
}

// The same for a map whose output passes the norm, which centres before it weighs. map: [D, P].
at::Tensor foldedBehind(const at::Tensor& map, const lm::Norm& norm)
{
    return timesWeight(minusMean(doubled(map).t(), norm), norm).t();
}

double trace(const at::Tensor& a, const at::Tensor& b) // of a b, both symmetric
{
    return (a * b).sum().item<double>();
}

at::Tensor gram(const at::Tensor& rows)
{
    return at::matmul(rows, rows.t());
}

// |left^T middle right| squared, left: [m, D], right: [n, D], middle: [m, n].
double squared(const at::Tensor& leftGram, const at::Tensor& middle, const at::Tensor& rightGram)
{
    return trace(at::matmul(at::matmul(middle.t(), leftGram), middle), rightGram);
}

std::vector<std::pair<int, double>> nearest(const at::Tensor& table, const at::Tensor& direction, int count)
{
    const auto [values, ids] = at::matmul(table, direction).topk(std::min<std::int64_t>(count, table.size(0)));
    std::vector<std::pair<int, double>> tokens;
    for (std::int64_t i = 0; i < ids.size(0); ++i)
        tokens.emplace_back(static_cast<int>(ids[i].item<std::int64_t>()), values[i].item<double>());
    return tokens;
}

} // namespace

Result<std::vector<HeadFactors>> headFactors(const lm::Model& model, int layer, Site site)
{
    const lm::SiteReader reader = model.parts().blocks[static_cast<std::size_t>(layer)]->reader(site);
    if (!reader.mixer)
        return inputError("The weights of the heads of layer L" + std::to_string(layer)
                          + " cannot be read as maps of the stream: the layer has no such mixer, or it reads more than "
                            "the stream and writes into another mixer.");
    std::vector<HeadFactors> heads;
    for (int head = 0; head < reader.mixer->spec().heads; ++head) {
        const lm::HeadMaps maps = reader.mixer->headMaps(head);
        const auto home = [&](const at::Tensor& map) { return lm::onDevice(map, model.device()); };
        HeadFactors factors;
        factors.value = home(folded(maps.value, *reader.norm));
        factors.output = home(reader.postNorm ? foldedBehind(maps.output, *reader.postNorm) : doubled(maps.output));
        if (!maps.normed && maps.query.defined()) {
            factors.query = home(folded(maps.query, *reader.norm));
            factors.key = home(folded(maps.key, *reader.norm));
        }
        heads.push_back(std::move(factors));
    }
    return heads;
}

Result<ModelFactors> modelFactors(const lm::Model& model, const Control& control)
{
    ModelFactors all;
    const int layers = static_cast<int>(model.spec().layers.size());
    for (int layer = 0; layer < layers; ++layer) {
        for (const lm::MixerSpec& mixer : model.spec().layers[static_cast<std::size_t>(layer)].mixers) {
            if (control.stopped())
                return cancelledError();
            auto heads = headFactors(model, layer, mixer.site());
            if (heads.has_value())
                all.layers.push_back({layer, mixer.kind, mixer.site(), std::move(*heads)});
            else
                all.undefined.push_back(heads.error().message);
        }
        control.progress("reading weights", layer + 1, layers);
    }
    if (all.layers.empty())
        return inputError(all.undefined.empty() ? "The model has no heads." : all.undefined.front());
    return all;
}

Result<VocabularyMap> vocabularyMap(const lm::Model& model, const Control& control)
{
    const lm::ModelParts& parts = model.parts();
    const std::int64_t tokens = std::min(parts.embedding.size(0), parts.head.weight.size(0)), step = 4096;
    at::Tensor middle;
    for (std::int64_t first = 0; first < tokens; first += step) {
        if (control.stopped())
            return cancelledError();
        const std::int64_t count = std::min(step, tokens - first);
        const at::Tensor ids = at::arange(first, first + count, at::TensorOptions(at::kLong).device(model.device()));
        const at::Tensor part =
            at::matmul(doubled(model.tokenRows(ids)).t(), folded(lm::rowsOf(parts.head.weight, ids), parts.finalNorm));
        middle = middle.defined() ? middle + part : part;
        control.progress("reading the vocabulary", first + count, tokens);
    }
    return VocabularyMap{middle};
}

std::vector<double> copyingScores(const VocabularyMap& vocabulary, const std::vector<HeadFactors>& heads)
{
    // Tr and eigenvalues of U' O V E'^T are those of V (E'^T U') O, P x P.
    std::vector<double> scores;
    for (const HeadFactors& head : heads) {
        const at::Tensor values =
            at::linalg_eigvals(at::matmul(at::matmul(head.value, vocabulary.middle), head.output).cpu());
        const double magnitude = values.abs().sum().item<double>();
        scores.push_back(magnitude > 0 ? at::real(values).sum().item<double>() / magnitude : 0.0);
    }
    return scores;
}

Result<std::vector<std::vector<double>>> compositionScores(const std::vector<HeadFactors>& senders,
                                                           const std::vector<HeadFactors>& receivers, Composition kind)
{
    std::vector<std::vector<double>> scores;
    for (const HeadFactors& sender : senders) {
        const at::Tensor senderValue = gram(sender.value); // V V^T
        const double senderNorm = std::sqrt(trace(gram(sender.output.t()), senderValue));
        std::vector<double>& row = scores.emplace_back();
        for (const HeadFactors& receiver : receivers) {
            if (kind != Composition::Value && !receiver.query.defined())
                return inputError(
                    "These heads have no queries and keys, or they pass a norm of their own, so their product "
                    "is not a score; value composition and copying are defined.");
            // second = left^T right: QK^T = K^T Q, QK = Q^T K, OV = O V.
            const at::Tensor left = kind == Composition::Query ? receiver.key
                                    : kind == Composition::Key ? receiver.query
                                                               : receiver.output.t();
            const at::Tensor right = kind == Composition::Query ? receiver.query
                                     : kind == Composition::Key ? receiver.key
                                                                : receiver.value;
            const at::Tensor leftGram = gram(left);
            const double secondNorm = std::sqrt(trace(leftGram, gram(right)));
            const double together =
                std::sqrt(std::max(squared(leftGram, at::matmul(right, sender.output), senderValue), 0.0));
            row.push_back(secondNorm * senderNorm > 0 ? together / (secondNorm * senderNorm) : 0.0);
        }
    }
    return scores;
}

double randomComposition(const lm::Model& model)
{
    return 1.0 / std::sqrt(static_cast<double>(model.spec().hidden));
}

Result<std::vector<SingularDirection>> singularDirections(const lm::Model& model, const HeadFactors& head,
                                                          HeadMatrix matrix, int count, int tokens)
{
    const bool ov = matrix == HeadMatrix::OutputValue;
    if (!ov && !head.query.defined())
        return inputError("This head has no queries and keys, or they pass a norm of their own, so their product "
                          "is not a score; the directions of OV are defined.");
    // left^T right with thin factors: two QR decompositions and an SVD of P x P.
    const at::Tensor left = (ov ? head.output : head.query.t()).cpu(), right = (ov ? head.value : head.key).cpu();
    const auto [leftQ, leftR] = at::linalg_qr(left);
    const auto [rightQ, rightR] = at::linalg_qr(right.t());
    const auto [u, s, vh] = at::linalg_svd(at::matmul(leftR, rightR.t()), false);
    const at::Tensor writes = at::matmul(leftQ, u), reads = at::matmul(rightQ, vh.t()); // [D, P]
    const at::Tensor embedding = doubled(model.parts().embeddingNorm(lm::denseOf(model.parts().embedding))).cpu(),
                     unembedding = folded(lm::denseOf(model.parts().head.weight), model.parts().finalNorm).cpu();
    std::vector<SingularDirection> directions;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(count, s.size(0)); ++i) {
        at::Tensor read = reads.select(1, i), write = writes.select(1, i);
        const at::Tensor products = at::matmul(embedding, read);
        if (-products.min().item<double>() > products.max().item<double>()) {
            read = -read;
            write = -write;
        }
        directions.push_back({s[i].item<double>(), nearest(embedding, read, tokens),
                              nearest(ov ? unembedding : embedding, write, tokens)});
    }
    return directions;
}

} // namespace headscope::why
