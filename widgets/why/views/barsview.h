// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Contributions of heads, MLPs and the embedding to a number, as bars with intervals: largest first, then the sum.
// GUI thread.

#include "widgets/why/views/numbertable.h"

#include <QTableView>

#include <limits>

namespace headscope::widgets {

struct PartRow {
    QString name; ///< "L2H5", "L2.mlp", "embed"
    double value = 0;
    bool head = false;
    double low = std::numeric_limits<double>::quiet_NaN(); ///< 95 % interval over several prompts; NaN: one prompt
    double high = std::numeric_limits<double>::quiet_NaN();

    [[nodiscard]] bool hasInterval() const { return low <= high; }
};

class BarsModel;

class BarsView : public QTableView
{
    Q_OBJECT

public:
    /// `name`: for screen readers. `adds`: heading of the bars.
    BarsView(const QString& name, const QString& adds, QWidget* parent = nullptr);

    void setBars(std::vector<PartRow> parts);
    /// By magnitude; the sum last.
    [[nodiscard]] const std::vector<PartRow>& bars() const;
    [[nodiscard]] double sum() const { return bars().empty() ? 0 : bars().back().value; }
    [[nodiscard]] Numbers numbers() const;

Q_SIGNALS:
    void barsChanged();
    /// Emitted with "L2H5" when a part was double-clicked, or Enter pressed on it.
    void partChosen(const QString& name);
    /// Emitted when a head was selected; empty: none is.
    void headSelected(const QString& name);

private:
    BarsModel* m_model;
};

} // namespace headscope::widgets
