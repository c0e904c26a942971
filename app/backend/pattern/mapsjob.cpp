// SPDX-License-Identifier: GPL-3.0-or-later
// The maps of all heads of a layer or a model as one file, a head a step. Worker thread only.

#include "app/backend/models.h"
#include "app/backend/pattern/patternjobs.h"
#include "app/backend/pattern/patternsource.h"
#include "core/engine/ranking/rank.h"
#include "core/io/numpy/npywriter.h"
#include "core/why/names.h"

namespace headscope::app {

using interventions::HeadRef;

namespace {

class MapsJob
{
public:
    MapsJob(Side side, Prompt prompt, MapsFile ask) : m_side(side), m_prompt(std::move(prompt)), m_ask(std::move(ask))
    {
    }

    /// One head, and behind the last one the file; false: it is written.
    [[nodiscard]] Result<bool> step(Models& models, const engine::Turn& turn);
    [[nodiscard]] static bool hasNews() { return false; }
    [[nodiscard]] const SavedMaps& reply() const { return m_saved; }

private:
    [[nodiscard]] Result<void> readNext(Models& models, const Control& control);
    [[nodiscard]] Result<void> write();

    Side m_side;
    Prompt m_prompt;
    MapsFile m_ask;
    std::vector<interventions::HeadRef> m_heads;
    std::vector<std::string> m_names; ///< of the heads that have a map
    std::vector<Matrix> m_maps;
    std::size_t m_next = 0;
    SavedMaps m_saved;
};

constexpr std::int64_t kMostBytes = std::int64_t{2} << 30; // of maps; the file's bytes come on top

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
        return inputError("Whole maps can be saved for up to " + std::to_string(kWholeMap) + " tokens; the prompt has "
                          + std::to_string(tokens) + ".");
    const std::int64_t bytes = std::int64_t{4} * tokens * tokens * static_cast<std::int64_t>(heads);
    if (bytes > kMostBytes)
        return inputError(std::to_string(heads) + " maps of " + std::to_string(tokens) + " tokens take "
                          + std::to_string(bytes >> 20) + " MiB; at most " + std::to_string(kMostBytes >> 20)
                          + " MiB are written as one file. Save a layer, or a shorter prompt.");
    return {};
}

} // namespace

Result<bool> MapsJob::step(Models& models, const engine::Turn& turn)
{
    if (const auto read = readNext(models, turn); !read.has_value()) {
        if (turn.yielded()) // somebody looks at something: this head again, later
            return true;
        return read.error();
    }
    if (m_next < m_heads.size())
        return true;
    const auto written = write();
    return written.has_value() ? Result<bool>(false) : Result<bool>(written.error());
}

Result<void> MapsJob::readNext(Models& models, const Control& control)
{
    const auto model = models.opened(m_side);
    if (!model.has_value())
        return model.error();
    const lm::ModelSpec& spec = (*model)->spec();
    if (m_heads.empty())
        m_heads = headsOf(spec, m_ask.layer);
    if (m_heads.empty())
        return inputError("There is no layer " + std::to_string(m_ask.layer) + ".");
    const HeadRef head = m_heads[m_next];
    PatternRequest request = m_ask.like;
    request.head = head;
    const auto source = PatternSource::open(models, m_side, m_prompt, request, control);
    if (source.has_value())
        if (const auto fits = check(source->tokens(), m_heads.size()); !fits.has_value())
            return fits;
    auto map = source.has_value() ? source->rows(0, source->tokens(), control) : Result<Matrix>(source.error());
    if (!map.has_value() && map.error().kind == Error::Kind::Cancelled)
        return map.error();
    ++m_next;
    if (map.has_value()) { // none where the ablation leaves the head's layer out
        m_names.push_back(why::headName(spec, head.layer, head.site, head.head));
        m_maps.push_back(std::move(*map));
    } else if (m_next == m_heads.size() && m_maps.empty()) {
        return map.error();
    }
    control.progress("reading maps", static_cast<std::int64_t>(m_next), static_cast<std::int64_t>(m_heads.size()));
    return {};
}

Result<void> MapsJob::write()
{
    std::vector<io::NamedMatrix> arrays;
    for (std::size_t i = 0; i < m_maps.size(); ++i)
        arrays.push_back({m_names[i], &m_maps[i]});
    if (const auto written = io::writeNpz(m_ask.file, arrays); !written.has_value())
        return written.error();
    m_saved = {m_ask.file, static_cast<int>(arrays.size()), static_cast<int>(m_heads.size() - arrays.size())};
    return {};
}

Job<SavedMaps> jobOf(const MapsRequest& request)
{
    return inSteps<SavedMaps>(engine::Urgency::Preview,
                              std::make_shared<MapsJob>(request.side, request.prompt, request.ask));
}

} // namespace headscope::app
