// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/rows/storedrows.h"

#include "sessions/rows/columns.h"
#include "sessions/rows/modelheadrows.h"
#include "sessions/rows/patterncodec.h"
#include "sessions/rows/seriesrows.h"

#include "core/base/hash.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>

namespace headscope::sessions {

namespace {

constexpr std::int64_t kMostSegments = 1'000'000; // bytes

constexpr const char* kInfoQuery =
    "SELECT p.id, m.hash, p.dtype, p.head, p.matrix, p.with_d, p.with_dt, p.with_gate, p.shown, p.earlier_words, "
    "a.text, p.prompt, p.source, p.created, p.prompt_hash, p.rows, p.cols, length(p.data), p.max_error "
    "FROM patterns p JOIN models m ON m.id = p.model_id JOIN ablations a ON a.id = p.ablation_id ";

// As the columns `matrix` and `shown` have them, in the order of the enums.
constexpr std::array<std::string_view, 4> kMatrixKinds = {"attention", "hidden", "channel", "other"};
constexpr std::array<std::string_view, 3> kShown = {"plain", "weighted", "change"};

template <typename Enum, std::size_t Count>
Enum valueOf(const std::array<std::string_view, Count>& names, const std::string& name)
{
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
        throw BadRow("a pattern has the unknown convention '" + oneLine(name) + "'");
    return static_cast<Enum>(found - names.begin());
}

template <typename Enum, std::size_t Count>
std::string_view kindName(const std::array<std::string_view, Count>& names, Enum value)
{
    return names[static_cast<std::size_t>(value)];
}

analysis::MatrixConvention conventionAt(RowReader& in)
{
    return {.kind = valueOf<analysis::MatrixKind>(kMatrixKinds, in.text()),
            .withD = in.flag().value_or(true),
            .withDt = in.flag().value_or(true),
            .withGate = in.flag().value_or(false),
            .shown = valueOf<analysis::MatrixShown>(kShown, in.text())};
}

/// Which mixers have a D. Of what a model is made no pattern says again, so that one kept by an earlier version is told
/// apart by the same fields; a model says it once for all patterns that are read.
class OwnTokens
{
public:
    explicit OwnTokens(SQLite::Database& db) : m_heads(db, "SELECT heads FROM models WHERE hash = ?") {}

    void complete(analysis::MatrixConvention& convention, const std::string& modelHash, const std::string& head)
    {
        if (convention.kind != analysis::MatrixKind::Hidden && convention.kind != analysis::MatrixKind::HiddenChannel)
            return;
        const auto [model, isNew] = m_layers.try_emplace(modelHash);
        if (isNew) {
            m_heads.reset();
            bindText(m_heads, 1, modelHash);
            if (m_heads.executeStep())
                model->second = layersKeepOwnToken(jsonAt(m_heads, 0, kMostHeadsJson));
        }
        std::size_t layer = 0; // of "L2H5"
        const bool named =
            !head.empty() && std::from_chars(head.data() + 1, head.data() + head.size(), layer).ec == std::errc();
        convention.hasD = !named || layer >= model->second.size() || model->second[layer];
    }

private:
    SQLite::Statement m_heads;
    std::map<std::string, std::vector<bool>> m_layers; ///< by the model's hash
};

PatternInfo infoAt(SQLite::Statement& row, OwnTokens& own)
{
    RowReader in(row);
    PatternInfo info{.id = in.int64(),
                     .modelHash = in.text(),
                     .dtype = in.text(),
                     .head = in.text(),
                     .convention = conventionAt(in),
                     .earlierWords = in.text(),
                     .ablation = in.text(),
                     .prompt = in.text(),
                     .source = in.text(),
                     .created = in.text(),
                     .promptHash = in.text(),
                     .rows = in.integer(),
                     .cols = in.integer(),
                     .bytes = in.int64(),
                     .maxError = in.real()};
    own.complete(info.convention, info.modelHash, info.head);
    return info;
}

std::string segmentsText(const std::vector<PatternSegment>& segments)
{
    nlohmann::json list = nlohmann::json::array();
    for (const PatternSegment& segment : segments)
        list.push_back({name(segment.role), segment.begin, segment.end, segment.target});
    return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<PatternSegment> segmentsOf(const std::string& text, int tokens)
{
    const auto fail = [&text]() { throw BadRow("expected a list of segments, got '" + text.substr(0, 40) + "'"); };
    const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
    if (!list.is_array())
        fail();
    std::vector<PatternSegment> segments;
    for (const nlohmann::json& item : list) {
        if (!item.is_array() || item.size() != 4 || !item[0].is_string() || !item[1].is_number_integer()
            || !item[2].is_number_integer() || !item[3].is_boolean())
            fail();
        const auto begin = item[1].get<std::int64_t>();
        const auto end = item[2].get<std::int64_t>();
        if (begin < 0 || end < begin || end > tokens)
            fail();
        const auto role = parseRole(item[0].get_ref<const std::string&>());
        if (!role)
            fail();
        segments.push_back({*role, static_cast<int>(begin), static_cast<int>(end), item[3].get<bool>()});
    }
    return segments;
}

} // namespace

std::string promptHash(const PatternRecord& pattern)
{
    return sha256Hex(pattern.prompt + '\0' + listText(pattern.tokens));
}

Result<PatternInfo> putPattern(Connection& connection, const PatternRecord& pattern)
{
    if (pattern.tokens.size() != static_cast<std::size_t>(pattern.values.cols))
        return inputError(fmt::format("A pattern of {} columns cannot be kept with {} token labels.",
                                      pattern.values.cols, pattern.tokens.size()));
    const auto encoded = encodePattern(pattern.values);
    if (!encoded.has_value())
        return encoded.error();
    std::int64_t id = 0;
    auto stored = connection.write([&](SQLite::Database& db) {
        SQLite::Statement insert(
            db, "INSERT INTO patterns(model_id, dtype, head, matrix, with_d, with_dt, with_gate, shown, earlier_words, "
                "ablation_id, prompt_hash, prompt, tokens, rows, cols, encoding, scale, max_error, data, checksum, "
                "created, segments, source, inputs) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET tokens = excluded.tokens, rows = excluded.rows, cols = excluded.cols, "
                "encoding = excluded.encoding, scale = excluded.scale, max_error = excluded.max_error, "
                "data = excluded.data, checksum = excluded.checksum, segments = excluded.segments, "
                "source = excluded.source RETURNING id");
        const analysis::MatrixConvention& matrix = pattern.convention;
        const auto flag = [](bool on) { return on ? 1 : 0; };
        const std::string tokens = listText(pattern.tokens);
        bindAll(insert, requireModel(db, pattern.modelHash), pattern.dtype, pattern.head,
                kindName(kMatrixKinds, matrix.kind), flag(matrix.withD), flag(matrix.withDt), flag(matrix.withGate),
                kindName(kShown, matrix.shown), pattern.earlierWords, ensureAblation(db, pattern.ablation),
                promptHash(pattern), pattern.prompt, tokens, pattern.values.rows, pattern.values.cols, kPatternEncoding,
                encoded->scale, encoded->maxError, Blob{encoded->data}, RowChecksum().add(encoded->data).value(),
                timestamp(), segmentsText(pattern.segments), pattern.source, pattern.inputs);
        insert.executeStep();
        id = int64At(insert, 0);
        insert.executeStep();
    });
    if (!stored.has_value())
        return stored.error();
    return connection.read<PatternInfo>([id](SQLite::Database& db) {
        SQLite::Statement query(db, std::string(kInfoQuery) + "WHERE p.id = ?");
        query.bind(1, id);
        query.executeStep();
        OwnTokens own(db);
        return infoAt(query, own);
    });
}

Result<std::vector<PatternInfo>> patterns(Connection& connection)
{
    return connection.read<std::vector<PatternInfo>>([](SQLite::Database& db) {
        SQLite::Statement query(db, std::string(kInfoQuery) + "ORDER BY p.id");
        OwnTokens own(db);
        std::vector<PatternInfo> all;
        while (query.executeStep())
            all.push_back(infoAt(query, own));
        return all;
    });
}

Result<PatternRecord> pattern(Connection& connection, std::int64_t id)
{
    return connection.read<PatternRecord>([id](SQLite::Database& db) {
        SQLite::Statement query(
            db, "SELECT m.hash, p.dtype, p.head, p.matrix, p.with_d, p.with_dt, p.with_gate, p.shown, p.earlier_words, "
                "a.text, p.prompt, p.tokens, p.max_error, p.source, p.rows, p.cols, p.encoding, p.scale, p.data, "
                "p.segments, p.inputs FROM patterns p JOIN models m ON m.id = p.model_id "
                "JOIN ablations a ON a.id = p.ablation_id WHERE p.id = ?");
        query.bind(1, id);
        if (!query.executeStep())
            throw BadRequest(fmt::format("The session has no pattern number {}", id));
        RowReader in(query);
        PatternRecord pattern{.modelHash = in.text(),
                              .dtype = in.text(),
                              .head = in.text(),
                              .convention = conventionAt(in),
                              .earlierWords = in.text(),
                              .ablation = in.text(),
                              .prompt = in.text(),
                              .tokens = stringsOf(in.text()),
                              .values = {},
                              .maxError = in.real(),
                              .segments = {},
                              .source = in.text()};
        const int rows = in.integer(), cols = in.integer();
        if (const std::string encoding = in.text(); encoding != kPatternEncoding)
            throw BadRow("pattern " + std::to_string(id) + " has the unknown encoding '" + oneLine(encoding) + "'");
        const double scale = in.real();
        auto values = decodePattern(in.blob(), scale, rows, cols);
        if (!values.has_value())
            throw BadRow("pattern " + std::to_string(id) + " cannot be read: " + oneLine(values.error().message));
        pattern.values = std::move(*values);
        if (pattern.tokens.size() != static_cast<std::size_t>(pattern.values.cols))
            throw BadRow(fmt::format("pattern {} has {} token labels for {} columns", id, pattern.tokens.size(),
                                     pattern.values.cols));
        pattern.segments = segmentsOf(in.json(kMostSegments), cols);
        pattern.inputs = in.text();
        OwnTokens(db).complete(pattern.convention, pattern.modelHash, pattern.head);
        return pattern;
    });
}

} // namespace headscope::sessions
