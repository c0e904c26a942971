// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The examples with changed answers: prompt, choices, both log-likelihoods. GUI thread.

#include "widgets/scores/flipsmodel.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QTreeView;

namespace headscope::widgets {

class FlipsView : public QWidget
{
    Q_OBJECT
public:
    explicit FlipsView(QWidget* parent = nullptr);
    void setFlips(const QString& benchmark, std::vector<Flip> flips);
    /// The same for rows that are read when they come into view.
    void setExamples(const QString& benchmark, std::shared_ptr<ExampleSource> source);
    [[nodiscard]] FlipsModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* tree() const { return m_tree; }
    QSize sizeHint() const override;

Q_SIGNALS:
    /// Double click or Enter: use this example as the prompt.
    void exampleActivated(const QString& exampleId);

private:
    FlipsModel* m_model;
    QTreeView* m_tree;
    QLabel* m_title;
    QComboBox* m_filter;
};

} // namespace headscope::widgets
