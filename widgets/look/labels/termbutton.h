// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A circled i that explains one glossary term in a tooltip and on a click. GUI thread.

#include <QHash>
#include <QToolButton>

namespace headscope::widgets {

/// Hidden while the glossary has no entry for its term.
class TermButton : public QToolButton
{
    Q_OBJECT

public:
    explicit TermButton(const QString& term, QWidget* parent = nullptr);

    [[nodiscard]] QString term() const { return m_term; }
    void setTerm(const QString& term);
    /// Sets the explanations by term, one or two sentences of plain text each.
    void setGlossary(const QHash<QString, QString>& entries);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void explain();

    QString m_term;
    QHash<QString, QString> m_entries;
};

} // namespace headscope::widgets
