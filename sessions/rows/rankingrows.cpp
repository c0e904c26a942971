// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/rows/storedrows.h"

#include "sessions/rows/columns.h"
#include "sessions/rows/seriesrows.h"

#include "core/base/hash.h"

namespace headscope::sessions {

namespace {

constexpr std::int64_t kMostRankingQuestion = 1'000'000; // bytes

std::string rankingUid(const RankingRecord& ranking)
{
    Sha256 hash;
    const auto add = [&hash](std::string_view field) {
        hash.add(std::to_string(field.size()) + ":");
        hash.add(field);
    };
    for (const std::string& field :
         {ranking.modelHash, ranking.dtype, ranking.device, ranking.task, ranking.method, ranking.ablation})
        add(field);
    add(std::to_string(ranking.n));
    if (!ranking.questionJson.empty()) // rankings of earlier files keep their uid
        add(ranking.questionJson);
    for (const RankedHead& head : ranking.heads) {
        add(head.head);
        add(listText(std::vector<double>{head.value, head.delta, head.low, head.high}));
    }
    return hash.hex();
}

} // namespace

bool insertRanking(SQLite::Database& db, const RankingRecord& ranking)
{
    SQLite::Statement insert(
        db, "INSERT INTO rankings(uid, model_id, dtype, device, task, method, ablation_id, n, created, question) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    bindAll(insert, rankingUid(ranking), requireModel(db, ranking.modelHash), ranking.dtype, ranking.device,
            ranking.task, ranking.method, ensureAblation(db, ranking.ablation), ranking.n,
            ranking.created.empty() ? timestamp() : ranking.created, ranking.questionJson);
    if (insert.exec() == 0)
        return false;
    const std::int64_t id = db.getLastInsertRowid();
    SQLite::Statement head(
        db,
        "INSERT INTO ranking_heads(ranking_id, position, head, value, delta, low, high) VALUES (?, ?, ?, ?, ?, ?, ?)");
    for (std::size_t i = 0; i < ranking.heads.size(); ++i) {
        const RankedHead& ranked = ranking.heads[i];
        head.reset();
        head.bind(1, id);
        head.bind(2, static_cast<std::int64_t>(i));
        bindText(head, 3, ranked.head);
        head.bind(4, ranked.value);
        head.bind(5, ranked.delta);
        head.bind(6, ranked.low);
        head.bind(7, ranked.high);
        head.exec();
    }
    return true;
}

Result<std::string> addRanking(Connection& connection, const RankingRecord& ranking)
{
    auto stored = connection.write([&ranking](SQLite::Database& db) { insertRanking(db, ranking); });
    if (!stored.has_value())
        return stored.error();
    return rankingUid(ranking);
}

Result<std::vector<RankingRecord>> rankings(Connection& connection)
{
    return connection.read<std::vector<RankingRecord>>([](SQLite::Database& db) {
        SQLite::Statement query(
            db, "SELECT k.id, k.uid, m.hash, k.dtype, k.device, k.task, k.method, a.text, k.created, k.n, k.question "
                "FROM rankings k JOIN models m ON m.id = k.model_id JOIN ablations a ON a.id = k.ablation_id ORDER BY "
                "k.id");
        SQLite::Statement heads(
            db, "SELECT head, value, delta, low, high FROM ranking_heads WHERE ranking_id = ? ORDER BY position");
        std::vector<RankingRecord> all;
        while (query.executeStep()) {
            RowReader in(query, 1);
            RankingRecord ranking{.uid = in.text(),
                                  .modelHash = in.text(),
                                  .dtype = in.text(),
                                  .device = in.text(),
                                  .task = in.text(),
                                  .method = in.text(),
                                  .ablation = in.text(),
                                  .created = in.text(),
                                  .n = in.integer(),
                                  .questionJson = in.json(kMostRankingQuestion),
                                  .heads = {}};
            heads.reset();
            heads.bind(1, int64At(query, 0));
            while (heads.executeStep())
                ranking.heads.push_back(
                    {textAt(heads, 0), realAt(heads, 1), realAt(heads, 2), realAt(heads, 3), realAt(heads, 4)});
            all.push_back(std::move(ranking));
        }
        return all;
    });
}

} // namespace headscope::sessions
