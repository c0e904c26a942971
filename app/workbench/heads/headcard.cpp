// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/heads/headcard.h"

#include "core/base/foldernames.h"
#include "core/base/printable.h"
#include "core/experiments/words/language.h"
#include "core/survey/metric.h"
#include "core/text/tokenwords.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace headscope::app {

namespace {

using experiments::translated;
using survey::Metric;

constexpr std::size_t kNeighbours = 5;
constexpr int kAround = 14;             // tokens told before and behind a query, besides those that it reads
constexpr std::size_t kPlacesShown = 3; // of each kind and metric

// What a head may look for; a card shows places of the two that its rows lie on most.
constexpr Metric kLooks[] = {Metric::Induction, Metric::Duplicate, Metric::Previous, Metric::Gather, Metric::Aggregate};
constexpr std::size_t kLooksShown = 2;

constexpr const char* kStyle =
    "body{font:10pt sans-serif;margin:1.5em;color:#222;background:#fff}"
    ".card{page-break-after:always;max-width:60em}h1{font-size:15pt;margin:0 0 .2em}h2{font-size:11pt;margin:1em 0 "
    ".3em}"
    "table{border-collapse:collapse;font-size:9pt}td,th{padding:1px 8px;text-align:right}th:first-child,td:first-child"
    "{text-align:left}p{margin:.2em 0}.where{color:#666;font-size:8pt}.text{font-family:monospace;font-size:9pt}"
    ".query{border:1.5px solid #b00020;background:#b00020;color:#fff;font-weight:bold}"
    "a{color:#222;text-decoration:none}";

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value == 0 ? 0.0 : value); // a zero has no sign
    return text;
}

const sessions::SurveyValue* valueOf(const sessions::SurveyHead& head, std::string_view metric)
{
    const auto found = std::find_if(head.values.begin(), head.values.end(),
                                    [metric](const sessions::SurveyValue& one) { return one.metric == metric; });
    return found == head.values.end() ? nullptr : &*found;
}

// A line of a page in the language of the thread, as HTML.
template <typename... Values> std::string line(std::string_view english, const Values&... values)
{
    return asHtml(translated(english, values...));
}

std::string heading(const std::string& html)
{
    return "<h2>" + html + "</h2>";
}

// The first row of a table.
std::string columns(std::initializer_list<const char*> english)
{
    std::string html = "<table><tr>";
    for (const char* name : english)
        html += "<th>" + line(name) + "</th>";
    return html + "</tr>";
}

std::string metricsTable(const sessions::SurveyHead& head)
{
    std::string html =
        heading(line("Metrics")) + columns({"metric", "mean", "deviation", "5 %", "median", "95 %", "largest", "n"});
    for (const sessions::SurveyValue& value : head.values) {
        html += "<tr><td align=\"left\" style=\"white-space:nowrap\">" + asHtml(value.metric) + "</td>";
        for (const double cell : {value.mean, value.deviation, value.q05, value.median, value.q95, value.largest})
            html += "<td>" + number(cell) + "</td>";
        html += "<td>" + std::to_string(value.n) + "</td></tr>";
    }
    return html + "</table>";
}

// Bars by distance in letters, which every viewer draws.
std::string profileTable(const std::vector<double>& profile)
{
    constexpr int kLongest = 60; // letters
    std::string html = heading(line("Where it reads: mean share by distance")) + "<table>";
    for (std::size_t i = 0; i < profile.size(); ++i) {
        if (profile[i] < 5e-4)
            continue;
        const long near = i == 0 ? 0 : 1L << (i - 1), far = i == 0 ? 0 : (1L << i) - 1;
        const std::string name = near == far ? std::to_string(near) : std::to_string(near) + "-" + std::to_string(far);
        std::string bar;
        for (int letter = 0; letter < static_cast<int>(std::lround(profile[i] * kLongest)); ++letter)
            bar += "\u2588";
        html += "<tr><td align=\"left\">" + name + "</td><td>" + number(profile[i])
                + "</td><td align=\"left\" style=\"color:#4878a8\">" + bar + "</td></tr>";
    }
    return html + "</table>";
}

// A share as a colour between white and orange, without transparency, which not every viewer draws.
std::string shade(double share)
{
    const auto mixed = [share](int colour) { return static_cast<int>(255 - (255 - colour) * std::min(share, 1.0)); };
    char text[32];
    std::snprintf(text, sizeof text, "background:#%02x%02x%02x", mixed(240), mixed(150), mixed(10));
    return text;
}

// A token between the spaces that stand around it in a text.
std::string tokenHtml(const std::string& token, bool haveSpaces, const std::string& attributes)
{
    const std::size_t space = haveSpaces && token.size() > 1 && token[0] == ' ' ? 1 : 0;
    return (space > 0 ? " <span" : "<span") + attributes + ">" + asHtml(visible(std::string_view(token).substr(space)))
           + "</span>" + (haveSpaces && token != "\n" ? "" : " ");
}

std::string placeText(const sessions::SurveyPlace& place, const sessions::SurveyText& text, const std::string& link)
{
    const auto shareOf = [&place](int token) {
        const auto read = std::find_if(place.reads.begin(), place.reads.end(),
                                       [token](const auto& one) { return one.first == token; });
        return read == place.reads.end() ? 0.0 : read->second;
    };
    std::string html = "<p class=\"text\">" + (link.empty() ? "" : "<a href=\"" + link + "\">");
    const bool spaces = headscope::text::haveSpaces(text.tokens);
    bool gap = false;
    for (int t = 0; t < static_cast<int>(text.tokens.size()); ++t) {
        const double share = shareOf(t);
        if (std::abs(t - place.position) > kAround && share < 0.02) {
            html += gap ? "" : " … ";
            gap = true;
            continue;
        }
        gap = false;
        html += tokenHtml(text.tokens[static_cast<std::size_t>(t)], spaces,
                          t == place.position ? " class=\"query\""
                          : share > 0         ? " style=\"" + shade(share) + "\""
                                              : std::string());
    }
    return html + (link.empty() ? "" : "</a>") + "</p><p class=\"where\">" + number(place.value) + ", "
           + asHtml(text.source) + "</p>";
}

std::string places(const sessions::StoredSurvey& survey, const sessions::SurveyHead& head, bool linked)
{
    std::vector<Metric> looks(std::begin(kLooks), std::end(kLooks));
    const auto mean = [&head](Metric metric) {
        const sessions::SurveyValue* value = valueOf(head, survey::name(metric));
        return value ? value->mean : 0;
    };
    std::stable_sort(looks.begin(), looks.end(), [&](Metric a, Metric b) { return mean(a) > mean(b); });
    looks.resize(kLooksShown);
    std::string html;
    for (const Metric metric : looks)
        for (const bool ordinary : {false, true}) {
            std::string some;
            std::size_t shown = 0;
            for (const sessions::SurveyPlace& place : survey.places)
                if (place.head == head.head && place.metric == survey::name(metric) && place.ordinary == ordinary
                    && shown < kPlacesShown) {
                    some +=
                        placeText(place, survey.texts[static_cast<std::size_t>(place.text)],
                                  linked ? "place:" + std::to_string(&place - survey.places.data()) : std::string());
                    ++shown;
                }
            if (!some.empty())
                html += heading(line(ordinary ? "{}: ordinary places" : "{}: largest", survey::name(metric))) + some;
        }
    return html;
}

using Scores = std::vector<std::pair<std::string, double>>;

// Of these two a head that reads all tokens alike has some, too.
std::optional<double> uniformOf(std::string_view metric, const UniformScores& all)
{
    return metric == survey::name(Metric::Gather)      ? all.gather
           : metric == survey::name(Metric::Aggregate) ? all.aggregate
                                                       : std::nullopt;
}

// A score as the share of the way from chance to 1.
double aboveChance(double score, const std::optional<double>& uniform)
{
    return uniform && *uniform < 1 ? (score - *uniform) / (1 - *uniform) : score;
}

// Scores in words, those that reach the threshold in bold.
std::string scoreList(const Scores& scores, double threshold, const UniformScores& all)
{
    std::string html;
    for (const auto& [name, value] : scores) {
        const auto uniform = uniformOf(name, all);
        const bool reached = aboveChance(value, uniform) >= threshold;
        html += (html.empty() ? "" : ", ") + std::string(reached ? "<b>" : "") + asHtml(name) + " " + number(value)
                + (reached ? "</b>" : "") + (uniform ? " " + line("(all tokens alike: {})", number(*uniform)) : "");
    }
    return html;
}

std::string labels(const sessions::SurveyHead& head, const HeadFacts* facts, double threshold, const UniformScores& all)
{
    Scores looks;
    for (const Metric metric : {Metric::Previous, Metric::Duplicate, Metric::Induction, Metric::First, Metric::Diagonal,
                                Metric::Gather, Metric::Aggregate})
        if (const sessions::SurveyValue* value = valueOf(head, survey::name(metric)))
            looks.emplace_back(survey::name(metric), value->mean);
    const Scores probes = facts ? facts->probes : Scores();
    const auto highest = [&](const Scores& scores) {
        const auto above = [&](const Scores::value_type& one) {
            return aboveChance(one.second, uniformOf(one.first, all));
        };
        const auto best = std::ranges::max_element(scores, {}, above);
        return best != scores.end() && above(*best) >= threshold ? best->first : std::string();
    };
    // What an ablation showed has the first word, as beside the window's map; then controlled sequences.
    std::string label = facts && !facts->role.empty() ? translated(facts->role) : std::string();
    if (label.empty())
        label = highest(probes);
    if (label.empty())
        label = highest(looks);
    return heading(line("Label: {}", label.empty() ? translated("none") : label)) + "<p>"
           + line("A label is a score from {} on. Over these texts:", number(threshold)) + ' '
           + scoreList(looks, threshold, all) + '.' + ' '
           + (probes.empty() ? line("Scores on repeated random tokens are measured together with what removal costs.")
                             : line("On repeated random tokens:") + ' ' + scoreList(probes, threshold, {}) + '.')
           + "</p>";
}

// core/survey/loss.h says what each means.
const char* groupName(std::string_view tokens)
{
    constexpr std::pair<std::string_view, const char*> kNames[] = {
        {"all", "all tokens"},
        {"new", "new in the text"},
        {"repeated", "seen before, after another token"},
        {"continued", "seen before, after the same token"},
        {"early", "position below 16"},
        {"middle", "position 16 to 63"},
        {"late", "position from 64 on"},
        {"frequent", "the 10 most frequent"},
        {"usual", "the next 90"},
        {"rare", "less frequent ones"},
    };
    const auto found = std::ranges::find(kNames, tokens, &std::pair<std::string_view, const char*>::first);
    return found == std::end(kNames) ? "other" : found->second;
}

std::string costRow(const std::string& on, double loss, const analysis::Interval* interval, const std::string& of)
{
    if (interval && !interval->known())
        interval = nullptr;
    return "<tr><td align=\"left\">" + asHtml(on) + "</td><td>" + number(loss) + "</td><td>"
           + (interval ? "[" + number(interval->low) + ", " + number(interval->high) + "]" : std::string("-"))
           + "</td><td>" + asHtml(of) + "</td></tr>";
}

// Where nothing can be lost, or all can, the number alone would say less than it seems to.
std::string costExamples(const HeadCost& cost)
{
    const std::string rows = translated("{} examples", cost.n);
    if (!cost.before)
        return rows;
    return analysis::limitOf(*cost.before, cost.n, 0) == analysis::Limit::Floor
               ? translated("{}; 0 of 0.00 can be lost", rows)
               : translated("{}, {} right before", rows, number(*cost.before));
}

std::string costs(const HeadFacts& facts)
{
    std::string html;
    for (const HeadCost& cost : facts.costs)
        html += costRow(cost.task, cost.loss, &cost.interval, costExamples(cost));
    for (const GroupLoss& group : facts.losses)
        html += costRow(translated("next token: {} (nats)", translated(groupName(group.tokens))), group.change,
                        group.interval ? &*group.interval : nullptr, translated("{} tokens", group.n));
    return html.empty()
               ? html
               : heading(line("What removing it costs")) + columns({"on", "lost", "95 %", "of"}) + html + "</table>";
}

std::string rises(const HeadFacts& facts)
{
    std::string html;
    for (const LossRise& rise : facts.rises) {
        std::vector<std::string> all = rise.before;
        all.push_back(rise.token);
        const bool spaces = text::haveSpaces(all);
        html += "<p class=\"text\">… ";
        for (const std::string& token : rise.before)
            html += tokenHtml(token, spaces, {});
        html += tokenHtml(rise.token, spaces, " class=\"query\"") + "</p><p class=\"where\">+"
                + line("{} nats, {}", number(rise.rise), rise.source) + "</p>";
    }
    return html.empty() ? html : heading(line("Tokens that need it most")) + html;
}

std::string weights(const HeadFacts& facts, std::int64_t positions)
{
    std::string html;
    if (facts.copying)
        html += "<p>" + line("Copying score {} (1: copies what it reads, -1: suppresses it).", number(*facts.copying))
                + "</p>";
    if (!facts.frequent.empty()) {
        html += "<p>"
                + line("Adds to the logits of the texts' most frequent tokens, mean over {} positions:", positions)
                + ' ';
        for (const auto& [token, value] : facts.frequent)
            html += (&token == &facts.frequent.front().first ? "" : ", ") + asHtml(token) + " " + number(value);
        html += ' ' + line("(against the mean over the vocabulary).") + "</p>";
    }
    return html.empty() ? html : heading(line("What it writes")) + html;
}

std::string neighbourList(const std::string& title, std::span<const survey::HeadMatch> matches,
                          std::span<const survey::HeadTraits> heads)
{
    if (matches.empty()) // of one head alone
        return {};
    std::string html = "<p>" + title + ' ';
    for (const survey::HeadMatch& match : matches)
        html += (&match == matches.data() ? "" : ", ") + asHtml(heads[match.second].head) + " ("
                + number(match.distance) + ")";
    return html + "</p>";
}

} // namespace

std::string asHtml(std::string_view text)
{
    std::string html;
    for (const char c : printable(text, Newlines::Escape)) {
        if (c == '<')
            html += "&lt;";
        else if (c == '>')
            html += "&gt;";
        else if (c == '&')
            html += "&amp;";
        else if (c == '"')
            html += "&quot;";
        else
            html += c;
    }
    return html;
}

std::vector<survey::HeadTraits> traitsOf(const sessions::StoredSurvey& survey)
{
    std::vector<survey::HeadTraits> traits;
    for (const sessions::SurveyHead& head : survey.heads) {
        survey::HeadTraits one{head.head, head.profile};
        for (const Metric metric : {Metric::Previous, Metric::Duplicate, Metric::Induction, Metric::First,
                                    Metric::Diagonal, Metric::Gather, Metric::Aggregate}) {
            const sessions::SurveyValue* value = valueOf(head, survey::name(metric));
            one.values.push_back(value ? value->mean : 0);
        }
        traits.push_back(std::move(one));
    }
    return traits;
}

std::vector<std::string> tasksOfBoth(const FactSheet& first, const FactSheet& second)
{
    std::vector<std::string> tasks;
    const auto knows = [](const FactSheet& sheet, const std::string& task) {
        return std::ranges::any_of(sheet.heads, [&task](const HeadFacts& head) {
            return std::ranges::find(head.costs, task, &HeadCost::task) != head.costs.end();
        });
    };
    for (const HeadFacts& head : first.heads)
        for (const HeadCost& cost : head.costs)
            if (std::ranges::find(tasks, cost.task) == tasks.end() && knows(second, cost.task))
                tasks.push_back(cost.task);
    return tasks;
}

std::vector<survey::HeadTraits> costTraitsOf(const FactSheet& facts, std::span<const std::string> tasks)
{
    constexpr double kLeast = 0.05; // one example in twenty
    std::vector<survey::HeadTraits> traits;
    for (const HeadFacts& head : facts.heads) {
        survey::HeadTraits one{head.head, {}};
        double largest = 0;
        for (const std::string& task : tasks)
            if (const auto cost = std::ranges::find(head.costs, task, &HeadCost::task); cost != head.costs.end()) {
                one.values.push_back(cost->loss);
                largest = std::max(largest, std::abs(cost->loss));
            }
        if (!tasks.empty() && one.values.size() == tasks.size() && largest >= kLeast)
            traits.push_back(std::move(one));
    }
    return traits;
}

std::string headCards(const sessions::StoredSurvey& survey, std::span<const std::string> heads, const CardText& text,
                      const sessions::StoredSurvey* other)
{
    const auto own = traitsOf(survey);
    const auto others = other ? traitsOf(*other) : std::vector<survey::HeadTraits>();
    std::string html = "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>" + asHtml(text.model)
                       + "</title><style>" + kStyle + "</style></head><body>\n";
    for (std::size_t i = 0; i < survey.heads.size(); ++i) {
        const sessions::SurveyHead& head = survey.heads[i];
        if (!heads.empty() && std::find(heads.begin(), heads.end(), head.head) == heads.end())
            continue;
        html += "<div class=\"card\"><h1>" + asHtml(head.head) + "</h1><p class=\"where\">" + asHtml(text.model) + ", "
                + asHtml(survey.record.source) + ", " + line("{} tokens", survey.record.tokens)
                + (survey.record.key.ablation.empty()
                       ? ""
                       : ", " + line("ablated: {}", ablationWithoutFolders(survey.record.key.ablation)))
                + "</p>";
        const HeadFacts* facts = text.facts ? text.facts->find(head.head) : nullptr;
        html += labels(head, facts, text.threshold, text.uniform);
        if (facts)
            html += costs(*facts) + weights(*facts, text.facts->frequentOver);
        html += metricsTable(head) + profileTable(head.profile);
        std::string similar = neighbourList(line("here:"), survey::neighbours(own, i, kNeighbours), own);
        if (!others.empty()) {
            std::vector<survey::HeadTraits> joined = others;
            joined.push_back(own[i]);
            similar += neighbourList(line("in {}:", text.otherModel),
                                     survey::neighbours(joined, joined.size() - 1, kNeighbours), joined);
        }
        if (!similar.empty())
            html += heading(line("Most similar heads")) + similar;
        if (facts)
            html += rises(*facts);
        html += places(survey, head, text.linked) + "</div>\n";
    }
    return html + "</body></html>\n";
}

} // namespace headscope::app
