//! `geo-index-optimizer`: finds documents near a point or meeting a shape in geo indexes. If the
//! query sorts by that distance, the nearest come first.
//!
//! The index alone guarantees conditions on distances, so their filters are removed. Conditions on
//! shapes stay, because the index finds more documents. As ArangoDB documents it, a geo index knows
//! only documents with coordinates. It does not find other documents, whose distance is null.

use aql_plan::{
    CollectionScan, CompareOperator, Expression, GeoSearch, IndexBound, IndexInfo, IndexRange, IndexScan,
    IndexSearch, Node, NodeKind, Plan, SearchShape,
};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::access_path::new_scan;
use crate::analysis::condition::{conditions_after, resolve, set_from};
use crate::analysis::filter::replace_filters;
use crate::analysis::geo::{GeoCondition, GeoMatcher};
use crate::analysis::pipeline::for_each_pipeline;
use crate::analysis::sort_order::sort_after;

pub(super) struct GeoIndexOptimizer;

impl Rule for GeoIndexOptimizer {
    fn name(&self) -> &'static str {
        "geo-index-optimizer"
    }

    fn description(&self) -> &'static str {
        "Uses geo indexes to find documents near a place or within a shape, and to sort them by distance."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                let Some(found) = find(nodes, position, context) else { continue };
                replace_filters(nodes, found.rest, workshop);
                if let Some(node) = nodes.get_mut(position) {
                    *node = workshop.node(NodeKind::Index(Box::new(found.scan)));
                }
                changed = true;
            }
            Ok(changed)
        })
    }
}

/// A scan that can replace a full scan.
struct Found {
    scan: IndexScan,
    /// The conditions that filters still have to check, with their positions. Filters without any,
    /// and the sort, are superfluous.
    rest: Vec<(usize, Vec<Expression>)>,
}

fn find(nodes: &[Node], position: usize, context: &RuleContext<'_>) -> Option<Found> {
    let NodeKind::EnumerateCollection(scan) = &nodes.get(position)?.kind else { return None };
    let source = &scan.source;
    if source.hint.disabled || scan.random || source.count_into.is_some() {
        return None;
    }
    let info = context.catalog.collection(&source.collection.name)?;
    let hint = &source.hint;
    let is_geo = |index: &&IndexInfo| matches!(index.capabilities.search, SearchShape::Geo { .. });
    let mut indexes: Vec<&IndexInfo> = info.indexes.iter().filter(is_geo).collect();
    let rank = |index: &&IndexInfo| {
        hint.names.iter().position(|name| *name == index.name).unwrap_or(hint.names.len())
    };
    if hint.forced && !hint.names.is_empty() {
        indexes.retain(|index| hint.names.contains(&index.name));
    }
    indexes.sort_by_key(rank);
    indexes.into_iter().find_map(|index| find_with(nodes, position, scan, index, context))
}

fn find_with(
    nodes: &[Node],
    position: usize,
    scan: &CollectionScan,
    index: &IndexInfo,
    context: &RuleContext<'_>,
) -> Option<Found> {
    let source = &scan.source;
    let unavailable = set_from(nodes, position);
    let matcher = GeoMatcher { index, document: source.out, unavailable: &unavailable };
    let mut search = GeoSearch::default();
    let sort = distance_sort(nodes, position, &matcher);
    let mut rest = Vec::new();
    if let Some(sort) = &sort {
        search.origin = Some(sort.origin.clone());
        rest.push((sort.position, Vec::new()));
    }
    for condition in conditions_after(nodes, position, context.interrupt) {
        let mut conjuncts = condition.expression.into_conjuncts();
        let count = conjuncts.len();
        conjuncts
            .retain(|conjunct| !matcher.condition(conjunct).is_some_and(|found| add(&mut search, found)));
        if conjuncts.len() < count {
            rest.push((condition.position, conjuncts));
        }
    }
    rest.sort_unstable_by_key(|(position, _)| *position);
    if search.origin.is_none() && search.meets.is_none() {
        return None;
    }
    let finds_twice = search.meets.is_some() && sort.is_none();
    let range = IndexRange { search: Some(IndexSearch::Geo(Box::new(search))), ..IndexRange::default() };
    let scan = new_scan(source, vec![index.clone()], vec![range]);
    let scan = IndexScan {
        deduplicate: finds_twice,
        ascending: sort.as_ref().is_none_or(|sort| sort.ascending),
        ordered: sort.is_some(),
        ..scan
    };
    Some(Found { scan, rest })
}

/// Adds a condition to the search if there is room for it. Returns true if the search alone then
/// guarantees it.
fn add(search: &mut GeoSearch, condition: GeoCondition) -> bool {
    let (origin, operator, value) = match condition {
        GeoCondition::Meets { shape } => {
            search.meets.get_or_insert(shape);
            return false;
        }
        GeoCondition::Distance { origin, operator, value } => (origin, operator, value),
    };
    if search.origin.as_ref().is_some_and(|own| !own.is_same(&origin)) {
        return false;
    }
    let (place, inclusive) = match operator {
        CompareOperator::Less => (&mut search.farthest, false),
        CompareOperator::LessEqual => (&mut search.farthest, true),
        CompareOperator::Greater => (&mut search.nearest, false),
        CompareOperator::GreaterEqual => (&mut search.nearest, true),
        CompareOperator::Equal | CompareOperator::NotEqual => return false,
    };
    if place.is_some() {
        return false;
    }
    *place = Some(IndexBound { value, inclusive });
    search.origin = Some(origin);
    true
}

/// A sort of the scan's rows by nothing but their distance from a point.
struct DistanceSort {
    position: usize,
    origin: Expression,
    ascending: bool,
}

fn distance_sort(nodes: &[Node], scan: usize, matcher: &GeoMatcher<'_>) -> Option<DistanceSort> {
    let (position, sort) = sort_after(nodes, scan).filter(|(_, sort)| sort.limit.is_none())?;
    let [element] = sort.elements.as_slice() else { return None };
    let distance = resolve(&Expression::Variable(element.input), nodes, scan, position);
    let origin = matcher.distance_origin(&distance)?;
    Some(DistanceSort { position, origin, ascending: element.ascending })
}
