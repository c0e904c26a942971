// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/build.h"

#include "core/base/hash.h"
#include "core/tasks/python/pyrandom.h"
#include "core/tasks/python/pytext.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace headscope::tasks {

namespace fs = std::filesystem;

RowReader::RowReader(const Row& row, const std::string& file) : m_row(row), m_file(file)
{
    for (const char* field : {"id", "qID", "doc_id", "ind"}) {
        if (const auto found = row.value.find(field); row.value.is_object() && found != row.value.end())
            m_id = found->is_string() ? found->get<std::string>() : found->dump();
        if (!m_id.empty())
            return;
    }
}

RowIssue RowReader::issue(std::string code, std::string field, std::string reason) const
{
    const std::string dump = m_row.value.dump();
    return {m_file,          m_row.firstLine,  m_row.lastLine,    m_row.record, m_id,
            std::move(code), std::move(field), std::move(reason), excerpt(dump)};
}

void RowReader::reject(std::string code, std::string field, std::string reason)
{
    if (!m_rejected)
        m_rejected = issue(std::move(code), std::move(field), std::move(reason));
}

void RowReader::warn(std::string code, std::string field, std::string reason)
{
    m_warnings.push_back(issue(std::move(code), std::move(field), std::move(reason)));
}

bool RowReader::has(const char* field) const
{
    return m_row.value.is_object() && m_row.value.contains(field);
}

std::string RowReader::text(const char* field)
{
    if (!has(field)) {
        reject("missing_field", field, std::string("The field '") + field + "' is missing.");
        return {};
    }
    const nlohmann::json& value = m_row.value[field];
    if (!value.is_string()) {
        reject("wrong_type", field,
               std::string("The field '") + field + "' is a JSON " + value.type_name() + "; expected a string.");
        return {};
    }
    return value.get<std::string>();
}

std::string RowReader::filledText(const char* field)
{
    std::string value = text(field);
    if (ok() && strip(value).empty())
        reject("empty_text", field, std::string("The field '") + field + "' is empty.");
    return value;
}

std::optional<int> RowReader::integer(const char* field)
{
    if (!has(field)) {
        reject("missing_field", field, std::string("The field '") + field + "' is missing.");
        return std::nullopt;
    }
    const nlohmann::json& value = m_row.value[field];
    if (value.is_number_integer() && value >= -1'000'000'000 && value <= 1'000'000'000)
        return value.get<int>();
    if (value.is_string()) {
        const auto& digits = value.get_ref<const std::string&>();
        int number = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error == std::errc() && end == digits.data() + digits.size())
            return number;
        if (digits.empty())
            reject("unlabelled", field,
                   std::string("The field '") + field + "' is empty, as in test splits without answers.");
    }
    reject("wrong_type", field,
           std::string("The field '") + field + "' is " + excerpt(value.dump(), 30) + "; expected an integer.");
    return std::nullopt;
}

namespace {

// A CSV file with a header line becomes objects of strings.
Rows withHeader(const Rows& rows)
{
    Rows result = rows;
    result.rows.clear();
    if (rows.rows.empty())
        return result;
    const nlohmann::json header = rows.rows.front().value;
    result.read = std::max(0, rows.read - 1);
    for (std::size_t i = 1; i < rows.rows.size(); ++i) {
        Row row = rows.rows[i];
        --row.record;
        if (row.value.size() != header.size()) {
            result.rejected.push_back({{},
                                       row.firstLine,
                                       row.lastLine,
                                       row.record,
                                       {},
                                       "bad_csv",
                                       {},
                                       "The record has " + std::to_string(row.value.size()) + " columns; expected "
                                           + std::to_string(header.size()) + " as in the header.",
                                       excerpt(row.value.dump())});
            continue;
        }
        nlohmann::json object = nlohmann::json::object();
        for (std::size_t c = 0; c < header.size(); ++c)
            object[header[c].get<std::string>()] = row.value[c];
        row.value = std::move(object);
        result.rows.push_back(std::move(row));
    }
    return result;
}

} // namespace

std::vector<Doc> convertRows(Rows given, const std::string& file, const Converter& convert, ImportReport& report)
{
    const Rows rows = given.csv ? withHeader(given) : std::move(given);
    report.files.push_back(file);
    report.read += rows.read;
    report.blankLines += rows.blankLines;
    for (RowIssue issue : rows.rejected) {
        issue.file = file;
        report.rejected.push_back(std::move(issue));
    }
    report.warnings.insert(report.warnings.end(), rows.warnings.begin(), rows.warnings.end());

    std::vector<Doc> docs;
    std::set<std::string> ids;
    for (const Row& row : rows.rows) {
        RowReader reader(row, file);
        Doc doc = convert(reader);
        if (!reader.id().empty() && !ids.insert(reader.id()).second)
            reader.warn("duplicate_id", "id", "The id '" + reader.id() + "' occurs more than once.");
        report.warnings.insert(report.warnings.end(), reader.warnings().begin(), reader.warnings().end());
        if (reader.rejection()) {
            report.rejected.push_back(*reader.rejection());
            continue;
        }
        doc.record = row.record;
        doc.identity = row.value.dump();
        docs.push_back(std::move(doc));
    }
    report.accepted += static_cast<int>(docs.size());
    return docs;
}

std::optional<Located> locate(const fs::path& folder, const std::vector<Candidate>& candidates)
{
    std::error_code ignored;
    for (const Candidate& candidate : candidates) {
        const std::size_t slash = candidate.path.find('/');
        for (const std::string& file :
             {candidate.path, slash == std::string::npos ? candidate.path : candidate.path.substr(slash + 1)}) {
            if (fs::is_regular_file(folder / file, ignored))
                return Located{folder / file, file, candidate};
        }
    }
    return std::nullopt;
}

Error missingFiles(const TaskInfo& info, const fs::path& folder)
{
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return ioError("The data folder '" + folder.string() + "' is not there; task '" + info.name + "' wants "
                       + info.files + " in it.");
    const fs::path own = folder / info.name;
    for (const fs::path& place : {own, folder}) {
        for (fs::recursive_directory_iterator it(place, fs::directory_options::skip_permission_denied, ignored), end;
             !ignored && it != end && it.depth() < 3; it.increment(ignored)) {
            if (it->path().extension() == ".parquet"
                && (place == own || it->path().string().find(info.name) != std::string::npos))
                return inputError("Task '" + info.name + "' found only the Parquet file '" + it->path().string()
                                  + "', which Headscope does not read; write it as JSON lines, for example with "
                                    "pandas.read_parquet(FILE).to_json(OUT, orient='records', lines=True).");
        }
    }
    return inputError("Task '" + info.name + "' wants " + info.files + " in the data folder '" + folder.string()
                      + "', which has none of them; they come from " + info.source + " (" + info.licence + ").");
}

Result<Split> readSplit(const SplitRequest& request, const DataFolder& folder)
{
    const std::optional<Located> located = locate(folder.path, request.candidates);
    if (!located)
        return missingFiles(request.info, folder.path);
    Result<Rows> rows = readRows(located->path, located->file);
    if (!rows.has_value())
        return rows.error();
    if (request.adjust) {
        if (const Result<void> adjusted = request.adjust(*rows, *located); !adjusted.has_value())
            return adjusted.error();
    }
    Split split;
    split.file = located->file;
    split.split = located->candidate.split;
    split.report.official = located->candidate.official;
    split.report.layout = located->candidate.layout;
    split.report.sample = folder.sample;
    // OpenBookQA's files have the same names in both layouts.
    if (!rows->rows.empty() && rows->rows.front().value.contains("question_stem"))
        split.report.layout = Layout::HuggingFace;
    split.docs = convertRows(std::move(*rows), located->file, request.convert, split.report);
    return split;
}

Result<Split> readShots(const SplitRequest& request, const DataFolder& folder)
{
    TaskInfo info = request.info;
    if (!request.candidates.empty())
        info.files = request.candidates.front().path;
    Result<Split> split = readSplit({info, request.candidates, request.convert, request.adjust}, folder);
    if (!split.has_value())
        return inputError("Examples in the prompt come from the train split: " + split.error().message);
    return split;
}

void noteTruncated(TaskSet& set, const std::string& task, const Split& train)
{
    if (train.report.accepted != train.report.official)
        set.notes.push_back(task + ": '" + train.file + "' has " + std::to_string(train.report.accepted) + " of "
                            + std::to_string(train.report.official)
                            + " train rows, so other examples stand in the prompt than in the harness's.");
}

std::size_t limited(std::size_t n, const std::optional<double>& limit)
{
    if (!limit)
        return n;
    const double rows = *limit < 1 ? std::ceil(static_cast<double>(n) * *limit) : *limit;
    return std::min(n, static_cast<std::size_t>(std::max(0.0, rows)));
}

namespace {

// The few-shot block of each evaluated row in turn; the sampler's generator runs on from row to row.
class ShotBlocks
{
public:
    ShotBlocks(const std::vector<Doc>& shots, int count, const Assembly& assembly)
        : m_shots(shots), m_count(static_cast<std::size_t>(count)), m_assembly(assembly), m_random(1234)
    {
    }

    [[nodiscard]] std::size_t drawn() const
    {
        return m_count + (m_assembly.shots == Shots::SampledOne && m_count > 0 ? 1 : 0);
    }

    [[nodiscard]] std::string next(const Doc& evaluated)
    {
        std::string block;
        if (m_count == 0)
            return block;
        std::vector<std::size_t> chosen;
        if (m_assembly.shots == Shots::First) {
            for (std::size_t i = 0; i < m_count; ++i)
                chosen.push_back(i);
        } else {
            for (const std::size_t i : m_random.sample(m_shots.size(), drawn())) {
                if (m_shots[i].identity != evaluated.identity && chosen.size() < m_count)
                    chosen.push_back(i);
            }
        }
        for (const std::size_t i : chosen) {
            block += m_shots[i].text;
            if (!m_shots[i].shot.empty())
                block.append(m_assembly.delimiter).append(m_shots[i].shot).append("\n\n");
        }
        return block;
    }

private:
    const std::vector<Doc>& m_shots;
    std::size_t m_count;
    const Assembly& m_assembly;
    PyRandom m_random;
};

Example makeExample(const LeafTask& leaf, const Doc& doc, const std::string& prefix, const Assembly& assembly)
{
    Example example;
    example.task = leaf.name;
    example.row = doc.record;
    example.scoring = leaf.scoring;
    example.gold = doc.gold;
    if (doc.contexts.empty()) {
        example.context = prefix + doc.text + assembly.suffix;
        example.segments = doc.segments;
        for (Segment& segment : example.segments) {
            segment.begin += prefix.size();
            segment.end += prefix.size();
        }
    }
    for (const std::string& context : doc.contexts)
        example.contexts.push_back(prefix + context);
    for (const std::string& choice : doc.choices) {
        example.continuations.push_back(assembly.delimiter + choice);
        if (doc.contexts.empty()) // partial scoring compares the same words after different contexts
            example.normLengths.push_back(codePoints(choice));
    }
    if (leaf.scoring == Scoring::LogLikelihood)
        example.continuations = {doc.target};
    if (leaf.scoring == Scoring::Generation) {
        example.target = doc.target;
        example.until = assembly.until;
        example.maxNewTokens = assembly.maxNewTokens;
    }
    return example;
}

/// Fields one after the other, each with its length.
void add(Sha256& hash, std::string_view field)
{
    hash.add(std::to_string(field.size()) + ":");
    hash.add(field);
}

void add(Sha256& hash, const std::vector<std::string>& fields)
{
    add(hash, std::to_string(fields.size()));
    for (const std::string& field : fields)
        add(hash, field);
}

void add(Sha256& hash, const std::vector<Doc>& docs)
{
    add(hash, std::to_string(docs.size()));
    for (const Doc& doc : docs) {
        add(hash, doc.text);
        add(hash, doc.shot);
        add(hash, doc.contexts);
        add(hash, doc.choices);
        add(hash, std::to_string(doc.gold));
        add(hash, doc.target);
    }
}

} // namespace

// Of the rows as they are asked, not of the file's bytes: the layouts that a data set comes in are one source.
std::string rowSource(const LeafTask& leaf, const std::vector<Doc>& docs, const std::vector<Doc>& shots,
                      const Assembly& assembly)
{
    Sha256 hash;
    add(hash, leaf.description);
    add(hash, std::vector<std::string>{assembly.delimiter, assembly.suffix});
    add(hash, assembly.until);
    add(hash, std::to_string(assembly.maxNewTokens));
    add(hash, docs);
    add(hash, std::to_string(leaf.fewshot));
    if (leaf.fewshot > 0) {
        add(hash, std::to_string(static_cast<int>(assembly.shots)));
        add(hash, shots);
    }
    return hash.hex();
}

Result<void> append(TaskSet& set, LeafTask leaf, const std::vector<Doc>& docs, const std::vector<Doc>& shots,
                    const Assembly& assembly, const std::string& file, const TaskOptions& options)
{
    if (docs.empty()) {
        const std::string first =
            leaf.report.rejected.empty() ? "it holds no rows" : toText(leaf.report.rejected.front());
        return inputError("Task '" + leaf.name + "' has no usable row in '" + file + "' ("
                          + std::to_string(leaf.report.read) + " read): " + first + (first.ends_with('.') ? "" : "."));
    }
    ShotBlocks blocks(shots, leaf.fewshot, assembly);
    if (blocks.drawn() > shots.size())
        return inputError("Task '" + leaf.name + "' needs " + std::to_string(blocks.drawn()) + " rows to draw "
                          + std::to_string(leaf.fewshot) + " examples from; its few-shot file has "
                          + std::to_string(shots.size()) + ".");
    leaf.rowSource = rowSource(leaf, docs, shots, assembly);
    leaf.begin = set.examples.size();
    const std::size_t count = limited(docs.size(), options.limit);
    for (std::size_t i = 0; i < count; ++i) {
        Example example = makeExample(leaf, docs[i], leaf.description + blocks.next(docs[i]), assembly);
        example.file = file;
        set.examples.push_back(std::move(example));
    }
    leaf.end = set.examples.size();
    set.report.add(leaf.report);
    set.leaves.push_back(std::move(leaf));
    return {};
}

Result<DataFolder> dataFolder(const TaskOptions& options)
{
    fs::path folder = options.dataFolder.empty() ? options.samplesFolder : options.dataFolder;
    if (folder.empty()) {
        Result<fs::path> found = samplesFolder();
        if (!found.has_value())
            return found.error();
        folder = *found;
    }
    std::error_code ignored;
    // The marker keeps the word "sample" on results even when the folder is named by hand.
    return DataFolder{folder, fs::exists(folder / "headscope-samples.json", ignored)};
}

Metric metric(Metric::Kind kind, std::string filter, Extraction extraction)
{
    Metric result;
    result.kind = kind;
    result.filter = std::move(filter);
    result.extraction = std::move(extraction);
    return result;
}

const char* name(Metric::Kind kind)
{
    switch (kind) {
    case Metric::Kind::Acc: return "acc";
    case Metric::Kind::AccNorm: return "acc_norm";
    case Metric::Kind::Perplexity: return "perplexity";
    case Metric::Kind::ExactMatch: return "exact_match";
    case Metric::Kind::Contains: return "contains";
    }
    return "";
}

const LeafTask& TaskSet::leafOf(std::size_t example) const
{
    const auto found =
        std::find_if(leaves.begin(), leaves.end(), [&](const LeafTask& leaf) { return example < leaf.end; });
    return *found;
}

} // namespace headscope::tasks
