//! Searches of views in explain.

use super::Explainer;
use crate::writer::Writer;
use aql_plan::{EnumerateView, ViewOptions};
use errors::Result;

impl Explainer<'_> {
    pub(super) fn enumerate_view(&self, out: &mut Writer, node: &EnumerateView) -> Result<()> {
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
