// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/survey/surveywork.h"

#include "app/notebook/outsideinputs.h"
#include "app/workbench/survey/surveystate.h"
#include "core/base/hash.h"
#include "core/engine/questions/question.h"
#include "core/why/names.h"
#include "sessions/results/chunkresults.h"
#include "sessions/sessionstore.h"
#include "sessions/surveys.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace headscope::app {

namespace {

using nlohmann::json;

constexpr int kVersion = 2; // of what is measured; raised, earlier surveys are not gone on with
constexpr std::chrono::seconds kBetweenStores(20);

std::string settingsOf(const SurveyRequest& request, const survey::WindowOptions& windows, const std::string& outside)
{
    json heads = json::array();
    for (const interventions::HeadRef& head : request.heads)
        heads.push_back(interventions::toText(head));
    json settings({{"window", request.window},
                   {"tokens", request.tokens},
                   {"seed", request.seed},
                   {"top", request.places.top},
                   {"sample", request.places.sample},
                   {"start", windows.start ? json(*windows.start) : json(nullptr)},
                   {"heads", heads}});
    if (!heads.empty())
        settings["writes"] = 2; // before, heads of one kind were scaled without the other kind of their layer
    if (!outside.empty())
        settings["inputs"] = outside; // what the ablation reads
    return settings.dump();
}

sessions::SurveyHead recordOf(const std::string& name, const survey::HeadSurvey& head)
{
    const auto profile = head.profile();
    sessions::SurveyHead record{name, {profile.begin(), profile.end()}, {}, head.pack()};
    for (int m = 0; m < survey::kMetricCount; ++m) {
        const survey::Distribution& of = head.of(static_cast<survey::Metric>(m));
        if (of.count() > 0)
            record.values.push_back({survey::kMetricNames[static_cast<std::size_t>(m)], of.count(), of.mean(),
                                     of.deviation(), of.quantile(0.05), of.quantile(0.25), of.quantile(0.5),
                                     of.quantile(0.75), of.quantile(0.95), of.largest()});
    }
    return record;
}

} // namespace

/// The blocks of texts that are measured by themselves.
struct SurveyRun::Blocks {
    std::vector<survey::Windows::Position> begins; ///< and the end
    std::string key;

    [[nodiscard]] int count() const { return static_cast<int>(begins.size()) - 1; }
    [[nodiscard]] std::int64_t tokensBefore(int block) const
    {
        return begins[static_cast<std::size_t>(block)].counts.tokens;
    }
    /// How many blocks are whole where so many tokens are measured.
    [[nodiscard]] int before(std::int64_t tokens) const
    {
        int block = 0;
        while (block < count() && tokensBefore(block + 1) <= tokens)
            ++block;
        return block;
    }
};

namespace {

/// Collects places and the windows that they are in.
class Places
{
public:
    Places(const OpenModel& open, const survey::Survey& survey) : m_open(open), m_survey(survey) {}

    void addAll(const std::vector<sessions::SurveyHead>& heads, int ordinary)
    {
        for (std::size_t i = 0; i < heads.size(); ++i)
            for (int m = 0; m < survey::kMetricCount; ++m) {
                const auto metric = static_cast<survey::Metric>(m);
                const survey::HeadSurvey& head = m_survey.results()[i];
                add(heads[i].head, metric, false, head.top(metric).places());
                add(heads[i].head, metric, true, head.sample(metric).stratified(ordinary));
            }
    }
    void add(const std::string& head, survey::Metric metric, bool ordinary, const std::vector<survey::Place>& places)
    {
        int rank = 0;
        for (const survey::Place& place : places) {
            const auto [it, fresh] =
                m_textOf.try_emplace({place.piece, place.window}, static_cast<int>(m_textOf.size()));
            sessions::SurveyPlace record{.head = head,
                                         .metric = survey::name(metric),
                                         .ordinary = ordinary,
                                         .rank = rank++,
                                         .value = static_cast<double>(place.value),
                                         .text = it->second,
                                         .position = static_cast<int>(place.position)};
            for (const survey::Read& read : place.reads)
                if (read.share > 0)
                    record.reads.emplace_back(static_cast<int>(read.token), static_cast<double>(read.share));
            m_places.push_back(std::move(record));
        }
    }
    /// The texts as what their tokens write, by index.
    Result<std::vector<std::string>> written() const
    {
        std::vector<std::string> texts(m_textOf.size());
        for (const auto& [where, number] : m_textOf) {
            const auto window = m_survey.windows().again(where.first, where.second);
            if (!window.has_value())
                return window.error();
            const std::span<const int> ids(window->facts.ids);
            auto text = m_open.tokenizer->decode(ids.subspan(m_survey.windows().options().start ? 1 : 0));
            if (!text.has_value())
                return text.error();
            texts[static_cast<std::size_t>(number)] = std::move(*text);
        }
        return texts;
    }
    Result<void> finish(sessions::StoredSurvey& stored)
    {
        stored.places = std::move(m_places);
        stored.texts.resize(m_textOf.size());
        for (const auto& [where, number] : m_textOf) {
            const auto window = m_survey.windows().again(where.first, where.second);
            const auto name = m_survey.windows().nameOf(where.first);
            if (!window.has_value())
                return window.error();
            if (!name.has_value())
                return name.error();
            sessions::SurveyText& text = stored.texts[static_cast<std::size_t>(number)];
            text.source = *name;
            for (const int id : window->facts.ids)
                text.tokens.push_back(engine::tokenText(*m_open.tokenizer, id));
        }
        return {};
    }

private:
    const OpenModel& m_open;
    const survey::Survey& m_survey;
    std::vector<sessions::SurveyPlace> m_places;
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> m_textOf;
};

} // namespace

Result<SurveyRun> SurveyRun::open(const OpenModel& open, const SurveyRequest& request, sessions::SessionStore* session,
                                  const Control& control)
{
    auto texts = openTexts(open, request, control);
    if (!texts.has_value())
        return texts.error();
    auto base = lm::resolve(request.ablation, open.spec(), open.donors);
    if (!base.has_value())
        return base.error();
    const std::string settings =
        settingsOf(request, texts->windows.options(), outsideInputs(open.subject, request.ablation));
    auto made = survey::Survey::make(open.loaded.model, std::move(*base), std::move(texts->windows),
                                     {.places = request.places, .heads = request.heads});
    if (!made.has_value())
        return made.error();
    SurveyRun run(open, request, session, std::move(*made));
    run.m_vocabulary = texts->vocabulary;
    run.m_source = texts->source;
    run.m_key = {open.subject.model.hash,
                 open.subject.tokenizer.hash,
                 open.subject.dtype,
                 open.subject.device,
                 request.ablation.canonical(),
                 texts->hash,
                 settings,
                 kVersion};
    if (const auto taken = run.loadUnfinished(); !taken.has_value())
        return taken.error();
    return run;
}

Result<void> SurveyRun::loadUnfinished()
{
    if (!m_session || m_session->again())
        return {};
    const auto stored = sessions::survey(*m_session, m_key);
    if (!stored.has_value())
        return stored.error();
    if (!stored->has_value())
        return {};
    std::vector<survey::HeadSurvey> heads;
    for (const sessions::SurveyHead& head : (*stored)->heads) {
        auto one = survey::HeadSurvey::unpack(head.data, m_request.places);
        if (!one.has_value())
            return one.error();
        heads.push_back(std::move(*one));
    }
    const auto state = surveyStateOf((*stored)->record.stateJson);
    if (!state.has_value())
        return state.error();
    if (const auto on = m_survey.resume(*state, std::move(heads)); !on.has_value())
        return on;
    m_known = state->measured.tokens;
    m_finished = (*stored)->record.finished;
    return {};
}

Result<bool> SurveyRun::step(std::chrono::milliseconds turn, const Control& control)
{
    const auto begun = std::chrono::steady_clock::now();
    while (!m_finished) {
        const auto more = m_survey.step(control);
        if (!more.has_value())
            return more.error();
        m_finished = !*more;
        control.progress("tokens surveyed", m_survey.state().measured.tokens,
                         std::max(m_request.tokens, m_survey.state().measured.tokens));
        const auto now = std::chrono::steady_clock::now();
        if (now - m_stored > kBetweenStores)
            (void)storeNumbers(); // a disk may be full for a while; store() tells
        if (now - begun >= turn)
            break;
    }
    return !m_finished;
}

std::string SurveyRun::workKey() const
{
    Sha256 hash;
    hash.add("survey");
    for (const std::string& field : {m_key.modelHash, m_key.tokenizerHash, m_key.dtype, m_key.device, m_key.ablation,
                                     m_key.texts, m_key.settingsJson, std::to_string(m_key.version)})
        hash.add('\n' + field);
    return hash.hex();
}

Result<void> SurveyRun::share(const Sharing& sharing, const Control& control)
{
    if (m_finished || m_session->again()) // which step() does alone
        return {};
    const auto begins = m_survey.blocks(control);
    if (!begins.has_value())
        return begins.error();
    const Blocks blocks{*begins, workKey()};
    const auto stored = sessions::storedChunks(*m_session, blocks.key);
    if (!stored.has_value())
        return stored.error();
    const int known = blocks.before(m_survey.state().measured.tokens);
    SharedChunks shared{.key = blocks.key, .chunks = {}, .run = [&](int block, sessions::ResultWriter&) {
                            return sharing.part ? alone(blocks, block, control) : blockHere(blocks, block, control);
                        }};
    for (int block = 0; block < blocks.count(); ++block)
        if (!sharing.part || sharing.part->has(block))
            shared.chunks.push_back({block, 0, block < known || std::ranges::binary_search(*stored, block)});
    if (const auto ran = shareChunks(sharing, shared, "blocks of texts surveyed",
                                     sharing.part ? control : Control{control.stop, {}}); // else step() reports tokens
        !ran.has_value())
        return ran;
    return sharing.part ? Result<void>() : joinBlocks(blocks);
}

// The next block is measured on top of what is known, so that a long one is not lost where this ends; others alone.
Result<std::optional<std::string>> SurveyRun::blockHere(const Blocks& blocks, int block, const Control& control)
{
    if (const auto joined = joinBlocks(blocks); !joined.has_value())
        return joined.error();
    const int known = blocks.before(m_survey.state().measured.tokens);
    if (known < block)
        return alone(blocks, block, control);
    while (blocks.before(m_survey.state().measured.tokens) == block)
        if (const auto went = step(std::chrono::milliseconds(0), control); !went.has_value())
            return went.error();
    const auto put = known == block ? storeNumbers() : Result<void>();
    return put.has_value() ? Result<std::optional<std::string>>(std::optional<std::string>())
                           : Result<std::optional<std::string>>(put.error());
}

Result<std::optional<std::string>> SurveyRun::alone(const Blocks& blocks, int block, const Control& control)
{
    const auto measured = m_survey.measureBlock(blocks.begins[static_cast<std::size_t>(block)], {control.stop, {}});
    return measured.has_value() ? Result<std::optional<std::string>>(std::optional(blockText(*measured)))
                                : Result<std::optional<std::string>>(measured.error());
}

// What others have stored: the survey itself, where it is further, and the blocks behind it, which then are part of it.
Result<void> SurveyRun::joinBlocks(const Blocks& blocks)
{
    const auto further = sessions::surveyTokens(*m_session, m_key);
    if (!further.has_value())
        return further.error();
    if (*further > m_survey.state().measured.tokens)
        if (const auto taken = loadUnfinished(); !taken.has_value())
            return taken;
    const int first = blocks.before(m_survey.state().measured.tokens);
    int block = first;
    for (; block < blocks.count() && blocks.tokensBefore(block) == m_survey.state().measured.tokens; ++block) {
        const auto found = sessions::chunkResults(*m_session, blocks.key, {block});
        if (!found.has_value())
            return found.error();
        if (found->empty())
            break;
        const auto measured = blockOf(found->begin()->second, m_request.places);
        if (!measured.has_value())
            return measured.error();
        if (const auto taken = m_survey.take(*measured); !taken.has_value())
            return taken;
    }
    if (block == first)
        return {};
    if (const auto put = storeNumbers(); !put.has_value())
        return put;
    return sessions::forgetChunks(*m_session, blocks.key, block);
}

sessions::SurveyRecord SurveyRun::record() const
{
    return {m_key, m_source, stateText(m_survey.state()), m_survey.state().measured.tokens, m_finished, {}};
}

std::vector<sessions::SurveyHead> SurveyRun::heads() const
{
    std::vector<sessions::SurveyHead> heads;
    for (std::size_t i = 0; i < m_survey.heads().size(); ++i) {
        const survey::SurveyedHead& head = m_survey.heads()[i];
        heads.push_back(
            recordOf(why::headName(m_open->spec(), head.layer, head.site, head.head), m_survey.results()[i]));
    }
    return heads;
}

Result<void> SurveyRun::storeNumbers()
{
    m_stored = std::chrono::steady_clock::now();
    if (!m_session)
        return {};
    return sessions::putSurvey(*m_session, record(), heads());
}

Result<void> SurveyRun::store()
{
    if (const auto stored = storeNumbers(); !stored.has_value() || !m_session)
        return stored;
    const auto all = result();
    if (!all.has_value())
        return all.error();
    return sessions::putSurveyPlaces(*m_session, all->record, all->places, all->texts);
}

Result<sessions::StoredSurvey> SurveyRun::result(bool withPlaces) const
{
    sessions::StoredSurvey stored{record(), heads(), {}, {}};
    if (!withPlaces)
        return stored;
    Places places(*m_open, m_survey);
    places.addAll(stored.heads, m_request.places.top);
    if (const auto texts = places.finish(stored); !texts.has_value())
        return texts.error();
    return stored;
}

RemovalRows SurveyRun::nextTokens() const
{
    return removalRows(*m_open, m_request, m_key.texts, m_source, m_survey.windows().options().start);
}

FactSheet SurveyRun::emptyFactSheet() const
{
    FactSheet sheet;
    sheet.texts = nextTokens().key.questionJson;
    return sheet;
}

UniformScores SurveyRun::uniformScores() const
{
    const survey::WindowCounts& counts = m_survey.state().measured;
    UniformScores scores;
    if (counts.gathers > 0)
        scores.gather = counts.gatherChance.value() / static_cast<double>(counts.gathers);
    if (counts.aggregates > 0)
        scores.aggregate = counts.aggregateChance.value() / static_cast<double>(counts.aggregates);
    return scores;
}

Result<FactSheet> SurveyRun::knownCosts() const
{
    FactSheet sheet = emptyFactSheet();
    if (!m_session || m_session->again())
        return sheet;
    if (const auto taken = takeAllRemovals(*m_session, nextTokens(), sheet); !taken.has_value())
        return taken.error();
    return sheet;
}

Result<std::vector<std::string>> SurveyRun::prompts() const
{
    Places places(*m_open, m_survey);
    places.addAll(heads(), m_request.places.top);
    return places.written();
}

} // namespace headscope::app
