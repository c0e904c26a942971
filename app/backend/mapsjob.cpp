// SPDX-License-Identifier: GPL-3.0-or-later
// The maps of all heads of a layer or a model as one file.
#include "app/backend/patternjobs.h"
#include "app/backend/patternsource.h"
#include "core/engine/ranking/rank.h"
#include "core/io/npzwriter.h"
#include "core/why/names.h"

namespace headscope::app {

using engine::Next;
using interventions::HeadRef;

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{2} << 30; // of maps; the file's bytes come on top

/// What was read so far.
struct Gathered {
    std::vector<HeadRef> heads;
    std::vector<std::string> names; ///< of the heads that have a map
    std::vector<Matrix> maps;
    std::size_t next = 0;
};

// With -1 of all layers.
std::vector<HeadRef> headsOf(const lm::ModelSpec& spec, int layer)
{
    std::vector<HeadRef> heads = engine::allHeads(spec);
    if (layer >= 0)
        std::erase_if(heads, [layer](const HeadRef& head) { return head.layer != layer; });
    return heads;
}

// Every map has T x T values of 4 bytes.
Result<void> check(int tokens, std::size_t heads)
{
    if (tokens > kWholeMap)
        return inputError("Whole maps are saved of up to " + std::to_string(kWholeMap) + " tokens; the prompt has "
                          + std::to_string(tokens) + ".");
    const std::int64_t bytes = std::int64_t{4} * tokens * tokens * static_cast<std::int64_t>(heads);
    if (bytes > kMostBytes)
        return inputError(std::to_string(heads) + " maps of " + std::to_string(tokens) + " tokens take "
                          + std::to_string(bytes >> 20) + " MiB; at most " + std::to_string(kMostBytes >> 20)
                          + " MiB are written as one file. Save a layer, or a shorter prompt.");
    return {};
}

Result<void> readNext(Gathered& gathered, Backend::State& state, Side side, const Prompt& prompt, const MapsAsk& ask,
                      const Control& control)
{
    const auto model = state.opened(side);
    if (!model.has_value())
        return model.error();
    const lm::ModelSpec& spec = (*model)->spec();
    if (gathered.heads.empty())
        gathered.heads = headsOf(spec, ask.layer);
    if (gathered.heads.empty())
        return inputError("There is no layer " + std::to_string(ask.layer) + ".");
    const HeadRef head = gathered.heads[gathered.next];
    PatternRequest request = ask.like;
    request.head = head;
    const auto source = PatternSource::open(state, side, prompt, request, control);
    if (source.has_value())
        if (const auto fits = check(source->tokens(), gathered.heads.size()); !fits.has_value())
            return fits;
    auto map = source.has_value() ? source->rows(0, source->tokens(), control) : Result<Matrix>(source.error());
    if (!map.has_value() && map.error().kind == Error::Kind::Cancelled)
        return map.error();
    ++gathered.next;
    if (map.has_value()) { // none where the ablation leaves the head's layer out
        gathered.names.push_back(why::headName(spec, head.layer, head.site, head.head));
        gathered.maps.push_back(std::move(*map));
    } else if (gathered.next == gathered.heads.size() && gathered.maps.empty()) {
        return map.error();
    }
    control.progress("reading maps", static_cast<std::int64_t>(gathered.next),
                     static_cast<std::int64_t>(gathered.heads.size()));
    return {};
}

Result<SavedMaps> write(const Gathered& gathered, const std::string& file)
{
    std::vector<io::NamedMatrix> arrays;
    for (std::size_t i = 0; i < gathered.maps.size(); ++i)
        arrays.push_back({gathered.names[i], &gathered.maps[i]});
    if (const auto written = io::writeNpz(file, arrays); !written.has_value())
        return written.error();
    return SavedMaps{file, static_cast<int>(arrays.size()), static_cast<int>(gathered.heads.size() - arrays.size())};
}

} // namespace

Ticket Backend::saveMaps(Side side, const Prompt& prompt, const MapsAsk& ask, Reply<SavedMaps> done, Failed failed,
                         Report report)
{
    State* state = m_state.get();
    const auto step = [=, gathered = std::make_shared<Gathered>()](const engine::Turn& turn) {
        if (const auto read = readNext(*gathered, *state, side, prompt, ask, turn); !read.has_value()) {
            if (turn.gaveWay()) // somebody looks at something: this head again, later
                return Next::Again;
            failed(read.error());
            return Next::End;
        }
        if (gathered->next < gathered->heads.size())
            return Next::Again;
        auto saved = write(*gathered, ask.file);
        if (saved.has_value())
            done(std::make_shared<const SavedMaps>(std::move(*saved)));
        else
            failed(saved.error());
        return Next::End;
    };
    return state->postSteps(engine::Urgency::Preview, step, failed, std::move(report));
}

} // namespace headscope::app
