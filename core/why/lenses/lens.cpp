// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/why/lenses/lens.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace headscope::why {

namespace {

// Logits of so many numbers are made at one time, and on the processor so many of them read, which stay in its cache.
constexpr std::int64_t kLensNumbers = std::int64_t{1} << 24, kReadNumbers = std::int64_t{1} << 19;

// The `top` largest of each row [n, V] and where they are, from the parts whose largest are the largest: a whole row is
// seen once, not sorted.
std::pair<at::Tensor, at::Tensor> largest(const at::Tensor& rows, int top)
{
    constexpr std::int64_t kPart = 64;
    const std::int64_t parts = rows.size(1) / kPart, whole = parts * kPart;
    if (parts < 2 * top) {
        const auto [best, ids] = rows.topk(top, -1);
        return {best, ids};
    }
    const at::TensorOptions whereOptions = rows.options().dtype(at::kLong);
    const at::Tensor chosen = std::get<1>(rows.narrow(1, 0, whole).unflatten(1, {parts, kPart}).amax(-1).topk(top, -1));
    const at::Tensor inside = (chosen.unsqueeze(-1) * kPart + at::arange(kPart, whereOptions)).flatten(1);
    const at::Tensor behind = at::arange(whole, rows.size(1), whereOptions).expand({rows.size(0), -1});
    const at::Tensor candidates = at::cat({inside, behind}, 1);
    const auto [best, at] = rows.gather(1, candidates).topk(top, -1);
    return {best, candidates.gather(1, at)};
}

void readCells(const at::Tensor& logits, int top, const at::Tensor& followed, LensCell* cells)
{
    const at::Tensor logs = at::log_softmax(logits, -1); // [n, V]
    const auto [best, ids] = largest(logs, top);
    // What has no probability adds none: 0 * log 0 is 0.
    const at::Tensor entropy = -(logs.exp().mul_(logs.clamp_min(std::numeric_limits<float>::lowest()))).sum(-1);
    const at::Tensor own = logs.gather(1, followed.unsqueeze(1)); // [n, 1]
    const at::Tensor rank = (logs > own).sum(-1);
    const at::Tensor bestHost = best.exp().cpu().contiguous(), idsHost = ids.cpu().contiguous(),
                     entropyHost = entropy.cpu().contiguous(), ownHost = own.cpu().contiguous(),
                     rankHost = rank.cpu().contiguous();
    for (std::int64_t i = 0; i < logits.size(0); ++i) {
        LensCell& cell = cells[i];
        for (std::int64_t k = 0; k < top; ++k)
            cell.top.push_back({static_cast<int>(idsHost.data_ptr<std::int64_t>()[i * top + k]),
                                bestHost.data_ptr<float>()[i * top + k]});
        cell.entropy = entropyHost.data_ptr<float>()[i];
        cell.logProbability = ownHost.data_ptr<float>()[i];
        cell.rank = static_cast<int>(rankHost.data_ptr<std::int64_t>()[i]);
    }
}

} // namespace

std::optional<at::Tensor> JacobianLens::carried(const at::Tensor& stream, int layer, int layers) const
{
    if (layer == layers)
        return stream;
    const auto found = before.find(layer);
    if (found == before.end())
        return std::nullopt;
    const at::Tensor& matrix = found->second;
    const at::Tensor own = stream.narrow(-1, 0, matrix.size(0)).to(at::kFloat);
    return at::matmul(own, matrix.to(own.device()).t()).to(stream.scalar_type());
}

at::Tensor lensLogits(const lm::Model& model, const Recording& run, int layer, std::int64_t first, std::int64_t count,
                      const JacobianLens* fitted)
{
    const at::Tensor own = run.streams[static_cast<std::size_t>(layer)].narrow(1, first, count).contiguous();
    const auto carried = fitted ? fitted->carried(own, layer, run.layers()) : own;
    return carried ? model.unembed(*carried)[0] : at::Tensor();
}

std::vector<LensCell> lastLens(const lm::Model& model, const Recording& run, int token)
{
    std::vector<LensCell> cells(static_cast<std::size_t>(run.layers()) + 1);
    const at::Tensor followed = at::full({1}, token, run.ids.options());
    for (int layer = 0; layer <= run.layers(); ++layer)
        readCells(lensLogits(model, run, layer, run.length() - 1, 1), 0, followed,
                  &cells[static_cast<std::size_t>(layer)]);
    return cells;
}

Result<Lens> lens(const lm::Model& model, const Recording& run, const LensOptions& options, const Control& control)
{
    const int vocabulary = model.spec().vocabulary, top = std::clamp(options.top, 1, vocabulary);
    const std::optional<int>& followed = options.followed;
    if (followed && (*followed < 0 || *followed >= vocabulary))
        return inputError("There is no token " + std::to_string(*followed) + "; expected 0 to "
                          + std::to_string(vocabulary - 1) + ".");
    const std::int64_t length = run.length();
    Lens seen{run.layers() + 1, static_cast<int>(length), {}};
    seen.cells.resize(static_cast<std::size_t>(seen.layers) * static_cast<std::size_t>(length));
    const std::int64_t step = std::clamp<std::int64_t>(kLensNumbers / vocabulary, 1, length);
    for (std::int64_t first = 0; first < length; first += step) {
        const std::int64_t count = std::min(step, length - first);
        const at::Tensor end = lensLogits(model, run, run.layers(), first, count);
        const at::Tensor token = followed ? at::full({count}, *followed, run.ids.options()) : end.argmax(-1);
        for (int layer = 0; layer < seen.layers; ++layer) {
            if (control.stopped())
                return cancelledError();
            const at::Tensor logits =
                layer == run.layers() ? end : lensLogits(model, run, layer, first, count, options.fitted);
            if (!logits.defined())
                continue;
            const std::int64_t some = logits.is_cpu() ? std::max<std::int64_t>(kReadNumbers / vocabulary, 1) : count;
            for (std::int64_t i = 0; i < count; i += some) {
                const std::int64_t rows = std::min(some, count - i);
                readCells(logits.narrow(0, i, rows), top, token.narrow(0, i, rows),
                          &seen.cells[static_cast<std::size_t>(layer * length + first + i)]);
            }
            control.progress("lens", first * seen.layers + (layer + 1) * count, length * seen.layers);
        }
    }
    return seen;
}

std::vector<double> topAgreement(const lm::Model& model, const Recording& run, std::int64_t first,
                                 const JacobianLens* fitted)
{
    const std::int64_t count = run.length() - first;
    const at::Tensor output = lensLogits(model, run, run.layers(), first, count).argmax(-1);
    std::vector<double> shares;
    for (int layer = 0; layer < run.layers(); ++layer) {
        const at::Tensor logits = lensLogits(model, run, layer, first, count, fitted);
        shares.push_back(logits.defined() ? logits.argmax(-1).eq(output).to(at::kDouble).mean().item<double>()
                                          : std::numeric_limits<double>::quiet_NaN());
    }
    return shares;
}

std::optional<int> firstTopLayer(const Lens& lens, int position, int token)
{
    std::optional<int> first;
    const auto isTop = [&](const LensCell& cell) { return !cell.top.empty() && cell.top.front().id == token; };
    for (int layer = lens.layers - 1; layer >= 0 && isTop(lens.at(layer, position)); --layer)
        first = layer;
    return first;
}

} // namespace headscope::why
