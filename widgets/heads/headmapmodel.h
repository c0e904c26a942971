// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Layers x heads with one value per head: the model behind HeadMapView. GUI thread.

#include "widgets/look/colormap.h"

#include <QAbstractTableModel>
#include <QColor>
#include <QHash>
#include <QImage>
#include <QSet>

#include <limits>
#include <vector>

namespace headscope::widgets {

enum class HeadKind { Attention, Ssm, Channels };

/// `count` neighbouring heads (or Mamba-1 channels) of one layer. One head has count 1.
struct HeadSpan {
    int layer = 0;
    HeadKind kind = HeadKind::Attention;
    int first = 0;
    int count = 1;

    bool operator==(const HeadSpan&) const = default;
    /// Returns "L17H24", "L35C3186", "L35C3136-3199".
    [[nodiscard]] QString text() const;
};

/// One line of the map. A layer with two kinds of heads has two lines.
struct HeadRow {
    int layer = 0;
    HeadKind kind = HeadKind::Attention;
    int heads = 0;      ///< heads, or channels for HeadKind::Channels
    int block = 1;      ///< channels shown as one cell; 1 for heads
    QString note;       ///< "shared block 2", "groups of 4": shown in tooltips
    int shared = -1;    ///< rows with the same number share weights; -1: own weights
    QStringList groups; ///< per head, the group it shares keys with ("kv 3"); may be empty
};

/// The metric shown by the colours of the heads.
struct HeadMetric {
    QString name;                              ///< "effect on KV retrieval"
    QString unit;                              ///< may be empty
    bool isSigned = false;                     ///< blue-white-red around 0
    std::vector<std::vector<float>> values;    ///< [row][head]; NaN or missing: not measured
    QList<HeadSpan> estimated;                 ///< heads whose value is an estimate, not measured
    double atLeast = 0;                        ///< least upper end of the scale, so that negligible values stay pale
    std::vector<std::vector<QString>> notes{}; ///< [row][head]: uncertainty of the value; may be missing
};

/// The role of a head by one of its scores, as letters in its cell.
struct HeadTag {
    HeadSpan head;
    QString letters; ///< "In"
    QString words;   ///< "induction 0.93, labelled from 0.50"
};

struct HeadCell;

/// Rows are layers (layer 0 first), columns heads. A cell may represent a block of channels; an opened block adds rows
/// with its channels. State, marks, names and thumbnails are keyed by layer, kind and head, never by row and column.
class HeadMapModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Roles {
        ValueRole = Qt::UserRole + 1, ///< double; NaN without a value
        ColorRole,                    ///< QColor of the cell
        OffRole,                      ///< double: ablated share of the cell's heads, 0 to 1; partly ablated: a half
        MarkRole,                     ///< "G", "A" or empty
        TagRole,                      ///< HeadTag::letters or empty
        NameRole,                     ///< the user's own name for this head
        LabelColorRole,               ///< the user's own colour for it; invalid: none
        TextRole,                     ///< "L17H24"
        KindRole,                     ///< HeadKind as int
        OpenRole,                     ///< bool: a block whose channels are shown below it
        HiddenRole,                   ///< bool: its value is below the floor
        SharedRole,                   ///< header: HeadRow::shared
        SortedRole,                   ///< bool: columns are ranks, so each cell has to name its head
    };

    explicit HeadMapModel(QObject* parent = nullptr);

    void setRows(std::vector<HeadRow> rows);
    [[nodiscard]] bool hasTwoKinds() const { return m_twoKinds; }

    void setMetric(HeadMetric metric);
    /// Returns the metric; empty while values are hidden.
    [[nodiscard]] const HeadMetric& metric() const;
    [[nodiscard]] double metricLow() const { return m_low; }
    [[nodiscard]] double metricHigh() const { return m_high; }
    [[nodiscard]] ColorMap colorMap() const { return m_metric.isSigned ? ColorMap::BlueRed : ColorMap::Viridis; }
    /// Sets the floor: heads with a value (magnitude if signed) below it are drawn as empty frames; NaN: no floor.
    void setFloor(double floor);
    [[nodiscard]] double floor() const { return m_floor; }
    /// Returns single heads with a value, by descending magnitude; a block of channels is represented by its first.
    [[nodiscard]] QList<HeadSpan> strongest(int count) const;
    /// Sorts the heads of each layer by descending value. The selection is kept.
    void setSorted(bool sorted);
    [[nodiscard]] bool sorted() const { return m_sorted; }

    /// Sets the ablated heads. `partly`: heads that are changed at some tokens only, or by a factor.
    void setOff(const QList<HeadSpan>& off, const QList<HeadSpan>& partly = {});
    [[nodiscard]] int offCount() const { return static_cast<int>(m_off.size()); }
    /// Returns the number of partly ablated heads that are not ablated entirely.
    [[nodiscard]] int partlyAblatedCount() const { return static_cast<int>(m_partly.size()); }
    void setMarks(const QList<HeadSpan>& gather, const QList<HeadSpan>& aggregate);
    /// False: marks are known but hidden, for example while an exercise asks for these heads.
    void setMarksShown(bool shown);
    /// The same for values and colours.
    void setValuesShown(bool shown);
    [[nodiscard]] bool areValuesShown() const { return m_valuesShown; }
    /// Replaces all tags.
    void setTags(const QList<HeadTag>& tags);
    void setName(const HeadSpan& head, const QString& name);
    void setLabelColor(const HeadSpan& head, const QColor& color);
    void setThumbnail(const HeadSpan& head, const QImage& image);
    [[nodiscard]] bool hasThumbnail(const HeadSpan& head) const
    {
        return m_thumbnails.contains(keyOf(head.layer, head.kind, head.first));
    }
    void clearThumbnails();

    /// Returns the heads of a cell; count 0 outside of the row.
    [[nodiscard]] HeadSpan spanAt(const QModelIndex& index) const;
    /// Returns the cell that shows this head; invalid if there is none.
    [[nodiscard]] QModelIndex indexOf(const HeadSpan& head) const;
    /// Returns all heads of a row.
    [[nodiscard]] HeadSpan rowSpan(int row) const;
    [[nodiscard]] bool allOff(const HeadSpan& span) const;
    [[nodiscard]] bool canOpen(const QModelIndex& index) const;
    void setBlockOpen(const QModelIndex& index, bool open);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Qt::EditRole: the user's own name.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

Q_SIGNALS:
    void nameEdited(const headscope::widgets::HeadSpan& head, const QString& name);

private:
    using Key = quint64;
    struct Line {
        std::size_t source = 0; ///< index into m_rows
        int first = 0;          ///< first head of the line
        int heads = 0;
        int block = 1;
        int parent = -1;          ///< first channel of the opened block that this line belongs to; -1: not such a line
        std::vector<int> order{}; ///< cell at each column; empty: in order of heads
    };
    [[nodiscard]] static Key keyOf(int layer, HeadKind kind, int head);
    [[nodiscard]] static int cellsOf(const Line& line) { return (line.heads + line.block - 1) / line.block; }
    [[nodiscard]] HeadTag tagOf(const HeadSpan& span) const;
    [[nodiscard]] double valueOf(const HeadSpan& span, std::size_t source) const;
    [[nodiscard]] double offPart(const HeadSpan& span) const;
    [[nodiscard]] bool isPartly(const HeadSpan& span) const;
    [[nodiscard]] QString markOf(const HeadSpan& span) const;
    [[nodiscard]] HeadCell cellAt(const QModelIndex& index) const; ///< of a valid cell
    [[nodiscard]] QVariant colorOf(double value) const;
    [[nodiscard]] HeadSpan spanOf(const Line& line, int cell) const;
    void order(Line& line) const;
    void reorder();
    void measureRange();
    void valuesChanged();
    void changed(const QList<int>& roles);

    std::vector<HeadRow> m_rows;
    std::vector<Line> m_lines;
    int m_columns = 0;
    bool m_twoKinds = false;
    HeadMetric m_metric;
    double m_low = 0;
    double m_high = 1;
    double m_floor = std::numeric_limits<double>::quiet_NaN();
    bool m_sorted = false;
    QSet<Key> m_off, m_partly;
    QHash<Key, QString> m_marks;
    bool m_marksShown = true, m_valuesShown = true;
    QHash<Key, HeadTag> m_tags;
    QHash<Key, QString> m_names;
    QHash<Key, QColor> m_labelColors;
    QHash<Key, QImage> m_thumbnails;
};

} // namespace headscope::widgets
