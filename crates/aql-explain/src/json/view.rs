//! Searches of views and of inverted indexes in explain.

use super::Explainer;
use super::expression::node_type;
use super::scan::write_index;
use crate::writer::Writer;
use aql_plan::{EnumerateView, HintedSearch, ViewOptions};
use errors::Result;

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
        out.key("options")?;
        write_options(out, &node.options)?;
        out.key("collections")?;
        out.array(node.indexes(), |out, index| out.text(&index.collection.name))
    }

    /// Writes the search of an inverted index like the scan of any other index.
    fn hinted_search(&self, out: &mut Writer, node: &EnumerateView, hinted: &HintedSearch) -> Result<()> {
        self.source(out, &hinted.source)?;
        out.key("strategy")?.text("document")?;
        out.key("needsGatherNodeSort")?.flag(false)?;
        out.key("indexCoversProjections")?.flag(false)?;
        out.key("indexCoversOutProjections")?.flag(false)?;
        out.key("indexCoversFilterProjections")?.flag(false)?;
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
        out.key("sorted")?.flag(false)?;
        out.key("ascending")?.flag(true)?;
        out.key("evalFCalls")?.flag(true)?;
        out.key("waitForSync")?.flag(node.options.wait_for_sync)?;
        out.key("limit")?.number(0)?;
        out.key("isLateMaterialized")?.flag(false)?;
        out.key("lookahead")?.number(hinted.source.hint.lookahead)
    }
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
