//! Searches of views and of inverted indexes in explain.

use aql_plan::{DocumentSource, EnumerateView, HintedSearch, Projection, VariableId, ViewOptions};
use errors::Result;

use super::Explainer;
use super::expression::node_type;
use super::scan::write_index;
use crate::writer::Writer;

impl Explainer<'_> {
    pub(super) fn enumerate_view(&self, out: &mut Writer, node: &EnumerateView) -> Result<()> {
        if let Some(hinted) = &node.hinted {
            return self.hinted_search(out, node, hinted);
        }
        out.key("view")?.text(&node.view.name)?;
        out.key("viewId")?.text(&node.view.id.to_string())?;
        self.variable(out, "outVariable", node.out)?;
        match &node.condition {
            Some(condition) => self.expression(out, "condition", condition)?,
            None => {
                out.key("condition")?;
                out.object(|_| Ok(()))?;
            }
        }
        out.key("scorers")?;
        out.array(&node.scores, |out, score| {
            out.object(|out| {
                self.variable(out, "outVariable", score.out)?;
                out.key("name")?.text(score.scorer.name())?;
                out.key("arguments")?;
                out.array(&score.arguments, |out, argument| self.expressions.write(out, argument))
            })
        })?;
        out.key("offsetInfos")?;
        out.array(&node.highlights, |out, highlight| {
            out.object(|out| {
                self.variable(out, "outVariable", highlight.out)?;
                self.expression(out, "paths", &highlight.argument)
            })
        })?;
        out.key("scorersSort")?;
        out.array(&node.order, |out, key| {
            out.object(|out| {
                out.key("index")?.number(key.score as u64)?;
                out.key("asc")?.flag(key.ascending)
            })
        })?;
        out.key("scorersSortLimit")?.number(node.limit.unwrap_or(0))?;
        if node.sorted > 0 {
            out.key("primarySort")?;
            out.array(&node.view.primary_sort, |out, field| {
                out.object(|out| {
                    out.key("field")?.text(&field.path.join("."))?;
                    out.key("asc")?.flag(field.ascending)
                })
            })?;
            out.key("primarySortBuckets")?.number(node.sorted as u64)?;
        }
        let late_key = self.search_key(node);
        let stored = stored_values(node, late_key);
        out.key("noMaterialization")?.flag(late_key.is_none() && !stored.is_empty())?;
        if let Some(key) = late_key {
            self.variable(out, "outNmDocId", key)?;
        }
        self.projections(out, "viewValuesVars", &stored)?;
        out.key("options")?;
        write_options(out, &node.options)?;
        out.key("collections")?;
        out.array(node.indexes(), |out, index| out.text(&index.collection.name))
    }

    /// Returns the variable by which a later node fetches the documents of the search.
    fn search_key(&self, node: &EnumerateView) -> Option<VariableId> {
        self.late_key_of(&node.projections).map(|key| key.out)
    }

    /// Writes the search of an inverted index like the scan of any other index.
    fn hinted_search(&self, out: &mut Writer, node: &EnumerateView, hinted: &HintedSearch) -> Result<()> {
        let late_key = self.search_key(node);
        let stored = stored_values(node, late_key);
        let source = DocumentSource { projections: stored, ..hinted.source.clone() };
        self.source(out, &source)?;
        out.key("strategy")?.text(match (late_key, node.coverage().projections) {
            (Some(_), _) => "late materialized",
            (None, true) => "covering",
            (None, false) => "document",
        })?;
        out.key("needsGatherNodeSort")?.flag(node.sorted > 0)?;
        if node.sorted > 0 {
            out.key("sortElements")?;
            out.array(node.view.primary_sort.iter().take(node.sorted), |out, field| {
                out.object(|out| {
                    self.variable(out, "inVariable", node.out)?;
                    out.key("ascending")?.flag(field.ascending)?;
                    out.key("path")?;
                    out.array(&field.path, |out, name| out.text(name))
                })
            })?;
        }
        self.coverage(out, node.coverage())?;
        out.key("indexes")?;
        out.array([&hinted.index], write_index)?;
        out.key("condition")?;
        out.object(|out| {
            let Some(condition) = &node.condition else { return Ok(()) };
            node_type(out, "n-ary or")?;
            out.key("subNodes")?;
            out.array([condition.clone().into_conjuncts()], |out, conjuncts| {
                out.object(|out| {
                    node_type(out, "n-ary and")?;
                    out.key("subNodes")?;
                    out.array(&conjuncts, |out, conjunct| self.expressions.write(out, conjunct))
                })
            })
        })?;
        out.key("allCoveredByOneIndex")?.flag(true)?;
        let first = node.view.primary_sort.first().filter(|_| node.sorted > 0);
        out.key("sorted")?.flag(first.is_some())?;
        out.key("ascending")?.flag(first.is_none_or(|field| field.ascending))?;
        out.key("evalFCalls")?.flag(true)?;
        out.key("waitForSync")?.flag(node.options.wait_for_sync)?;
        out.key("limit")?.number(node.limit.unwrap_or(0))?;
        out.key("isLateMaterialized")?.flag(late_key.is_some())?;
        if let Some(key) = late_key {
            self.variable(out, "outNmDocId", key)?;
        }
        out.key("lookahead")?.number(hinted.source.hint.lookahead)
    }
}

/// Returns the projections without that of the key.
fn stored_values(node: &EnumerateView, key: Option<VariableId>) -> Vec<Projection> {
    node.projections.iter().filter(|projection| Some(projection.out) != key).cloned().collect()
}

fn write_options(out: &mut Writer, options: &ViewOptions) -> Result<()> {
    out.object(|out| {
        out.key("waitForSync")?.flag(options.wait_for_sync)?;
        match &options.collections {
            Some(collections) => {
                out.key("collections")?;
                out.array(collections, |out, id| out.number(*id))?;
            }
            None => out.key("collections")?.null()?,
        }
        out.key("conditionOptimization")?.text(options.condition_optimization.name())?;
        out.key("countApproximate")?.text(if options.approximate_count { "cost" } else { "exact" })?;
        out.key("parallelism")?.number(options.parallelism.unwrap_or(1))
    })
}
