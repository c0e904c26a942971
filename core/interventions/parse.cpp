// SPDX-License-Identifier: GPL-3.0-or-later
// Read by hand: the notation is small, and every mistake deserves its own sentence.
#include "core/interventions/parse.h"

#include "core/base/words/suggestion.h"

#include <charconv>
#include <cmath>

namespace headscope::interventions {

namespace {

constexpr int kLargestIndex = 1000000;
constexpr std::size_t kMostHeads = 65536;

/// A cursor over one word; every reader returns false and leaves the cursor where it was when the text does not fit.
class Cursor
{
public:
    explicit Cursor(std::string_view text) : m_rest(text) {}
    [[nodiscard]] bool atEnd() const { return m_rest.empty(); }
    [[nodiscard]] std::string_view rest() const { return m_rest; }
    bool take(std::string_view word)
    {
        if (!m_rest.starts_with(word))
            return false;
        m_rest.remove_prefix(word.size());
        return true;
    }
    template <typename Number> bool number(Number& value)
    {
        const auto [end, code] = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), value);
        if (code != std::errc{} || end == m_rest.data())
            return false;
        if constexpr (std::is_floating_point_v<Number>)
            if (!std::isfinite(static_cast<float>(value))) // "nan", "inf", 1e99: not a number of a model
                return false;
        m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
        return true;
    }
    bool index(int& value)
    {
        if (m_rest.empty() || m_rest.front() < '0' || m_rest.front() > '9')
            return false;
        return number(value) && value <= kLargestIndex;
    }
    bool site(Site& site)
    {
        if (take("H") || take("C"))
            site = Site::Any;
        else if (take("A"))
            site = Site::Attention;
        else if (take("S"))
            site = Site::Ssm;
        else if (take("X"))
            site = Site::Expert;
        else
            return false;
        return true;
    }
    /// 30 or 30-36.
    bool span(PositionSpan& span)
    {
        if (!index(span.first))
            return false;
        span.last = span.first;
        return !take("-") || (index(span.last) && span.last >= span.first);
    }
    bool layer(int& layer) { return take("L") && index(layer); }
    /// A comma that another number follows; in a list of heads the next one can begin after it instead: L1H3,L2H5.
    bool commaBeforeNumber()
    {
        const bool number = m_rest.size() > 1 && m_rest[0] == ',' && m_rest[1] >= '0' && m_rest[1] <= '9';
        return number && take(",");
    }

private:
    std::string_view m_rest;
};

Error bad(std::string_view word, const std::string& expected)
{
    return inputError("Cannot read the intervention '" + std::string(word) + "'; expected " + expected + ".");
}

// 0-3 or 0,2,7 or a mixture, or *.
bool headNumbers(Cursor& cursor, std::vector<int>& heads)
{
    if (cursor.take("*")) {
        heads.push_back(-1);
        return true;
    }
    do {
        int first = 0;
        if (!cursor.index(first))
            return false;
        int last = first;
        if (cursor.take("-") && (!cursor.index(last) || last < first))
            return false;
        if (heads.size() + static_cast<std::size_t>(last - first) + 1 > kMostHeads)
            return false;
        for (int head = first; head <= last; ++head)
            heads.push_back(head);
    } while (cursor.commaBeforeNumber());
    return true;
}

std::string inCapitals(std::string_view text)
{
    std::string capitals(text);
    for (char& c : capitals)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return capitals;
}

// L1H0-3 or L1H3,L2H5, of as many layers as there are.
bool headRefs(Cursor& cursor, std::vector<HeadRef>& refs)
{
    do {
        int layer = 0;
        Site site = Site::Any;
        std::vector<int> heads;
        if (!cursor.layer(layer) || !cursor.site(site) || !headNumbers(cursor, heads))
            return false;
        for (const int head : heads)
            refs.push_back({layer, site, head});
    } while (cursor.take(","));
    return true;
}

using Items = std::vector<Intervention>;

// The kind of intervention that a misspelt one probably means, or the heads in capitals.
std::string meantInstead(std::string_view word)
{
    if (const std::size_t colon = word.find(':'); colon != word.npos)
        return didYouMean(word.substr(0, colon + 1), {"keep:", "skip:", "lastrow:", "lastrow_self:", "mask:", "knock:",
                                                      "steer:", "swap:", "prenorm:", "shared:", "upto:"});
    const std::string capitals = inCapitals(word);
    Cursor cursor(capitals);
    std::vector<HeadRef> refs;
    return capitals != word && headRefs(cursor, refs) && cursor.atEnd() ? didYouMean(word, {capitals}) : std::string();
}

enum class Where { Head, BeforeNorm, SharedBlock };

Result<void> parseEdit(std::string_view word, Cursor cursor, Where where, Items& out)
{
    std::vector<HeadRef> refs;
    if (!headRefs(cursor, refs))
        return inputError(
            "Cannot read the intervention '" + std::string(word) + "'" + meantInstead(word)
            + "; expected heads such as L2H5, L1H0-3, L1H0,2,7, L1H3,L2H5 or L1H*, an expert such as L2X5, "
              "or one of keep:, skip:, lastrow:, mask:, knock:, steer: and swap: before its target.");
    EditHead edit;
    edit.preNorm = where == Where::BeforeNorm;
    edit.shared = where == Where::SharedBlock;
    if (cursor.take("=")) {
        if (cursor.take("mean"))
            edit.replacement = Replacement::Mean;
        else if (cursor.take("resample:") && cursor.number(edit.seed))
            edit.replacement = Replacement::Resample;
        else if (cursor.take("scale:") && cursor.number(edit.factor))
            edit.replacement = Replacement::Scale;
        else
            return bad(word, "=mean, =resample:SEED or =scale:FACTOR after the head");
    }
    edit.lastOnly = cursor.take("@last");
    if (!edit.lastOnly && cursor.take("@")) {
        PositionSpan span;
        if (!cursor.span(span))
            return bad(word, "@last or positions such as @30 or @30-36 after the head");
        edit.span = span;
    }
    if (edit.preNorm && (edit.span || edit.lastOnly))
        return bad(word, "'prenorm:' without positions");
    if (cursor.rest().starts_with(","))
        return bad(word, "a space before '" + std::string(cursor.rest().substr(1)) + "'; commas only join heads");
    if (!cursor.atEnd())
        return bad(word, "nothing more before '" + std::string(cursor.rest()) + "'");
    for (const HeadRef& ref : refs) {
        edit.head = ref;
        out.push_back(edit);
    }
    return {};
}

Result<void> parseKeep(std::string_view word, Cursor cursor, Items& out)
{
    std::vector<HeadRef> refs;
    if (!headRefs(cursor, refs) || !cursor.atEnd())
        return bad(word, "heads such as keep:L1H3,L2H5");
    for (const HeadRef& ref : refs)
        out.push_back(KeepHeads{ref.layer, ref.site, {ref.head}});
    return {};
}

Result<void> parseSkip(std::string_view word, Cursor cursor, Items& out)
{
    SkipLayer skip;
    bool good = cursor.layer(skip.layer);
    if (good && (cursor.rest().starts_with("A") || cursor.rest().starts_with("S")))
        good = cursor.site(skip.site);
    if (cursor.take(".mixer"))
        skip.part = LayerPart::Mixer;
    else if (cursor.take(".mlp"))
        skip.part = LayerPart::Mlp;
    if (!good || !cursor.atEnd() || (skip.site != Site::Any && skip.part != LayerPart::Mixer))
        return bad(word, "skip:L2, skip:L2.mixer, skip:L2A.mixer or skip:L2.mlp");
    out.push_back(skip);
    return {};
}

Result<void> parseLastRow(std::string_view word, Cursor cursor, Items& out)
{
    MaskLastRow mask;
    if (cursor.take("_self_renorm"))
        mask.kind = RowMask::SelfRenormalise;
    else if (cursor.take("_self"))
        mask.kind = RowMask::Self;
    mask.byLength = cursor.take("_len");
    bool good = cursor.take(":");
    if (good && !cursor.take("*")) {
        int layer = 0;
        good = cursor.layer(layer);
        mask.layer = layer;
        if (good && (cursor.rest().starts_with("A") || cursor.rest().starts_with("S")))
            good = cursor.site(mask.site);
    }
    if (!good || !cursor.atEnd())
        return bad(word, "lastrow:L2, lastrow:*, lastrow_self:L2 or lastrow_self_renorm:L2");
    out.push_back(mask);
    return {};
}

// mask:L2H5[q=30-36,k=3-5], mask:L2-4H*[...], and the same with knock:.
Result<void> parseSpans(std::string_view word, Cursor cursor, bool beforeSoftmax, Items& out)
{
    MaskSpan mask;
    mask.beforeSoftmax = beforeSoftmax;
    bool good = cursor.layer(mask.layer);
    mask.lastLayer = mask.layer;
    if (good && cursor.take("-"))
        good = cursor.index(mask.lastLayer) && mask.lastLayer >= mask.layer;
    good = good && cursor.site(mask.site) && (cursor.take("*") || cursor.index(mask.head)) && cursor.take("[q=")
           && cursor.span(mask.queries) && cursor.take(",k=") && cursor.span(mask.keys);
    mask.renormalise = good && !beforeSoftmax && cursor.take(",renorm");
    if (!good || !cursor.take("]") || !cursor.atEnd())
        return bad(word, std::string(beforeSoftmax ? "knock:" : "mask:") + "L2H5[q=30-36,k=3-5] or "
                             + (beforeSoftmax ? "knock:" : "mask:") + "L2-4H*[q=30-36,k=3-5]");
    if (mask.keys.first > mask.queries.last)
        return inputError("The spans of '" + std::string(word) + "' are not causal; expected keys before "
                          + std::to_string(mask.queries.last) + ", the last query.");
    if (mask.keys.last >= mask.queries.first
        && (mask.keys.last > mask.keys.first || mask.queries.last > mask.queries.first))
        return inputError("The spans of '" + std::string(word) + "' overlap; expected keys that end before "
                          + std::to_string(mask.queries.first) + ", the first query.");
    out.push_back(mask);
    return {};
}

// Whether the brackets hold a span, or several heads or layers are meant.
bool namesSpans(std::string_view word)
{
    const std::size_t bracket = word.find('['), head = word.find_first_of("HASC");
    return word.substr(0, bracket).find_first_of("-*") != std::string_view::npos
           || (bracket != std::string_view::npos && head < bracket
               && word.substr(bracket).find('-') != std::string_view::npos);
}

Result<void> parseSteer(std::string_view word, Cursor cursor, Items& out)
{
    Steer steer;
    bool good = cursor.layer(steer.layer);
    if (good && cursor.take("*"))
        good = cursor.number(steer.factor);
    if (!good || !cursor.take("=") || cursor.atEnd())
        return bad(word, "steer:L2*2.5=FILE[NAME], steer:L2=FILE-FILE or steer:L2=jlens:WORD");
    steer.direction = cursor.rest();
    out.push_back(steer);
    return {};
}

Result<void> parseExchange(std::string_view word, int layer, std::string_view words, Items& out)
{
    const std::size_t comma = words.find(',');
    ExchangeWords exchange{layer, std::string(words.substr(0, comma)),
                           std::string(words.substr(std::min(comma, words.size() - 1) + 1))};
    if (comma == words.npos || exchange.first.empty() || exchange.second.empty() || exchange.first == exchange.second
        || exchange.second.find(',') != std::string::npos)
        return bad(word, "two words, swap:L2=jlens:ONE,OTHER");
    if (exchange.second < exchange.first)
        std::swap(exchange.first, exchange.second);
    out.push_back(std::move(exchange));
    return {};
}

Result<void> parseSwap(std::string_view word, Cursor cursor, Items& out)
{
    SwapLayer swap;
    if (!cursor.layer(swap.layer) || !cursor.take("=") || cursor.atEnd())
        return bad(word, "swap:L2=MODEL or swap:L2=jlens:ONE,OTHER");
    if (cursor.take("jlens:"))
        return parseExchange(word, swap.layer, cursor.rest(), out);
    swap.model = cursor.rest();
    out.push_back(swap);
    return {};
}

Result<void> parseMask(std::string_view word, Cursor cursor, Items& out)
{
    if (namesSpans(word.substr(word.size() - cursor.rest().size())))
        return parseSpans(word, cursor, false, out);
    MaskEntry mask;
    bool good = cursor.layer(mask.head.layer) && cursor.site(mask.head.site) && cursor.index(mask.head.head)
                && cursor.take("[");
    if (good && cursor.take("b="))
        good = cursor.index(mask.sample) && cursor.take(",");
    good = good && cursor.take("q=") && cursor.index(mask.query) && cursor.take(",k=") && cursor.index(mask.key);
    mask.renormalise = good && cursor.take(",renorm");
    good = good && cursor.take("]");
    mask.renormalise = mask.renormalise || (good && cursor.take(",renorm")); // either place; written back inside
    if (!good || !cursor.atEnd())
        return bad(word, "mask:L2H5[q=36,k=14] or mask:L2H5[q=36,k=14,renorm]");
    if (mask.key > mask.query)
        return inputError("The entry of '" + std::string(word) + "' is not causal; expected k <= q, got k="
                          + std::to_string(mask.key) + " and q=" + std::to_string(mask.query) + ".");
    out.push_back(mask);
    return {};
}

// What follows '=' there is a name, which may end with a comma.
bool endsWithName(std::string_view word)
{
    return word.starts_with("swap:") || word.starts_with("steer:");
}

} // namespace

std::vector<std::string> wordsOf(std::string_view text)
{
    std::vector<std::string> words;
    bool joined = false; // by the comma that the word before ends with
    for (std::size_t at = 0; (at = text.find_first_not_of(" \t\n", at)) != text.npos;) {
        const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
        const std::string_view word = text.substr(at, end - at);
        if (!words.empty() && !endsWithName(words.back()) && (joined || word.starts_with(",")))
            words.back() += word;
        else
            words.emplace_back(word);
        joined = words.back().ends_with(",");
        at = end;
    }
    return words;
}

Result<void> parseWord(std::string_view word, Items& out)
{
    Cursor cursor(word);
    if (cursor.take("keep:"))
        return parseKeep(word, cursor, out);
    if (cursor.take("skip:"))
        return parseSkip(word, cursor, out);
    if (cursor.take("lastrow"))
        return parseLastRow(word, cursor, out);
    if (cursor.take("mask:"))
        return parseMask(word, cursor, out);
    if (cursor.take("knock:"))
        return parseSpans(word, cursor, true, out);
    if (cursor.take("steer:"))
        return parseSteer(word, cursor, out);
    if (cursor.take("prenorm:"))
        return parseEdit(word, cursor, Where::BeforeNorm, out);
    if (cursor.take("shared:"))
        return parseEdit(word, cursor, Where::SharedBlock, out);
    if (cursor.take("upto:")) {
        MinimalModel minimal;
        if (!cursor.layer(minimal.lastLayer) || !cursor.atEnd())
            return bad(word, "upto:L2");
        out.push_back(minimal);
        return {};
    }
    if (cursor.take("swap:"))
        return parseSwap(word, cursor, out);
    return parseEdit(word, cursor, Where::Head, out);
}

Result<HeadRef> parseHead(std::string_view text)
{
    HeadRef ref;
    Cursor cursor(text);
    if (!cursor.layer(ref.layer) || !cursor.site(ref.site) || !cursor.index(ref.head) || !cursor.atEnd())
        return inputError("Cannot read the head '" + std::string(text) + "'" + meantInstead(text)
                          + "; expected a name such as L2H5.");
    return ref;
}

Result<std::vector<HeadRef>> parseHeads(std::string_view text)
{
    std::vector<HeadRef> refs;
    for (const std::string& word : wordsOf(text)) {
        Cursor cursor(word);
        if (headRefs(cursor, refs) && cursor.atEnd())
            continue;
        refs.clear();
        break;
    }
    if (refs.empty())
        return inputError("Cannot read the heads '" + std::string(text) + "'" + meantInstead(text)
                          + "; expected names such as L2H5, L1H0-3, L1H3,L2H5 or L1H*.");
    return refs;
}

std::optional<PositionSpan> parseSpan(std::string_view text)
{
    PositionSpan span;
    Cursor cursor(text);
    return cursor.span(span) && cursor.atEnd() ? std::optional(span) : std::nullopt;
}

} // namespace headscope::interventions
