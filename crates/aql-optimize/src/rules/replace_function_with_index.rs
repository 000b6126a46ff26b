//! `replace-function-with-index`: finds the documents of `FULLTEXT()` in its index.
//!
//! The binder turns `NEAR()` and its relatives into loops with distances, for which
//! `geo-index-optimizer` finds indexes.

use aql_plan::{
    CollectionScan, Expression, IndexInfo, IndexRange, IndexScan, IndexSearch, Node, NodeKind, Plan,
    SearchShape,
};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::access_path::new_scan;
use crate::analysis::condition::{as_field, conditions_after, set_from};
use crate::analysis::pipeline::for_each_pipeline;

pub(super) struct ReplaceFunctionWithIndex;

impl Rule for ReplaceFunctionWithIndex {
    fn name(&self) -> &'static str {
        "replace-function-with-index"
    }

    fn description(&self) -> &'static str {
        "Finds the documents of FULLTEXT() in its index."
    }

    fn can_be_disabled(&self) -> bool {
        false
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let Some((scan, filter)) = find(nodes, position, context) else { continue };
                nodes.remove(filter);
                if let Some(node) = nodes.get_mut(position) {
                    *node = workshop.node(NodeKind::Index(Box::new(scan)));
                }
                changed = true;
            }
            Ok(changed)
        })
    }
}

/// Returns a scan that can replace the full scan at a position, and the filter that it makes
/// superfluous.
fn find(nodes: &[Node], position: usize, context: &RuleContext<'_>) -> Option<(IndexScan, usize)> {
    let NodeKind::EnumerateCollection(scan) = &nodes.get(position)?.kind else { return None };
    if scan.source.hint.disabled || scan.random || scan.source.count_into.is_some() {
        return None;
    }
    let info = context.catalog.collection(&scan.source.collection.name)?;
    let unavailable = set_from(nodes, position);
    conditions_after(nodes, position, context.interrupt).into_iter().find_map(|condition| {
        let (index, query) = info.indexes.iter().find_map(|index| {
            let query = query_of(&condition.expression, index, scan)?;
            (!query.variables().intersects(&unavailable)).then_some((index, query))
        })?;
        let search = Some(IndexSearch::Words(query.clone()));
        let range = IndexRange { search, ..IndexRange::default() };
        Some((new_scan(&scan.source, vec![index.clone()], vec![range]), condition.position))
    })
}

/// Returns the query of `FULLTEXT_MATCH(document.field, query, minLength)`, if the index has that
/// field and the same words.
fn query_of<'a>(
    condition: &'a Expression,
    index: &IndexInfo,
    scan: &CollectionScan,
) -> Option<&'a Expression> {
    let SearchShape::Words { min_length } = index.capabilities.search else { return None };
    let Expression::Call { function, arguments } = condition else { return None };
    let ([text, query, shortest], "FULLTEXT_MATCH") = (arguments.as_slice(), function.name) else {
        return None;
    };
    let is_same_length = shortest.as_constant().and_then(aql_value::Value::as_i64)
        == Some(i64::try_from(min_length).unwrap_or(i64::MAX));
    let is_field = as_field(text, scan.source.out).as_ref() == index.fields.first();
    (is_same_length && is_field && query.is_deterministic()).then_some(query)
}
