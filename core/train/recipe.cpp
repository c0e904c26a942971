// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/recipe.h"

#include "core/io/textfiles/textfile.h"
#include "core/tasks/toy/toyvocabulary.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>

namespace headscope::train {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostEnglishPairs = 90; ///< as many numbers of two digits are there for values

// Lists every key once, for reading and for writing.
template <typename Visitor> void visit(Visitor& v, NetworkShape& n)
{
    v("layers", n.layers);
    v("window", n.window);
    v("fullRotates", n.fullRotates);
    v("hidden", n.hidden);
    v("heads", n.heads);
    v("headDim", n.headDim);
    v("mlp", n.mlp);
    v("ropeBase", n.ropeBase);
    v("embeddingStd", n.embeddingStd);
    v("tied", n.tied);
    v("state", n.state);
    v("convWidth", n.convWidth);
    v("decayLow", n.decayLow);
    v("decayHigh", n.decayHigh);
    v("matchBiasStd", n.matchBiasStd);
    v("matchScale", n.matchScale);
    v("matchedStart", n.matchedStart);
}
template <typename Visitor> void visit(Visitor& v, OptimizerRecipe& o)
{
    v("rate", o.rate);
    v("copyRate", o.copyRate);
    v("warmup", o.warmup);
    v("decay", o.decay);
    v("beta1", o.beta1);
    v("beta2", o.beta2);
    v("eps", o.eps);
    v("weightDecay", o.weightDecay);
    v("clip", o.clip);
    v("allTokens", o.allTokens);
    v("bf16", o.bf16);
}
template <typename Visitor> void visit(Visitor& v, CopyingRecipe& c)
{
    v("texts", c.texts);
    v("until", c.until);
    v("maxSteps", c.maxSteps);
    v("fewestWords", c.fewestWords);
    v("mostWords", c.mostWords);
    v("repeats", c.repeats);
    v("growing", c.growing);
}
template <typename Visitor> void visit(Visitor& v, TasksRecipe& t)
{
    v("copyTexts", t.copyTexts);
    v("copyUntil", t.copyUntil);
    v("kvTexts", t.kvTexts);
    v("kvQueries", t.kvQueries);
    v("kvShort", t.kvShort);
    v("kvFirstPairs", t.kvFirstPairs);
    v("kvLastPairs", t.kvLastPairs);
    v("kvRaiseAt", t.kvRaiseAt);
    v("kvFirstKeyWords", t.kvFirstKeyWords);
    v("kvFirstValues", t.kvFirstValues);
    v("mcTexts", t.mcTexts);
    v("mcQuestions", t.mcQuestions);
    v("mcNameAttribute", t.mcNameAttribute);
    v("completionTexts", t.completionTexts);
    v("completionStatements", t.completionStatements);
}
template <typename Visitor> void visit(Visitor& v, EnglishMix& m)
{
    v("proseTokens", m.proseTokens);
    v("proseWeight", m.proseWeight);
    v("kvTokens", m.kvTokens);
    v("mcTokens", m.mcTokens);
    v("mcSteps", m.mcSteps);
    v("mcLists", m.mcLists);
    v("mcToldQuestions", m.mcToldQuestions);
    v("mcTold", m.mcTold);
    v("ioiTokens", m.ioiTokens);
    v("listTokens", m.listTokens);
    v("factTokens", m.factTokens);
    v("copyTokens", m.copyTokens);
}
template <typename Visitor> void visit(Visitor& v, EnglishRecipe& e)
{
    v("vocabulary", e.vocabulary);
    v("copyTokens", e.copyTokens);
    v("copyRow", e.copyRow);
    v("proseRow", e.proseRow);
    v("mcRow", e.mcRow);
    v("ioiRow", e.ioiRow);
    v("factRow", e.factRow);
    v("mcQuestions", e.mcQuestions);
    v("halfwayLayers", e.halfwayLayers);
    v("halfwayWeight", e.halfwayWeight);
    v("mcFirstWords", e.mcFirstWords);
    v("otherWeight", e.otherWeight);
    v.group("mix", e.mix);
    v("laterAt", e.laterAt);
    v.group("later", e.later);
}
template <typename Visitor> void visit(Visitor& v, PruningRecipe& p)
{
    v("startAt", p.startAt);
    v("startPairs", p.startPairs);
    v("steps", p.steps);
    v("strength", p.strength);
    v("layers", p.layers);
    v("keep", p.keep);
    v("power", p.power);
    v("strongSteps", p.strongSteps);
    v("weakShare", p.weakShare);
    v("headDropout", p.headDropout);
    v("fullDropout", p.fullDropout);
    v("ssmDropout", p.ssmDropout);
    v("sharedDropout", p.sharedDropout);
    v("duplicatesFrom", p.duplicatesFrom);
    v("duplicatesEvery", p.duplicatesEvery);
    v("massAbove", p.massAbove);
    v("accuracyAbove", p.accuracyAbove);
    v("aggregateCost", p.aggregateCost);
    v("gatherCost", p.gatherCost);
    v("togetherBelow", p.togetherBelow);
    v("fadePerNat", p.fadePerNat);
    v("fadeLeast", p.fadeLeast);
    v("fadeMost", p.fadeMost);
    v("stepsAfter", p.stepsAfter);
}
template <typename Visitor> void visit(Visitor& v, Recipe& r)
{
    v("name", r.name);
    v("about", r.about);
    v("from", r.from);
    v("seed", r.seed);
    v("maxSteps", r.maxSteps);
    v("expectedSteps", r.expectedSteps);
    v("evaluateEvery", r.evaluateEvery);
    v.group("network", r.network);
    v.group("optimizer", r.optimizer);
    v.group("copying", r.copying);
    v.group("tasks", r.tasks);
    v.group("english", r.english);
    v.group("pruning", r.pruning);
}

class Reader
{
public:
    Reader(const Json& json, std::string prefix) : m_json(json), m_prefix(std::move(prefix)) {}

    template <typename T> void operator()(const char* key, T& value)
    {
        m_known.insert(key);
        if (error || !m_json.contains(key))
            return;
        const Json& found = m_json[key];
        const bool fits = std::is_same_v<T, bool>          ? found.is_boolean()
                          : std::is_same_v<T, std::string> ? found.is_string()
                          : std::is_integral_v<T>          ? found.is_number_unsigned()
                                                           : found.is_number();
        if (!fits)
            error = "'" + m_prefix + key + "' is " + found.dump() + "; expected "
                    + (std::is_same_v<T, bool>          ? "true or false"
                       : std::is_same_v<T, std::string> ? "a text"
                       : std::is_integral_v<T>          ? "a whole number from 0 up"
                                                        : "a number");
        else
            value = found.get<T>();
    }
    template <typename Group> void group(const char* key, Group& value)
    {
        m_known.insert(key);
        if (error || !m_json.contains(key))
            return;
        if (!m_json[key].is_object()) {
            error = "'" + m_prefix + key + "' is not an object";
            return;
        }
        Reader inner(m_json[key], m_prefix + key + ".");
        visit(inner, value);
        inner.finish();
        error = inner.error;
    }
    void finish()
    {
        for (const auto& [key, value] : m_json.items())
            if (!error && !m_known.contains(key))
                error = "'" + m_prefix + key + "' is not a key of recipes";
    }
    std::optional<std::string> error;

private:
    const Json& m_json;
    std::string m_prefix;
    std::set<std::string> m_known;
};

class Writer
{
public:
    template <typename T> void operator()(const char* key, T& value) { json[key] = value; }
    template <typename Group> void group(const char* key, Group& value)
    {
        Writer inner;
        visit(inner, value);
        json[key] = inner.json;
    }
    Json json = Json::object();
};

std::optional<std::string> outOfRange(const Recipe& r)
{
    const NetworkShape& n = r.network;
    if (n.layers.empty() || n.layers.find_first_not_of("AWS") != std::string::npos
        || (n.layers.find('W') != std::string::npos && n.layers.find('S') != std::string::npos))
        return "'network.layers' is \"" + n.layers
               + "\"; expected one letter a layer, A (attention), W (attention in a window, not beside S) or S (SSM)";
    if (!n.fullRotates && n.layers.find('W') == std::string::npos)
        return "'network.fullRotates' is false; only beside layers W can layers A be without positions";
    if (n.hidden < 1 || n.heads < 1 || n.headDim < 2 || n.headDim % 2 != 0 || n.mlp < 1 || n.state < 1
        || n.convWidth < 1 || n.window < 1)
        return "'network' has a size below 1 or an odd headDim";
    if (r.pruning.layers.find_first_not_of("AS") != std::string::npos)
        return "'pruning.layers' is \"" + r.pruning.layers
               + "\"; expected the letters of layers whose heads may go, A (attention) or S (SSM)";
    const auto prunable = std::count_if(n.layers.begin(), n.layers.end(), [&](char letter) {
        return r.pruning.layers.find(letter) != std::string::npos;
    });
    if (r.pruning.keep > 0 && (r.english.vocabulary == 0 || r.pruning.keep < prunable))
        return "'pruning.keep' is for small English models only, and at least one in each of 'pruning.layers'";
    if (r.pruning.fullDropout < 0 || r.pruning.fullDropout > 0.9)
        return "'pruning.fullDropout' is a share from 0 to 0.9";
    const int mostPairs = r.english.vocabulary > 0 ? kMostEnglishPairs : tasks::toy::kKeyWords;
    if (r.tasks.kvFirstPairs < 2 || r.tasks.kvLastPairs > mostPairs || r.tasks.kvFirstPairs > r.tasks.kvLastPairs)
        return "'tasks.kvFirstPairs' and 'tasks.kvLastPairs' must be from 2 to " + std::to_string(mostPairs)
               + " and in this order";
    if (r.tasks.kvFirstKeyWords < r.tasks.kvFirstPairs || r.tasks.kvFirstKeyWords > tasks::toy::kKeyWords
        || r.tasks.kvFirstValues < r.tasks.kvFirstPairs || r.tasks.kvFirstValues > tasks::toy::kNumbers)
        return "'tasks.kvFirstKeyWords' must be from kvFirstPairs to 48, 'tasks.kvFirstValues' from kvFirstPairs to "
               "100";
    if (r.copying.fewestWords < 2 || r.copying.mostWords < r.copying.fewestWords || r.copying.mostWords > 60
        || r.copying.repeats < 2 || r.copying.repeats > 8)
        return "'copying' needs 2 to 60 words (fewestWords <= mostWords) and 2 to 8 repeats";
    if (r.tasks.kvTexts < 1 || r.tasks.kvQueries < 1 || r.tasks.kvQueries > 24 || r.optimizer.decay < 1
        || r.optimizer.warmup < 1 || r.maxSteps < 1 || r.evaluateEvery < 1 || r.pruning.duplicatesEvery < 1
        || r.pruning.fadeLeast < 1)
        return "a count is out of range (kvTexts, kvQueries up to 24, decay, warmup, maxSteps, evaluateEvery, "
               "duplicatesEvery and fadeLeast are at least 1)";
    return {};
}

// What the small English models need besides.
std::optional<std::string> englishOutOfRange(const Recipe& r)
{
    const EnglishRecipe& e = r.english;
    if (e.vocabulary == 0)
        return r.from.empty() ? std::nullopt : std::optional<std::string>("'from' is for small English models only");
    if (e.vocabulary < 300 || e.vocabulary > 65536)
        return "'english.vocabulary' is " + std::to_string(e.vocabulary)
               + "; expected 300 to 65536 (0: the tiny models' words)";
    for (const int row : {e.copyRow, e.proseRow, e.mcRow, e.ioiRow, e.factRow})
        if (row < 32 || row > 512)
            return "'english' has a row of " + std::to_string(row) + " tokens; expected 32 to 512";
    if (2 * r.copying.mostWords + 2 > e.copyRow)
        return "'english.copyRow' is too short for two copies of 'copying.mostWords' tokens";
    for (const EnglishMix& mix : {e.mix, e.later})
        if (mix.proseTokens < e.proseRow || mix.kvTokens < 256)
            return "'english.mix' and 'english.later' need proseTokens of at least one row and kvTokens of at least "
                   "256";
    for (const EnglishMix& mix : {e.mix, e.later})
        if (!(mix.proseWeight > 0 && mix.proseWeight <= 100))
            return "'proseWeight' is out of range; expected more than 0, at most 100";
    if (e.mcQuestions < 1 || e.mcQuestions > 24)
        return "'english.mcQuestions' is out of range; expected 1 to 24";
    if (e.halfwayLayers < 0 || e.halfwayLayers >= static_cast<int>(r.network.layers.size()))
        return "'english.halfwayLayers' is out of range; expected fewer than there are layers (0: not asked)";
    for (const EnglishMix& mix : {e.mix, e.later})
        if (mix.mcTold < 0 || mix.mcTold > 1 || mix.mcToldQuestions < 0 || mix.mcToldQuestions > 100
            || (mix.mcTold + mix.mcToldQuestions > 0 && e.halfwayLayers == 0))
            return "'mcTold' is a share from 0 to 1, 'mcToldQuestions' 0 to 100, and both need 'english.halfwayLayers'";
    if (e.mcFirstWords != 0 && e.mcFirstWords < 4)
        return "'english.mcFirstWords' is out of range; expected at least 4 words (0: all)";
    if (!r.from.empty() && (!r.network.tied || r.copying.texts > 0))
        return "'from' needs 'network.tied' and no phase of copying ('copying.texts' 0)";
    if (r.pruning.strength > 0)
        return "'pruning.strength' is above 0; small English models lose heads by 'pruning.keep' alone";
    return {};
}

} // namespace

Result<Recipe> Recipe::parse(const std::string& text, const std::string& where)
{
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return inputError("The recipe " + where + " is not a JSON object.");
    Recipe recipe;
    Reader reader(json, "");
    visit(reader, recipe);
    reader.finish();
    if (reader.error)
        return inputError("The recipe " + where + " cannot be used: " + *reader.error + ".");
    recipe.network.vocabulary = recipe.english.vocabulary > 0 ? recipe.english.vocabulary : tasks::toy::WordCount;
    if (const auto problem = outOfRange(recipe))
        return inputError("The recipe " + where + " cannot be used: " + *problem + ".");
    if (const auto problem = englishOutOfRange(recipe))
        return inputError("The recipe " + where + " cannot be used: " + *problem + ".");
    return recipe;
}

Result<Recipe> Recipe::load(const std::filesystem::path& file)
{
    const auto text = io::readTextFile(file);
    return text.has_value() ? parse(*text, file.string()) : text.error();
}

std::string Recipe::toJson() const
{
    Recipe copy = *this;
    Writer writer;
    visit(writer, copy);
    return writer.json.dump(2) + "\n";
}

} // namespace headscope::train
