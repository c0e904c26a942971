// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/mixers/attention.h"

#include "core/lm/mixers/attentiontiles.h"
#include "core/lm/mixers/fusedattention.h"
#include "core/lm/mixers/nexttoken.h"
#include "core/lm/tree/treemixing.h"
#include "core/lm/weights/packedweight.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>

namespace headscope::lm {

namespace {

// x: [B, H, T, P], fp32, turned by the angles of its T positions, in place where its memory is its own.
at::Tensor turned(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine)
{
    const at::Tensor out = x.transpose(1, 2).contiguous();
    const std::int64_t length = x.size(2), stride = x.size(1) * x.size(3);
    std::vector<std::int64_t> positions(static_cast<std::size_t>(x.size(0) * length));
    for (std::size_t i = 0; i < positions.size(); ++i)
        positions[i] = static_cast<std::int64_t>(i) % length;
    cpuKernels().rotate(out.data_ptr<float>(), stride, x.size(0) * length, x.size(1), x.size(3), cosine.size(1),
                        cosine.data_ptr<float>(), sine.data_ptr<float>(), positions.data());
    return out.transpose(1, 2);
}

// The wanted heads (empty: all) as an index, and the key heads that they read.
std::pair<at::Tensor, at::Tensor> indexOf(const std::vector<int>& wanted, const MixerSpec& spec,
                                          const at::Device& device)
{
    const at::Tensor own = wanted.empty()
                               ? at::arange(spec.heads, at::kLong)
                               : at::tensor(std::vector<std::int64_t>(wanted.begin(), wanted.end()), at::kLong);
    return {own.to(device), own.floor_divide(spec.heads / spec.kvHeads).to(device)};
}

// Of a map to heads of `headDim` numbers the part that makes some of them.
Linear toHeads(const Linear& all, const at::Tensor& heads, std::int64_t headDim)
{
    const auto part = [&](const at::Tensor& x) {
        return x.defined() ? x.unflatten(0, {-1, headDim}).index_select(0, heads).flatten(0, 1) : x;
    };
    return {part(denseOf(all.weight)), part(all.bias), all.adapterIn, part(all.adapterOut)};
}

// Whether each sample's chosen rows are in order.
bool ascending(const at::Tensor& rows)
{
    return rows.size(1) < 2 || at::all(rows.diff(1, 1) >= 0).item<bool>();
}

} // namespace

// Norms and factor of queries and keys, along their last dimension.
at::Tensor Attention::normedQueries(const at::Tensor& q) const
{
    return m_w.queryNorm && !m_w.normsAllHeads ? (*m_w.queryNorm)(q) : q;
}

at::Tensor Attention::weighed(const at::Tensor& rotatedQueries) const
{
    return m_w.queryFactor.defined() ? rotatedQueries * m_w.queryFactor.to(rotatedQueries.scalar_type())
                                     : rotatedQueries;
}

at::Tensor Attention::normedKeys(const at::Tensor& k) const
{
    const at::Tensor normed = m_w.keyNorm && !m_w.normsAllHeads ? (*m_w.keyNorm)(k) : k;
    return m_w.keyMultiplier != 1.0 ? normed * m_w.keyMultiplier : normed;
}

// The wanted heads' patterns of one text by the processor's own loops, and nothing else: of the projections only what
// these heads need. input: [1, T, in].
MatrixRows Attention::patternRows(const at::Tensor& input, const std::vector<int>& heads) const
{
    const std::int64_t length = input.size(1), headDim = m_spec.headDim;
    const auto [own, shared] = indexOf(heads, m_spec, input.device());
    const bool fused = m_w.fused.weight.defined();
    // Of many heads few rows are asked for: the input takes no more memory than their queries, which are made then.
    const bool later = !fused && own.numel() * headDim >= input.size(2);
    const auto packed = [](const at::Tensor& x) { return x[0].to(at::kFloat).contiguous(); };
    const auto whole = std::make_shared<const TokenTree>(1, length);
    const Linear toQueries = fused ? Linear{} : toHeads(m_w.query, own, headDim);
    at::Tensor q, k; // [1, T, h, P]
    if (fused) {
        const at::Tensor parts = m_w.fused(input).view({1, length, m_spec.heads, 3, headDim}).index_select(2, own);
        q = parts.select(3, 0);
        k = parts.select(3, 1);
    } else {
        k = toHeads(m_w.key, shared, headDim)(input).unflatten(2, {-1, headDim});
        if (!later)
            q = toQueries(input).unflatten(2, {-1, headDim});
    }
    const at::Tensor keys = rotated(packed(normedKeys(k)), *whole, nullptr);
    const at::Tensor queries = later ? q : weighed(rotated(packed(normedQueries(q)), *whole, nullptr));
    return [=, this, source = later ? input : at::Tensor()](std::int64_t first, std::int64_t count) {
        std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
        std::iota(rows.begin(), rows.end(), first);
        const at::Tensor asked =
            later ? weighed(
                rotated(packed(normedQueries(toQueries(source.narrow(1, first, count)).unflatten(2, {-1, headDim}))),
                        *whole, &rows))
                  : queries.narrow(0, first, count);
        at::Tensor matrix;
        static_cast<void>(attend({asked, keys, {}, *whole, &rows, m_w.scale, m_w.softCap, m_w.window, {}, &matrix}));
        return matrix;
    };
}

at::Tensor Attention::forward(const at::Tensor& input, MixerCall& call, bool rowsOnly) const
{
    const std::int64_t batch = input.size(0), length = input.size(1);
    if (call.wantsMatrixOnly() && call.capture->wantRows && batch == 1 && !call.state && !call.batch.tree
        && !(call.edits && call.edits->touchesMatrix()) && !call.otherInput.defined() && canSplitHeads()
        && onKernels(input)) {
        call.capture->rows = patternRows(input, call.capture->heads);
        return at::zeros({batch, length, m_w.output.weight.size(0)}, input.options());
    }

    // 1. Projections. A pattern is captured for all rows, so chosen rows are only a saving without one.
    const bool captured = call.wantsMatrix() || (call.capture && (call.capture->wantZ || call.capture->wantValues));
    // A head's mean is over all positions, so those are needed for it.
    const bool needsAll = call.edits
                          && std::any_of(call.edits->replace.begin(), call.edits->replace.end(),
                                         [](const ReplaceHead& replace) { return !replace.value.defined(); });
    const bool fewRows = rowsOnly && !captured && !needsAll && call.batch.offset == 0;
    auto [q, k, v] = project(input, call, fewRows);
    q = normedQueries(q);
    k = normedKeys(k);
    if (m_w.valueNorm)
        v = (*m_w.valueNorm)(v);

    // 2. On the processor, packed rows do it all in one pass.
    const bool bare = !call.state && !onlyInTiles() && !(call.edits && call.edits->touchesMatrix())
                      && !(call.capture && (call.capture->wantRows || (call.capture->wantMatrix && call.capture->row)));
    at::Tensor z;
    if (bare && onKernels(q, k, v) && (!fewRows || ascending(call.batch.rows)))
        z = packedRows(q, k, v, call, fewRows);
    else if (call.batch.tree)
        z = textByText(q, k, v, call, fewRows);
    else
        z = inTiles(q, k, v, call, fewRows);

    // 3. Gate, head edits on z, then the output projection.
    if (m_w.outputGate.weight.defined()) {
        const at::Tensor& gateInput = call.inputOf(kGate, input);
        const at::Tensor gain =
            at::sigmoid(m_w.outputGate(fewRows ? gatherRows(gateInput, call.batch.rows) : gateInput));
        if (call.capture && call.capture->wantValues)
            call.capture->gain = gain.to(at::kFloat);
        z = z * gain;
    }
    if (call.keptZ)
        *call.keptZ = rowsOnly && !fewRows ? gatherRows(z, call.batch.rows) : z;
    z = editHeads(z, m_spec.heads, call, fewRows);
    if (call.capture && call.capture->wantZ)
        call.capture->z = z;
    at::Tensor out = m_w.output(z);
    return rowsOnly && !fewRows ? gatherRows(out, call.batch.rows) : out;
}

bool Attention::acceptsRow(const RowOperations& row) const
{
    return !m_w.latent && !m_w.fused.weight.defined() && !m_w.outputGate.weight.defined() && !onlyInTiles()
           && scoreWidth() == m_spec.headDim && row.take(m_w.query) && row.take(m_w.key) && row.take(m_w.value)
           && row.take(m_w.output);
}

void Attention::nextRow(const RowOperations& row, const float* input, std::int64_t offset, SiteState& state,
                        float* out) const
{
    const std::int64_t width = m_spec.headDim, queries = m_spec.heads * width, keys = m_spec.kvHeads * width;
    std::vector<float> memory(static_cast<std::size_t>(2 * queries + 2 * keys));
    float *const q = memory.data(), *const z = q + queries, *const k = z + queries, *const v = k + keys;

    // 1. Projections, their norms and factors.
    row.apply(m_w.query, input, q);
    row.apply(m_w.key, input, k);
    row.apply(m_w.value, input, v);
    const auto norm = [&](const std::optional<Norm>& own, float* x, std::int64_t count, std::int64_t each) {
        if (own)
            row.apply(*own, x, x, count / each, each);
    };
    norm(m_w.queryNorm, q, queries, m_w.normsAllHeads ? queries : width);
    norm(m_w.keyNorm, k, keys, m_w.normsAllHeads ? keys : width);
    norm(m_w.valueNorm, v, keys, width);
    if (m_w.keyMultiplier != 1.0)
        row.multiply(k, m_w.keyMultiplier, keys);

    // 2. The rotation.
    if (m_w.rope.defined()) {
        const auto [cosine, sine] = m_w.rope.tables(offset + 1, offset);
        const std::int64_t half = cosine.size(1), position = 0;
        for (const at::Tensor& table : {cosine, sine})
            row.round(table.data_ptr<float>(), half);
        for (const auto& [x, count] : {std::pair(q, queries), std::pair(k, keys)}) {
            cpuKernels().rotate(x, count, 1, count / width, width, half, cosine.data_ptr<float>(),
                                sine.data_ptr<float>(), &position);
            row.round(x, count);
        }
    }
    if (m_w.queryFactor.defined()) {
        std::vector<float> factor(static_cast<std::size_t>(width));
        row.read(m_w.queryFactor.to(row.type()), factor.data());
        for (std::int64_t head = 0; head < m_spec.heads; ++head)
            row.multiply(q + head * width, factor.data(), width);
    }

    // 3. What is kept, and the attention over all of it.
    const auto keep = [&](at::Tensor& kept, const float* x) {
        kept = lengthened(kept, {1, m_spec.kvHeads, 1, width}, at::TensorOptions(row.type()));
        auto* const last = static_cast<std::byte*>(kept.data_ptr()) + (kept.size(2) - 1) * width * kept.element_size();
        for (std::int64_t head = 0; head < m_spec.kvHeads; ++head)
            row.write(x + head * width, width, last + head * kept.stride(1) * kept.element_size());
    };
    keep(state.first, k);
    keep(state.second, v);
    attendNext({.q = q,
                .k = state.first.data_ptr(),
                .v = state.second.data_ptr(),
                .bfloat = row.bfloat(),
                .z = z,
                .kStride = state.first.stride(1),
                .vStride = state.second.stride(1),
                .heads = m_spec.heads,
                .kvHeads = m_spec.kvHeads,
                .headDim = width,
                .keys = state.first.size(2),
                .scale = static_cast<float>(m_w.scale),
                .softCap = static_cast<float>(m_w.softCap),
                .window = m_w.window});
    row.round(z, queries);
    row.apply(m_w.output, z, out);
}

bool Attention::canSplitHeads() const
{
    const bool ownWeights = m_w.queryNorm && m_w.queryNorm->weight.defined() && m_w.queryNorm->weight.dim() > 1;
    return !m_w.latent && !m_w.normsAllHeads && !ownWeights && !onlyInTiles();
}

Attention::Projected Attention::project(const at::Tensor& input, const MixerCall& call, bool fewRows) const
{
    const std::int64_t batch = input.size(0), length = input.size(1), headDim = m_spec.headDim;
    const auto wanted = [&](const at::Tensor& x) { return fewRows ? gatherRows(x, call.batch.rows) : x; };
    if (m_w.fused.weight.defined()) {
        const auto fused = [&](const at::Tensor& x) {
            return m_w.fused(x).view({batch, length, m_spec.heads, 3, headDim}).unbind(3);
        };
        auto parts = fused(input);
        if (call.otherInput.defined()) {
            const auto others = fused(call.otherInput);
            const InputPart names[] = {kQuery, kKey, kValue};
            for (std::size_t i = 0; i < 3; ++i)
                parts[i] = (call.otherParts & names[i]) != 0 ? others[i] : parts[i];
        }
        const at::Tensor q =
            fewRows ? wanted(parts[0].reshape({batch, length, -1})).view({batch, -1, m_spec.heads, headDim}) : parts[0];
        return {q.transpose(1, 2), parts[1].transpose(1, 2), parts[2].transpose(1, 2)};
    }
    const at::Tensor queryInput = wanted(call.inputOf(kQuery, input)), &keyInput = call.inputOf(kKey, input),
                     &valueInput = call.inputOf(kValue, input);
    if (m_w.latent)
        return projectLatent(queryInput, keyInput, valueInput);
    const auto heads = [&](const at::Tensor& x, int count) {
        return x.view({batch, x.size(1), count, headDim}).transpose(1, 2);
    };
    const auto normed = [&](const std::optional<Norm>& norm, const at::Tensor& x) {
        return norm && m_w.normsAllHeads ? (*norm)(x) : x;
    };
    return {heads(normed(m_w.queryNorm, m_w.query(queryInput)), m_spec.heads),
            heads(normed(m_w.keyNorm, m_w.key(keyInput)), m_spec.kvHeads),
            heads(m_w.value(valueInput), m_spec.kvHeads)};
}

Attention::Projected Attention::projectLatent(const at::Tensor& queryInput, const at::Tensor& keyInput,
                                              const at::Tensor& valueInput) const
{
    const LatentMaps& maps = *m_w.latent;
    const auto heads = [&](const at::Tensor& x) { return x.unflatten(2, {m_spec.heads, -1}).transpose(1, 2); };
    const at::Tensor q =
        heads(maps.query(maps.queryDown.weight.defined() ? maps.queryNorm(maps.queryDown(queryInput)) : queryInput));
    const at::Tensor plain = heads(maps.key(maps.norm(maps.down(keyInput))));
    const at::Tensor shared = maps.rotated(keyInput).unsqueeze(1).expand({-1, m_spec.heads, -1, -1});
    return {q, at::cat({shared, plain}, -1), heads(maps.value(maps.norm(maps.down(valueInput))))};
}

HeadMaps Attention::headMaps(int head) const
{
    const std::int64_t width = m_spec.headDim, shared = head / (m_spec.heads / m_spec.kvHeads);
    HeadMaps maps;
    maps.output = inputsOf(m_w.output.weight, head * width, width);
    if (m_w.latent) {
        const auto own = [&](const Linear& map) {
            return denseOf(map.weight).unflatten(0, {m_spec.heads, -1}).select(0, head).to(at::kFloat);
        };
        const LatentMaps& latent = *m_w.latent;
        const at::Tensor down = denseOf(latent.down.weight).to(at::kFloat), query = own(latent.query);
        maps.query = latent.queryDown.weight.defined()
                         ? at::matmul(query, denseOf(latent.queryDown.weight).to(at::kFloat))
                         : query;
        maps.key = at::cat({denseOf(latent.rotated.weight).to(at::kFloat), at::matmul(own(latent.key), down)});
        maps.value = at::matmul(own(latent.value), down);
        maps.normed = true;
        return maps;
    }
    maps.normed = m_w.queryNorm.has_value() || m_w.keyNorm.has_value();
    if (m_w.fused.weight.defined()) {
        const auto parts = denseOf(m_w.fused.weight).view({m_spec.heads, 3, width, -1}).select(0, head).unbind(0);
        maps.query = parts[0];
        maps.key = parts[1];
        maps.value = parts[2];
        return maps;
    }
    maps.query = denseOf(m_w.query.weight).narrow(0, head * width, width);
    maps.key = denseOf(m_w.key.weight).narrow(0, shared * width, width);
    maps.value = denseOf(m_w.value.weight).narrow(0, shared * width, width);
    return maps;
}

std::int64_t Attention::scoreWidth() const
{
    return m_spec.keyDim > 0 ? m_spec.keyDim : m_spec.headDim;
}

at::Tensor Attention::positionScores(int head, const at::Tensor& positions) const
{
    return m_w.alibi.defined() ? m_w.alibi.bias(positions.unsqueeze(0)).select(1, head).flatten()
                               : at::zeros(positions.sizes(), positions.options().dtype(at::kFloat));
}

std::optional<Along> Attention::scoreAlong(ScoreSide side, int head, const at::Tensor& input,
                                           const at::Tensor& positions, std::int64_t length,
                                           const at::Tensor& direction) const
{
    const bool query = side == ScoreSide::Query;
    // Turning back is the transpose of turning.
    at::Tensor along =
        m_w.rope.rotate((query ? weighed(direction) : direction).unsqueeze(0).unsqueeze(0), -positions, length)[0][0];
    if (!query && m_w.keyMultiplier != 1.0)
        along = along * m_w.keyMultiplier;
    const auto read = [&](const Linear& map) { return map(input.unsqueeze(0))[0]; };
    const auto behind = [](const Along& later, Along earlier) {
        earlier.constant = earlier.constant + later.constant;
        return earlier;
    };
    if (m_w.latent)
        return latentAlong(query, head, read, along);
    const std::int64_t width = m_spec.headDim, own = query ? head : head / (m_spec.heads / m_spec.kvHeads);
    const std::optional<Norm>& norm = query ? m_w.queryNorm : m_w.keyNorm;
    const Linear& all = query ? m_w.query : m_w.key;
    if (norm && m_w.normsAllHeads) {
        at::Tensor wide = at::zeros({along.size(0), (query ? m_spec.heads : m_spec.kvHeads) * width}, along.options());
        wide.narrow(1, own * width, width).copy_(along);
        const Along normed = alongNorm(*norm, read(all), wide);
        return behind(normed, alongLinear(all, normed.direction));
    }
    Linear map;
    if (m_w.fused.weight.defined()) {
        const auto part = [&](const at::Tensor& x) {
            return x.defined() ? x.unflatten(0, {m_spec.heads, 3, width})[head][query ? 0 : 1] : x;
        };
        map = {part(denseOf(m_w.fused.weight)), part(m_w.fused.bias), {}, {}};
    } else {
        map = toHeads(all, at::tensor({own}, at::kLong).to(input.device()), width);
    }
    if (!norm)
        return alongLinear(map, along);
    Norm headNorm = *norm;
    for (at::Tensor* part : {&headNorm.weight, &headNorm.bias})
        if (part->defined() && part->dim() > 1)
            *part = (*part)[own];
    const Along normed = alongNorm(headNorm, read(map), along);
    return behind(normed, alongLinear(map, normed.direction));
}

Along Attention::latentAlong(bool query, int head, const std::function<at::Tensor(const Linear&)>& read,
                             const at::Tensor& along) const
{
    const LatentMaps& maps = *m_w.latent;
    const auto own = [&](const Linear& map) {
        const auto part = [&](const at::Tensor& x) {
            return x.defined() ? x.unflatten(0, {m_spec.heads, -1})[head] : x;
        };
        return Linear{part(denseOf(map.weight)), part(map.bias), {}, {}};
    };
    // Through a map, the norm before it and the map before that.
    const auto through = [&](const Linear& map, const Norm& norm, const Linear& down, const at::Tensor& direction) {
        const Along mapped = alongLinear(map, direction), normed = alongNorm(norm, read(down), mapped.direction);
        Along all = alongLinear(down, normed.direction);
        all.constant = all.constant + normed.constant + mapped.constant;
        return all;
    };
    if (query)
        return maps.queryDown.weight.defined() ? through(own(maps.query), maps.queryNorm, maps.queryDown, along)
                                               : alongLinear(own(maps.query), along);
    const std::int64_t shared = maps.rotated.weight.size(0);
    const Along rotated = alongLinear(maps.rotated, along.narrow(1, 0, shared)),
                plain = through(own(maps.key), maps.norm, maps.down, along.narrow(1, shared, along.size(1) - shared));
    return {rotated.direction + plain.direction, rotated.constant + plain.constant};
}

// q [B, H, R, P], k, v [B, G, T, P] before rotation; z [B, R, H*P].
at::Tensor Attention::packedRows(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, MixerCall& call,
                                 bool fewRows) const
{
    const std::int64_t batch = k.size(0), length = k.size(2), headDim = m_spec.headDim;
    const std::int64_t padding = k.size(3) - headDim; // the loops want values as wide as keys
    std::optional<TokenTree> whole;
    if (!call.batch.tree)
        whole.emplace(batch, length);
    const TokenTree& tree = call.batch.tree ? call.batch.tree->onHost() : *whole;
    std::vector<std::int64_t> rows; // of the queries, when only some are wanted
    if (fewRows) {
        const at::Tensor wanted =
            (call.batch.rows + at::arange(batch, call.batch.rows.options()).unsqueeze(1) * length).contiguous();
        rows.assign(wanted.data_ptr<std::int64_t>(), wanted.data_ptr<std::int64_t>() + wanted.numel());
    }
    const auto packed = [&](const at::Tensor& x) {
        return x.transpose(1, 2).reshape({-1, x.size(1), x.size(3)}).to(at::kFloat).contiguous();
    };
    const at::Tensor queries = weighed(rotated(packed(q), tree, fewRows ? &rows : nullptr)),
                     keys = rotated(packed(k), tree, nullptr),
                     values = packed(padding > 0 ? at::constant_pad_nd(v, {0, padding}) : v);
    AttentionCall attention{queries,   keys,        values,     tree, fewRows ? &rows : nullptr,
                            m_w.scale, m_w.softCap, m_w.window, {},   nullptr};
    if (call.capture && call.capture->wantMatrix) {
        attention.heads = call.capture->heads;
        attention.matrix = &call.capture->matrix;
    }
    at::Tensor z = attend(attention).view({batch, q.size(2), -1});
    if (padding > 0)
        z = z.unflatten(2, {m_spec.heads, -1}).narrow(3, 0, headDim).flatten(2);
    if (call.capture && call.capture->wantValues) {
        call.capture->values = v.repeat_interleave(m_spec.heads / m_spec.kvHeads, 1).transpose(1, 2).to(at::kFloat);
        call.capture->outputs = z.view({batch, q.size(2), m_spec.heads, headDim});
    }
    return z.to(q.scalar_type());
}

// x: [R, heads, P], packed rows of the tree or those of `rows`. Turned in place where the memory is its own.
at::Tensor Attention::rotated(const at::Tensor& x, const TokenTree& tree, const std::vector<std::int64_t>* rows) const
{
    if (!m_w.rope.defined())
        return x;
    const auto [cosine, sine] = m_w.rope.tables(tree.longest());
    std::vector<std::int64_t> chosen;
    if (rows)
        for (const std::int64_t row : *rows)
            chosen.push_back(tree.positions()[static_cast<std::size_t>(row)]);
    const std::int64_t* const positions = rows ? chosen.data() : tree.positions().data();
    const at::Tensor out = x;
    const std::int64_t stride = x.size(1) * x.size(2), half = cosine.size(1);
    float* const data = out.data_ptr<float>();
    const float* const c = cosine.data_ptr<float>();
    const float* const s = sine.data_ptr<float>();
    at::parallel_for(0, x.size(0), 256, [&](std::int64_t first, std::int64_t last) {
        cpuKernels().rotate(data + first * stride, stride, last - first, x.size(1), x.size(2), half, c, s,
                            positions + first);
    });
    return out;
}

// The same for packed rows of a tree anywhere: texts are written out.
at::Tensor Attention::textByText(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, MixerCall& call,
                                 bool fewRows) const
{
    const TreePaths& paths = call.batch.tree->paths();
    const std::int64_t groups = paths.rows.size(0), length = paths.rows.size(1);
    const auto spread = [&](const at::Tensor& x) { // [1, heads, N, P] to [groups, heads, T, P]
        return x[0]
            .index_select(1, paths.rows.reshape(-1))
            .view({x.size(1), groups, length, x.size(3)})
            .transpose(0, 1);
    };
    at::Tensor allQueries = q;
    if (fewRows) { // the others' queries are never read
        allQueries = at::zeros({1, q.size(1), k.size(2), q.size(3)}, q.options());
        allQueries.index_copy_(2, call.batch.rows[0], q);
    }
    const BatchShape shape{0, {}, {}, length, nullptr};
    MixerCall plain{shape, nullptr, nullptr, nullptr};
    const at::Tensor z = inTiles(spread(allQueries), spread(k), spread(v), plain, false, &paths)
                             .reshape({groups * length, -1})
                             .index_select(0, paths.place);
    return (fewRows ? z.index_select(0, call.batch.rows[0]) : z).unsqueeze(0);
}

// Patterns and outputs, a tile of query rows at a time.
at::Tensor Attention::inTiles(at::Tensor q, at::Tensor k, at::Tensor v, MixerCall& call, bool fewRows,
                              const TreePaths* groups) const
{
    if (call.capture)
        call.capture->matrix = at::Tensor(); // tiles leave what is hidden as it is
    const std::int64_t batch = k.size(0), length = k.size(2), headDim = m_spec.headDim;
    const std::int64_t offset = call.batch.offset, total = offset + length;
    const bool grouped = groups && groups->visible.defined();
    const at::Tensor positions = grouped ? groups->positions : at::arange(offset, total, k.options().dtype(at::kLong));
    const at::Tensor queryPositions = fewRows ? call.batch.rows : grouped ? positions : positions.unsqueeze(0);
    if (!fewRows && !grouped && m_w.rope.defined() && onFloatKernels(q, k)) {
        const auto [cosine, sine] = m_w.rope.tables(total, offset);
        q = turned(q, cosine, sine);
        k = turned(k, cosine, sine);
    } else {
        const std::int64_t longest = grouped ? groups->longest : total;
        q = m_w.rope.rotate(q, fewRows ? queryPositions : positions, longest);
        k = m_w.rope.rotate(k, positions, longest);
    }
    q = weighed(q);
    if (call.state) {
        k = call.state->first = appended(call.state->first, k);
        v = call.state->second = appended(call.state->second, v);
        if (length == 1 && !onlyInTiles() && v.size(3) == k.size(3) && onFloatKernels(q, k, v)
            && !(call.edits && call.edits->touchesMatrix())
            && !(call.capture && (call.capture->wantMatrix || call.capture->wantValues)))
            return attendNext({q, k, v, m_w.scale, m_w.softCap, m_w.window});
    }
    AttentionTiles tiles{.rule = {m_w.scale, m_w.softCap, m_w.window, m_w.softmaxInFp32},
                         .q = q,
                         .k = k,
                         .v = v,
                         .positions = queryPositions,
                         .visible = grouped ? groups->visible : at::Tensor(),
                         .sinks = m_w.sinks};
    if (m_w.alibi.defined())
        tiles.bias = m_w.alibi.bias(grouped ? positions : at::arange(total, positions.options()).unsqueeze(0));
    tiles.last = call.batch.lastPositions.defined() ? call.batch.lastPositions.unsqueeze(1) + offset
                                                    : at::full({1, 1}, total - 1, positions.options());
    const std::int64_t queries = q.size(2);
    const std::int64_t step = tiles.step();
    if (call.capture && call.capture->wantRows) {
        call.capture->rows = tiles.rows(call);
        if (call.wantsMatrixOnly())
            return at::zeros({batch, queries, m_spec.heads * headDim}, q.options());
    }
    const bool needsPattern = (call.capture && call.capture->wantMatrix) || (call.edits && call.edits->touchesMatrix())
                              || m_w.softCap > 0 || onlyInTiles();
    at::Tensor stacked; // [B, H, R, P]
    if (!q.is_cpu() && !needsPattern) {
        const bool plain = !fewRows && !grouped && m_w.window == 0 && (offset == 0 || queries == 1);
        stacked = fusedAttention(
            {q, k, v, plain ? at::Tensor() : tiles.hidden(0, queries, total).logical_not(), queries > 1, m_w.scale});
    } else {
        std::vector<at::Tensor> parts;
        for (std::int64_t begin = 0; begin < queries; begin += step)
            parts.push_back(tiles.outputs(begin, std::min(queries, begin + step), call, fewRows));
        stacked = parts.size() == 1 ? parts.front() : at::cat(parts, 2);
    }
    if (call.capture && call.capture->wantValues) {
        call.capture->values = v.repeat_interleave(m_spec.heads / m_spec.kvHeads, 1).transpose(1, 2).to(at::kFloat);
        call.capture->outputs = stacked.transpose(1, 2).to(at::kFloat);
    }
    return stacked.transpose(1, 2).reshape({batch, queries, m_spec.heads * headDim});
}

} // namespace headscope::lm
