// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/file/schema.h"

#include <SQLiteCpp/Statement.h>

#include <fmt/format.h>

#include <map>
#include <vector>

namespace headscope::sessions {

namespace {

// A new file runs every step too, so that the text of the schema is the same however old a file is. Steps that have
// been released are never edited: a change is a new step, and SCHEMA.md follows.
constexpr const char* kSteps[] = {
    // 0 -> 1: models, examples, results, runs, window state
    R"sql(
CREATE TABLE session_info(
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tokenizers(
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  vocabulary INTEGER NOT NULL
) STRICT;

CREATE TABLE models(
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  revision TEXT NOT NULL,
  family TEXT NOT NULL,
  dtype TEXT NOT NULL,
  device TEXT NOT NULL,
  tokenizer_id INTEGER REFERENCES tokenizers(id),
  layers INTEGER NOT NULL,
  heads TEXT NOT NULL,
  added TEXT NOT NULL
) STRICT;

CREATE TABLE ablations(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE examples(
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  task TEXT NOT NULL,
  file TEXT NOT NULL,
  row INTEGER NOT NULL,
  scoring TEXT NOT NULL,
  context TEXT NOT NULL,
  continuations TEXT NOT NULL,
  gold INTEGER NOT NULL,
  extra TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX examples_by_task ON examples(task, row);

CREATE TABLE series(
  id INTEGER PRIMARY KEY,
  model_id INTEGER NOT NULL REFERENCES models(id),
  tokenizer TEXT NOT NULL,
  dtype TEXT NOT NULL,
  device TEXT NOT NULL,
  task TEXT NOT NULL,
  ablation_id INTEGER NOT NULL REFERENCES ablations(id),
  scoring_version INTEGER NOT NULL,
  inputs TEXT NOT NULL,
  created TEXT NOT NULL,
  UNIQUE(model_id, tokenizer, dtype, device, task, ablation_id, scoring_version, inputs)
) STRICT;

CREATE TABLE results(
  series_id INTEGER NOT NULL REFERENCES series(id),
  example_id INTEGER NOT NULL REFERENCES examples(id),
  prediction INTEGER NOT NULL,
  correct INTEGER CHECK(correct IN (0, 1)),
  correct_norm INTEGER CHECK(correct_norm IN (0, 1)),
  greedy INTEGER CHECK(greedy IN (0, 1)),
  log_likelihoods TEXT NOT NULL,
  generated TEXT NOT NULL,
  rejected TEXT NOT NULL,
  seconds REAL NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY(series_id, example_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  note TEXT NOT NULL,
  created TEXT NOT NULL,
  position INTEGER NOT NULL,
  model_id INTEGER REFERENCES models(id),
  ablation_id INTEGER NOT NULL REFERENCES ablations(id)
) STRICT;

CREATE TABLE run_series(
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  series_id INTEGER NOT NULL REFERENCES series(id),
  PRIMARY KEY(run_id, series_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE ui_state(
  key TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIEW scores AS
SELECT m.name AS model, substr(m.hash, 1, 12) AS model_hash, s.dtype, s.device, s.task, a.text AS ablation,
       count(r.correct) AS n, sum(r.correct) AS correct, avg(r.correct) AS acc, avg(r.correct_norm) AS acc_norm,
       sum(r.rejected <> '') AS rejected, round(sum(r.seconds), 3) AS seconds, s.scoring_version, s.id AS series_id
FROM series s
JOIN models m ON m.id = s.model_id
JOIN ablations a ON a.id = s.ablation_id
JOIN results r ON r.series_id = s.id
GROUP BY s.id;

CREATE VIEW flips AS
SELECT m.name AS model, n.dtype, n.device, n.task, a.text AS ablation, e.row,
       CASE WHEN rn.correct THEN 'now right' ELSE 'now wrong' END AS change,
       e.gold, rb.prediction AS before, rn.prediction AS after,
       rb.log_likelihoods AS log_likelihoods_before, rn.log_likelihoods AS log_likelihoods_after,
       e.context, e.continuations, e.hash AS example
FROM series n
JOIN ablations a ON a.id = n.ablation_id AND a.text <> ''
JOIN models m ON m.id = n.model_id
JOIN series b ON b.model_id = n.model_id AND b.tokenizer = n.tokenizer AND b.dtype = n.dtype
             AND b.device = n.device AND b.task = n.task AND b.scoring_version = n.scoring_version
JOIN ablations o ON o.id = b.ablation_id AND o.text = ''
JOIN results rn ON rn.series_id = n.id
JOIN results rb ON rb.series_id = b.id AND rb.example_id = rn.example_id
JOIN examples e ON e.id = rn.example_id
WHERE rn.correct <> rb.correct;

CREATE VIEW runs_overview AS
SELECT u.position, u.name, a.text AS ablation, m.name AS model, u.created, s.task, s.dtype, s.device,
       count(r.correct) AS n, avg(r.correct) AS acc, u.note
FROM runs u
JOIN ablations a ON a.id = u.ablation_id
LEFT JOIN models m ON m.id = u.model_id
LEFT JOIN run_series l ON l.run_id = u.id
LEFT JOIN series s ON s.id = l.series_id
LEFT JOIN results r ON r.series_id = s.id
GROUP BY u.id, s.id
ORDER BY u.position, u.id, s.task;
)sql",

    // 1 -> 2: what a person keeps besides scores; runs get an identity that survives copying, so that merging two
    // copies of one session finds the runs they share; flips compares with the baseline of the same inputs only
    R"sql(
DROP VIEW flips;
CREATE VIEW flips AS
SELECT m.name AS model, n.dtype, n.device, n.task, a.text AS ablation, e.row,
       CASE WHEN rn.correct THEN 'now right' ELSE 'now wrong' END AS change,
       e.gold, rb.prediction AS before, rn.prediction AS after,
       rb.log_likelihoods AS log_likelihoods_before, rn.log_likelihoods AS log_likelihoods_after,
       e.context, e.continuations, e.hash AS example
FROM series n
JOIN ablations a ON a.id = n.ablation_id AND a.text <> ''
JOIN models m ON m.id = n.model_id
JOIN series b ON b.model_id = n.model_id AND b.tokenizer = n.tokenizer AND b.dtype = n.dtype
             AND b.device = n.device AND b.task = n.task AND b.scoring_version = n.scoring_version
             AND b.inputs = rtrim(substr(n.inputs, 1, instr(n.inputs || 'over=', 'over=') - 1))
JOIN ablations o ON o.id = b.ablation_id AND o.text = ''
JOIN results rn ON rn.series_id = n.id
JOIN results rb ON rb.series_id = b.id AND rb.example_id = rn.example_id
JOIN examples e ON e.id = rn.example_id
WHERE rn.correct <> rb.correct;

ALTER TABLE models ADD COLUMN parameters INTEGER NOT NULL DEFAULT 0;

ALTER TABLE runs ADD COLUMN uid TEXT NOT NULL DEFAULT '';
UPDATE runs SET uid = coalesce((SELECT value FROM session_info WHERE key = 'uid'), '') || '-' || id;
CREATE UNIQUE INDEX runs_by_uid ON runs(uid);

CREATE TABLE rankings(
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  model_id INTEGER NOT NULL REFERENCES models(id),
  dtype TEXT NOT NULL,
  device TEXT NOT NULL,
  task TEXT NOT NULL,
  method TEXT NOT NULL,
  ablation_id INTEGER NOT NULL REFERENCES ablations(id),
  n INTEGER NOT NULL,
  created TEXT NOT NULL
) STRICT;

CREATE TABLE ranking_heads(
  ranking_id INTEGER NOT NULL REFERENCES rankings(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  head TEXT NOT NULL,
  value REAL NOT NULL,
  delta REAL NOT NULL,
  low REAL NOT NULL,
  high REAL NOT NULL,
  PRIMARY KEY(ranking_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE patterns(
  id INTEGER PRIMARY KEY,
  model_id INTEGER NOT NULL REFERENCES models(id),
  dtype TEXT NOT NULL,
  head TEXT NOT NULL,
  convention TEXT NOT NULL,
  ablation_id INTEGER NOT NULL REFERENCES ablations(id),
  prompt_hash TEXT NOT NULL,
  prompt TEXT NOT NULL,
  tokens TEXT NOT NULL,
  rows INTEGER NOT NULL,
  cols INTEGER NOT NULL,
  encoding TEXT NOT NULL,
  scale REAL NOT NULL,
  max_error REAL NOT NULL,
  data BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  created TEXT NOT NULL,
  UNIQUE(model_id, dtype, head, convention, ablation_id, prompt_hash)
) STRICT;

CREATE TABLE figures(
  name TEXT PRIMARY KEY,
  recipe TEXT NOT NULL,
  created TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE head_labels(
  model_id INTEGER NOT NULL REFERENCES models(id),
  head TEXT NOT NULL,
  name TEXT NOT NULL,
  colour TEXT NOT NULL,
  PRIMARY KEY(model_id, head)
) STRICT, WITHOUT ROWID;

CREATE TABLE tours(
  tour TEXT PRIMARY KEY,
  step INTEGER NOT NULL,
  finished INTEGER NOT NULL CHECK(finished IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE history(
  id INTEGER PRIMARY KEY,
  created TEXT NOT NULL,
  label TEXT NOT NULL,
  model_id INTEGER REFERENCES models(id),
  ablation_id INTEGER NOT NULL REFERENCES ablations(id)
) STRICT;

CREATE TABLE conflicts(
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  what TEXT NOT NULL,
  theirs TEXT NOT NULL,
  origin TEXT NOT NULL,
  UNIQUE(kind, what, theirs)
) STRICT;

CREATE VIEW rankings_overview AS
SELECT m.name AS model, k.task, k.method, k.dtype, k.n, h.position, h.head, h.value, h.delta, h.low, h.high
FROM rankings k
JOIN models m ON m.id = k.model_id
JOIN ranking_heads h ON h.ranking_id = k.id
ORDER BY k.id, h.position;
)sql",

    // 2 -> 3: a pattern knows what its prompt is made of and where it comes from, so that figures can be drawn of it
    // again
    R"sql(
ALTER TABLE patterns ADD COLUMN segments TEXT NOT NULL DEFAULT '[]';
ALTER TABLE patterns ADD COLUMN source TEXT NOT NULL DEFAULT '';

CREATE VIEW patterns_overview AS
SELECT m.name AS model, p.head, p.convention, p.dtype, a.text AS ablation, p.source, p.rows, p.cols, length(p.data) AS bytes,
       p.max_error, p.created, p.prompt, p.id AS pattern_id
FROM patterns p
JOIN models m ON m.id = p.model_id
JOIN ablations a ON a.id = p.ablation_id
ORDER BY p.id;
)sql",
    // 3 -> 4: what people export and query as views; names of heads move from the window's own state to their table; an
    // index as narrow as the sums that are shown at opening, so that a million results are summed without reading them
    R"sql(
CREATE INDEX results_summary ON results(series_id, example_id, correct, correct_norm, rejected, seconds);

INSERT INTO head_labels(model_id, head, name, colour)
SELECT m.id, n.key, n.value, ''
FROM ui_state u
JOIN json_each(CASE WHEN json_valid(CAST(u.value AS TEXT)) THEN CAST(u.value AS TEXT) ELSE '{}' END, '$.names') l
JOIN models m ON m.hash = l.key
JOIN json_each(CASE WHEN l.type = 'object' THEN l.value ELSE '{}' END) n
WHERE u.key = 'explorer' AND n.type = 'text'
ON CONFLICT DO NOTHING;

CREATE VIEW results_overview AS
SELECT m.name AS model, substr(m.hash, 1, 12) AS model_hash, s.dtype, s.device, s.task, a.text AS ablation, e.row,
       e.gold, r.prediction, r.correct, r.correct_norm, r.greedy, r.log_likelihoods, r.generated, r.rejected, r.seconds,
       e.context, e.continuations, e.file, e.hash AS example, s.inputs, s.scoring_version, s.id AS series_id
FROM series s
JOIN models m ON m.id = s.model_id
JOIN ablations a ON a.id = s.ablation_id
JOIN results r ON r.series_id = s.id
JOIN examples e ON e.id = r.example_id;

CREATE VIEW heads_overview AS
WITH known AS (
  SELECT model_id, head FROM head_labels
  UNION
  SELECT k.model_id, h.head FROM rankings k JOIN ranking_heads h ON h.ranking_id = k.id
), measured AS (
  SELECT k.model_id, h.head, k.method, k.task, h.value, h.delta, h.low, h.high
  FROM rankings k
  JOIN ranking_heads h ON h.ranking_id = k.id
  WHERE k.id IN (SELECT max(id) FROM rankings GROUP BY model_id, method)
)
SELECT m.name AS model, substr(m.hash, 1, 12) AS model_hash, c.head, coalesce(l.name, '') AS name, coalesce(l.colour, '') AS colour,
       x.task AS removal_task, x.delta AS removal_delta, x.low AS removal_low, x.high AS removal_high,
       g.value AS gather, t.value AS aggregate
FROM known c
JOIN models m ON m.id = c.model_id
LEFT JOIN head_labels l ON l.model_id = c.model_id AND l.head = c.head
LEFT JOIN measured x ON x.model_id = c.model_id AND x.head = c.head AND x.method = 'exact'
LEFT JOIN measured g ON g.model_id = c.model_id AND g.head = c.head AND g.method = 'gather'
LEFT JOIN measured t ON t.model_id = c.model_id AND t.head = c.head AND t.method = 'aggregate'
ORDER BY m.id, c.head;

CREATE VIEW ablations_overview AS
SELECT a.text AS ablation, m.name AS model, count(DISTINCT s.task) AS tasks, count(r.series_id) AS results,
       (SELECT count(*) FROM runs u WHERE u.ablation_id = a.id) AS runs,
       (SELECT count(*) FROM patterns p WHERE p.ablation_id = a.id) AS patterns
FROM ablations a
LEFT JOIN series s ON s.ablation_id = a.id
LEFT JOIN models m ON m.id = s.model_id
LEFT JOIN results r ON r.series_id = s.id
GROUP BY a.id, m.id
ORDER BY a.id, m.id;
)sql",
    // 4 -> 5: whether each of several continuations is the greedy one, which samples in the harness's layout tell; and
    // names of
    // heads once more, since the window went on keeping them in its own state
    R"sql(
INSERT INTO head_labels(model_id, head, name, colour)
SELECT m.id, n.key, n.value, ''
FROM ui_state u
JOIN json_each(CASE WHEN json_valid(CAST(u.value AS TEXT)) THEN CAST(u.value AS TEXT) ELSE '{}' END, '$.names') l
JOIN models m ON m.hash = l.key
JOIN json_each(CASE WHEN l.type = 'object' THEN l.value ELSE '{}' END) n
WHERE u.key = 'explorer' AND n.type = 'text'
ON CONFLICT DO NOTHING;

ALTER TABLE results ADD COLUMN greedy_choices TEXT NOT NULL DEFAULT '' CHECK(greedy_choices NOT GLOB '*[^01]*');

DROP VIEW results_overview;
CREATE VIEW results_overview AS
SELECT m.name AS model, substr(m.hash, 1, 12) AS model_hash, s.dtype, s.device, s.task, a.text AS ablation, e.row,
       e.gold, r.prediction, r.correct, r.correct_norm, r.greedy, r.greedy_choices, r.log_likelihoods, r.generated, r.rejected,
       r.seconds, e.context, e.continuations, e.file, e.hash AS example, s.inputs, s.scoring_version, s.id AS series_id
FROM series s
JOIN models m ON m.id = s.model_id
JOIN ablations a ON a.id = s.ablation_id
JOIN results r ON r.series_id = s.id
JOIN examples e ON e.id = r.example_id;
)sql",
    // 5 -> 6: what a series adds up to, kept as its results are stored: a session of millions shows its scores at once
    R"sql(
CREATE TABLE series_totals(
  series_id INTEGER PRIMARY KEY REFERENCES series(id),
  results INTEGER NOT NULL,
  n INTEGER NOT NULL,
  correct INTEGER NOT NULL,
  n_norm INTEGER NOT NULL,
  correct_norm INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  seconds REAL NOT NULL
) STRICT;

INSERT INTO series_totals
SELECT series_id, count(*), count(correct), coalesce(sum(correct), 0), count(correct_norm), coalesce(sum(correct_norm), 0), sum(rejected <> ''), sum(seconds)
FROM results INDEXED BY results_summary
WHERE series_id IN (SELECT id FROM series)
GROUP BY series_id;
)sql",
    // 6 -> 7: a series says which rows were asked and under which version of the task's rules. What earlier files hold
    // may be of several, so it stays a series of its own with both empty. The results find their series again by its id
    R"sql(
PRAGMA defer_foreign_keys = ON;

CREATE TABLE series_before AS SELECT * FROM series;
DROP TABLE series;

CREATE TABLE series(
  id INTEGER PRIMARY KEY,
  model_id INTEGER NOT NULL REFERENCES models(id),
  tokenizer TEXT NOT NULL,
  dtype TEXT NOT NULL,
  device TEXT NOT NULL,
  task TEXT NOT NULL,
  row_source TEXT NOT NULL,
  task_version TEXT NOT NULL,
  ablation_id INTEGER NOT NULL REFERENCES ablations(id),
  scoring_version INTEGER NOT NULL,
  inputs TEXT NOT NULL,
  created TEXT NOT NULL,
  UNIQUE(model_id, tokenizer, dtype, device, task, row_source, task_version, ablation_id, scoring_version, inputs)
) STRICT;
INSERT INTO series
SELECT id, model_id, tokenizer, dtype, device, task, '', '', ablation_id, scoring_version, inputs, created FROM series_before;
DROP TABLE series_before;

CREATE INDEX series_by_state ON series(ablation_id, model_id);
CREATE INDEX run_series_by_series ON run_series(series_id);

DROP VIEW scores;
CREATE VIEW scores AS
SELECT m.name AS model, substr(m.hash, 1, 12) AS model_hash, s.dtype, s.device, s.task, a.text AS ablation, t.n, t.correct,
       CAST(t.correct AS REAL) / nullif(t.n, 0) AS acc, CAST(t.correct_norm AS REAL) / nullif(t.n_norm, 0) AS acc_norm,
       t.rejected, round(t.seconds, 3) AS seconds, s.scoring_version, s.task_version, substr(s.row_source, 1, 12) AS row_source,
       s.id AS series_id
FROM series s
JOIN models m ON m.id = s.model_id
JOIN ablations a ON a.id = s.ablation_id
JOIN series_totals t ON t.series_id = s.id;

DROP VIEW flips;
CREATE VIEW flips AS
SELECT m.name AS model, n.dtype, n.device, n.task, a.text AS ablation, e.row,
       CASE WHEN rn.correct THEN 'now right' ELSE 'now wrong' END AS change,
       e.gold, rb.prediction AS before, rn.prediction AS after,
       rb.log_likelihoods AS log_likelihoods_before, rn.log_likelihoods AS log_likelihoods_after,
       e.context, e.continuations, e.hash AS example
FROM series n
JOIN ablations a ON a.id = n.ablation_id AND a.text <> ''
JOIN models m ON m.id = n.model_id
JOIN series b ON b.model_id = n.model_id AND b.tokenizer = n.tokenizer AND b.dtype = n.dtype
             AND b.device = n.device AND b.task = n.task AND b.row_source = n.row_source
             AND b.task_version = n.task_version AND b.scoring_version = n.scoring_version
             AND b.inputs = rtrim(substr(n.inputs, 1, instr(n.inputs || 'over=', 'over=') - 1))
JOIN ablations o ON o.id = b.ablation_id AND o.text = ''
JOIN results rn ON rn.series_id = n.id
JOIN results rb ON rb.series_id = b.id AND rb.example_id = rn.example_id
JOIN examples e ON e.id = rn.example_id
WHERE rn.correct <> rb.correct;

DROP VIEW results_overview;
CREATE VIEW results_overview AS
SELECT m.name AS model, substr(m.hash, 1, 12) AS model_hash, s.dtype, s.device, s.task, a.text AS ablation, e.row,
       e.gold, r.prediction, r.correct, r.correct_norm, r.greedy, r.greedy_choices, r.log_likelihoods, r.generated, r.rejected,
       r.seconds, e.context, e.continuations, e.file, e.hash AS example, s.inputs, s.scoring_version, s.task_version,
       substr(s.row_source, 1, 12) AS row_source, s.id AS series_id
FROM series s
JOIN models m ON m.id = s.model_id
JOIN ablations a ON a.id = s.ablation_id
JOIN results r ON r.series_id = s.id
JOIN examples e ON e.id = r.example_id;
)sql",
    // 7 -> 8: the convention of a pattern's matrix as fields. The words of earlier files are read here and nowhere
    // else;
    // where the fields would not give the same words again, these stay, as a part of what tells two patterns apart
    R"sql(
CREATE TABLE patterns_before AS SELECT * FROM patterns;
DROP TABLE patterns;

CREATE TABLE patterns(
  id INTEGER PRIMARY KEY,
  model_id INTEGER NOT NULL REFERENCES models(id),
  dtype TEXT NOT NULL,
  head TEXT NOT NULL,
  matrix TEXT NOT NULL CHECK(matrix IN ('attention', 'hidden', 'channel', 'other')),
  with_d INTEGER NOT NULL CHECK(with_d IN (0, 1)),
  with_dt INTEGER NOT NULL CHECK(with_dt IN (0, 1)),
  with_gate INTEGER NOT NULL CHECK(with_gate IN (0, 1)),
  shown TEXT NOT NULL CHECK(shown IN ('plain', 'weighted', 'change')),
  earlier_words TEXT NOT NULL,
  ablation_id INTEGER NOT NULL REFERENCES ablations(id),
  prompt_hash TEXT NOT NULL,
  prompt TEXT NOT NULL,
  tokens TEXT NOT NULL,
  rows INTEGER NOT NULL,
  cols INTEGER NOT NULL,
  encoding TEXT NOT NULL,
  scale REAL NOT NULL,
  max_error REAL NOT NULL,
  data BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  created TEXT NOT NULL,
  segments TEXT NOT NULL,
  source TEXT NOT NULL,
  UNIQUE(model_id, dtype, head, matrix, with_d, with_dt, with_gate, shown, earlier_words, ablation_id, prompt_hash)
) STRICT;

WITH kinds AS (
  SELECT *, CASE
    WHEN convention GLOB '*rows sum to 1' OR convention GLOB '*rows sum to 1)' THEN 'attention'
    WHEN convention GLOB 'hidden attention of a channel, with* D*' THEN 'channel'
    WHEN convention GLOB 'hidden attention, with* D*' THEN 'hidden'
    ELSE 'other' END AS kind
  FROM patterns_before
), fields AS (
  SELECT *, kind IN ('hidden', 'channel') AS ssm FROM kinds
), flags AS (
  SELECT *, NOT (ssm AND instr(convention, ', without D') > 0) AS d, NOT (ssm AND instr(convention, ', without dt') > 0) AS dt,
         ssm AND instr(convention, ', times the gate') > 0 AS gate
  FROM fields
), words AS (
  SELECT *, CASE kind WHEN 'attention' THEN 'softmax attention (rows sum to 1)' WHEN 'other' THEN '' ELSE
    'hidden attention' || iif(kind = 'channel', ' of a channel', '') || iif(d, ', with D', ', without D')
    || iif(dt, '', ', without dt') || iif(gate, ', times the gate', '') || ' (signed, rows do not sum to 1)' END AS now
  FROM flags
)
INSERT INTO patterns
SELECT id, model_id, dtype, head, kind, d, dt, gate, 'plain', iif(convention = now, '', convention), ablation_id, prompt_hash,
       prompt, tokens, rows, cols, encoding, scale, max_error, data, checksum, created, segments, source
FROM words;
DROP TABLE patterns_before;

DROP VIEW patterns_overview;
CREATE VIEW patterns_overview AS
SELECT m.name AS model, p.head, p.matrix, p.with_d, p.with_dt, p.with_gate, p.shown, p.earlier_words, p.dtype, a.text AS ablation,
       p.source, p.rows, p.cols, length(p.data) AS bytes, p.max_error, p.created, p.prompt, p.id AS pattern_id
FROM patterns p
JOIN models m ON m.id = p.model_id
JOIN ablations a ON a.id = p.ablation_id
ORDER BY p.id;
)sql",
    // 8 -> 9: what heads do on many texts: how far a survey is, its heads' numbers, and places with their texts
    R"sql(
CREATE TABLE surveys(
  id INTEGER PRIMARY KEY,
  model_id INTEGER NOT NULL REFERENCES models(id),
  tokenizer TEXT NOT NULL,
  dtype TEXT NOT NULL,
  device TEXT NOT NULL,
  ablation_id INTEGER NOT NULL REFERENCES ablations(id),
  texts TEXT NOT NULL,
  settings TEXT NOT NULL,
  version INTEGER NOT NULL,
  source TEXT NOT NULL,
  state TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  finished INTEGER NOT NULL CHECK(finished IN (0, 1)),
  created TEXT NOT NULL,
  UNIQUE(model_id, tokenizer, dtype, device, ablation_id, texts, settings, version)
) STRICT;

CREATE TABLE survey_heads(
  survey_id INTEGER NOT NULL REFERENCES surveys(id),
  position INTEGER NOT NULL,
  head TEXT NOT NULL,
  profile TEXT NOT NULL,
  data BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY(survey_id, head)
) STRICT;

CREATE TABLE survey_values(
  survey_id INTEGER NOT NULL REFERENCES surveys(id),
  head TEXT NOT NULL,
  position INTEGER NOT NULL,
  metric TEXT NOT NULL,
  n INTEGER NOT NULL,
  mean REAL NOT NULL,
  deviation REAL NOT NULL,
  q05 REAL NOT NULL,
  q25 REAL NOT NULL,
  median REAL NOT NULL,
  q75 REAL NOT NULL,
  q95 REAL NOT NULL,
  largest REAL NOT NULL,
  PRIMARY KEY(survey_id, head, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE survey_texts(
  survey_id INTEGER NOT NULL REFERENCES surveys(id),
  number INTEGER NOT NULL,
  source TEXT NOT NULL,
  tokens TEXT NOT NULL,
  PRIMARY KEY(survey_id, number)
) STRICT;

CREATE TABLE survey_places(
  survey_id INTEGER NOT NULL REFERENCES surveys(id),
  head TEXT NOT NULL,
  metric TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN ('top', 'ordinary')),
  rank INTEGER NOT NULL,
  value REAL NOT NULL,
  text INTEGER NOT NULL,
  position INTEGER NOT NULL,
  reads TEXT NOT NULL,
  PRIMARY KEY(survey_id, head, metric, kind, rank),
  FOREIGN KEY(survey_id, text) REFERENCES survey_texts(survey_id, number)
) STRICT, WITHOUT ROWID;

CREATE VIEW surveys_overview AS
SELECT m.name AS model, substr(m.hash, 1, 12) AS model_hash, v.dtype, v.device, a.text AS ablation, v.source, v.tokens,
       v.finished, x.head, x.metric, x.n, x.mean, x.deviation, x.q05, x.q25, x.median, x.q75, x.q95, x.largest,
       v.settings, v.id AS survey_id
FROM surveys v
JOIN models m ON m.id = v.model_id
JOIN ablations a ON a.id = v.ablation_id
JOIN survey_heads h ON h.survey_id = v.id
JOIN survey_values x ON x.survey_id = v.id AND x.head = h.head
ORDER BY v.id, h.position, x.position;
)sql",
    // 9 -> 10: what a person answered in tours and exercises, so that it can be handed in
    R"sql(
CREATE TABLE answers(
  lesson TEXT NOT NULL,
  step INTEGER NOT NULL,
  question TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN ('choice', 'check', 'open')),
  answer TEXT NOT NULL,
  correct INTEGER CHECK(correct IN (0, 1)),
  confidence TEXT NOT NULL CHECK(confidence IN ('', 'guess', 'think', 'know')),
  seconds REAL NOT NULL,
  created TEXT NOT NULL,
  PRIMARY KEY(lesson, step)
) STRICT, WITHOUT ROWID;
)sql",
    // 10 -> 11: analyses: what was asked of a model, and the numbers that came of it
    R"sql(
CREATE TABLE analyses(
  id INTEGER PRIMARY KEY,
  model_id INTEGER NOT NULL REFERENCES models(id),
  kind TEXT NOT NULL,
  dtype TEXT NOT NULL,
  device TEXT NOT NULL,
  ablation_id INTEGER NOT NULL REFERENCES ablations(id),
  question TEXT NOT NULL,
  source TEXT NOT NULL,
  summary TEXT NOT NULL,
  created TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE(model_id, kind, dtype, device, ablation_id, question)
) STRICT;

CREATE TABLE analysis_values(
  analysis_id INTEGER NOT NULL REFERENCES analyses(id),
  number INTEGER NOT NULL,
  part TEXT NOT NULL,
  receiver TEXT NOT NULL,
  position INTEGER NOT NULL,
  measure TEXT NOT NULL,
  words TEXT NOT NULL,
  value REAL,
  low REAL,
  high REAL,
  PRIMARY KEY(analysis_id, number)
) STRICT, WITHOUT ROWID;

CREATE VIEW analyses_overview AS
SELECT m.name AS model, substr(m.hash, 1, 12) AS model_hash, v.kind, v.dtype, v.device, a.text AS ablation, v.source,
       x.part, nullif(x.receiver, '') AS receiver, nullif(x.position, -1) AS position, x.measure,
       nullif(x.words, '') AS words, x.value, x.low, x.high, v.summary, v.created, v.question, v.id AS analysis_id
FROM analyses v
JOIN models m ON m.id = v.model_id
JOIN ablations a ON a.id = v.ablation_id
JOIN analysis_values x ON x.analysis_id = v.id
ORDER BY v.id, x.number;
)sql",
    // 11 -> 12: a ranking says which rows it was measured on and how they were read; a pattern, what it was computed of
    // besides the model and the text. Earlier ones do not, and stay beside new ones
    R"sql(
ALTER TABLE rankings ADD COLUMN question TEXT NOT NULL DEFAULT '';

DROP VIEW rankings_overview;
CREATE VIEW rankings_overview AS
SELECT m.name AS model, k.task, k.method, k.dtype, k.n, h.position, h.head, h.value, h.delta, h.low, h.high,
       a.text AS ablation, k.question, k.created, k.id AS ranking_id
FROM rankings k
JOIN models m ON m.id = k.model_id
JOIN ablations a ON a.id = k.ablation_id
JOIN ranking_heads h ON h.ranking_id = k.id
ORDER BY k.id, h.position;

CREATE TABLE patterns_before AS SELECT * FROM patterns;
DROP TABLE patterns;

CREATE TABLE patterns(
  id INTEGER PRIMARY KEY,
  model_id INTEGER NOT NULL REFERENCES models(id),
  dtype TEXT NOT NULL,
  head TEXT NOT NULL,
  matrix TEXT NOT NULL CHECK(matrix IN ('attention', 'hidden', 'channel', 'other')),
  with_d INTEGER NOT NULL CHECK(with_d IN (0, 1)),
  with_dt INTEGER NOT NULL CHECK(with_dt IN (0, 1)),
  with_gate INTEGER NOT NULL CHECK(with_gate IN (0, 1)),
  shown TEXT NOT NULL CHECK(shown IN ('plain', 'weighted', 'change')),
  earlier_words TEXT NOT NULL,
  ablation_id INTEGER NOT NULL REFERENCES ablations(id),
  prompt_hash TEXT NOT NULL,
  prompt TEXT NOT NULL,
  tokens TEXT NOT NULL,
  rows INTEGER NOT NULL,
  cols INTEGER NOT NULL,
  encoding TEXT NOT NULL,
  scale REAL NOT NULL,
  max_error REAL NOT NULL,
  data BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  created TEXT NOT NULL,
  segments TEXT NOT NULL,
  source TEXT NOT NULL,
  inputs TEXT NOT NULL,
  UNIQUE(model_id, dtype, head, matrix, with_d, with_dt, with_gate, shown, earlier_words, ablation_id, prompt_hash, inputs)
) STRICT;
INSERT INTO patterns SELECT *, '' FROM patterns_before;
DROP TABLE patterns_before;
)sql",
    // 12 -> 13: work that several processes share through the file, and the parts in which it was done elsewhere
    R"sql(
CREATE TABLE claims(
  work TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  portion INTEGER NOT NULL,
  owner TEXT NOT NULL,
  beat INTEGER NOT NULL,
  done INTEGER NOT NULL CHECK(done IN (0, 1)),
  PRIMARY KEY(work, chunk)
) STRICT, WITHOUT ROWID;

CREATE TABLE parts(
  work TEXT NOT NULL,
  part INTEGER NOT NULL,
  parts INTEGER NOT NULL,
  what TEXT NOT NULL,
  version TEXT NOT NULL,
  done INTEGER NOT NULL CHECK(done IN (0, 1)),
  created TEXT NOT NULL,
  PRIMARY KEY(work, part)
) STRICT, WITHOUT ROWID;
)sql",
    // 13 -> 14: what finished chunks of shared work found, where no other table has it
    R"sql(
CREATE TABLE chunks(
  work TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  slice INTEGER NOT NULL,
  slices INTEGER NOT NULL,
  data BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY(work, chunk, slice)
) STRICT;
)sql",
};
static_assert(std::size(kSteps) == kSchemaVersion);

using SchemaText = std::map<std::string, std::string>;

// The statistics tables that ANALYZE leaves are the only thing a file may have besides.
SchemaText readSchema(SQLite::Database& db)
{
    SchemaText text;
    SQLite::Statement rows(db, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema "
                               "WHERE name NOT IN ('sqlite_stat1', 'sqlite_stat4') LIMIT 500");
    while (rows.executeStep()) {
        const std::string key = rows.getColumn(0).getString() + " '" + rows.getColumn(1).getString() + "'";
        text[key] = rows.getColumn(2).getString() + "\n" + rows.getColumn(3).getString();
    }
    return text;
}

/// By version, 0 the empty one.
std::vector<SchemaText> knownSchemas()
{
    SQLite::Database reference(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    std::vector<SchemaText> all{{}};
    for (int version = 1; version <= kSchemaVersion; ++version) {
        migrate(reference, version - 1, version);
        all.push_back(readSchema(reference));
    }
    return all;
}

} // namespace

void migrate(SQLite::Database& db, int from, int to)
{
    for (int version = from; version < to; ++version)
        db.exec(kSteps[version]);
    db.exec(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", kApplicationId, to));
}

std::optional<std::string> schemaDifference(SQLite::Database& db, int version)
{
    static const std::vector<SchemaText> known = knownSchemas();
    const SchemaText& ours = known[static_cast<std::size_t>(version)];
    const SchemaText theirs = readSchema(db);
    for (const auto& [key, text] : theirs) {
        const auto same = ours.find(key);
        if (same == ours.end())
            return "has the " + key + ", which sessions do not have";
        if (same->second != text)
            return "has another definition of the " + key + " than sessions have";
    }
    for (const auto& [key, text] : ours)
        if (!theirs.contains(key))
            return "lacks the " + key;
    return std::nullopt;
}

} // namespace headscope::sessions
