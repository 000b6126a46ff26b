//! `specialize-collect`: chooses the method by which COLLECT forms groups.
//!
//! Usually this is a hash table of groups, whose output is then sorted, because COLLECT promises
//! sorted groups. If the query already sorts by the group keys, in any directions, groups are
//! formed in that order and stay in it (as in ArangoDB since 3.12.3). If an index may provide the
//! order, sorted input makes an additional plan. The option `method` can also request sorted input.

use std::collections::HashSet;

use aql_plan::{
    Collect, CollectGroup, CollectMethod, Expression, Identity, Node, NodeKind, Plan, Sort, SortElement,
    VariableId,
};
use aql_value::Interrupt;
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::condition::{as_field, resolve};
use crate::analysis::pipeline::{Workshop, constants, for_each_pipeline};

pub(super) struct SpecializeCollect;

impl Rule for SpecializeCollect {
    fn name(&self) -> &'static str {
        "specialize-collect"
    }

    fn description(&self) -> &'static str {
        "Chooses the method of COLLECT and sorts its input or output."
    }

    fn can_be_disabled(&self) -> bool {
        false
    }

    fn is_hidden(&self) -> bool {
        true
    }

    fn makes_additional_plans(&self) -> bool {
        true
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        let interrupt = context.interrupt;
        if may_sort(&plan.nodes, context) {
            context.add_copy(plan, |sorted| {
                specialize_all(sorted, Some(CollectMethod::Sorted), interrupt).map(drop)
            })?;
        }
        specialize_all(plan, None, interrupt)
    }
}

/// Specializes each COLLECT with groups, by the given method unless the query requests another.
fn specialize_all(plan: &mut Plan, method: Option<CollectMethod>, interrupt: &Interrupt) -> Result<bool> {
    for_each_pipeline(plan, interrupt, &mut |nodes, workshop| {
        let mut changed = false;
        let mut position = 0;
        while position < nodes.len() {
            interrupt.check()?;
            let is_sorted = is_sorted_by_query(nodes, position);
            if let Some(NodeKind::Collect(collect)) = nodes.get_mut(position).map(|node| &mut node.kind)
                && collect.method == CollectMethod::Hash
            {
                let usual = if is_sorted { CollectMethod::Sorted } else { CollectMethod::Hash };
                collect.method = collect.requested_method.or(method).unwrap_or(usual);
                if !(is_sorted && collect.method == CollectMethod::Sorted) {
                    let collect = (**collect).clone();
                    position = add_sort(nodes, position, &collect, workshop);
                }
                changed = true;
            }
            position += 1;
        }
        Ok(changed)
    })
}

/// Returns true if the rows reach the COLLECT sorted by all of its group keys, before any other
/// key.
fn is_sorted_by_query(nodes: &[Node], position: usize) -> bool {
    let Some(NodeKind::Collect(collect)) = nodes.get(position).map(|node| &node.kind) else { return false };
    for (before, node) in nodes.iter().enumerate().take(position).rev() {
        match &node.kind {
            NodeKind::Sort(sort) => {
                let key = |id: VariableId, at: usize| -> Identity {
                    resolve(&Expression::Variable(id), nodes, 0, at).identity()
                };
                let keys: HashSet<Identity> =
                    collect.groups.iter().map(|group| key(group.input, position)).collect();
                let leading = sort.elements.iter().take(keys.len());
                let sorted: HashSet<Identity> = leading.map(|element| key(element.input, before)).collect();
                return !keys.is_empty() && keys == sorted;
            }
            NodeKind::Calculation(_) | NodeKind::Filter(_) | NodeKind::Limit(_) => {}
            _ => return false,
        }
    }
    false
}

/// Adds the sort before or after the COLLECT. Returns the position of the last of the two nodes.
fn add_sort(nodes: &mut Vec<Node>, position: usize, collect: &Collect, workshop: &mut Workshop<'_>) -> usize {
    if collect.method == CollectMethod::Sorted {
        let sort = sort_by(&collect.groups, |group| group.input);
        nodes.insert(position, workshop.node(sort));
        return position + 1;
    }
    if !is_order_unwanted(nodes, position) {
        let sort = sort_by(&collect.groups, |group| group.out);
        nodes.insert(position + 1, workshop.node(sort));
        return position + 1;
    }
    position
}

fn sort_by(groups: &[CollectGroup], key: impl Fn(&CollectGroup) -> VariableId) -> NodeKind {
    let elements = groups.iter().map(|group| SortElement { input: key(group), ascending: true });
    NodeKind::Sort(Sort { elements: elements.collect(), grouped: 0, stable: false, limit: None })
}

/// Returns true if `SORT null` follows: the order of groups does not matter.
fn is_order_unwanted(nodes: &[Node], position: usize) -> bool {
    let constants = constants(nodes);
    let next = nodes.iter().skip(position + 1).find(|node| !matches!(node.kind, NodeKind::Calculation(_)));
    match next.map(|node| &node.kind) {
        Some(NodeKind::Sort(sort)) => {
            sort.elements.iter().all(|element| constants.contains_key(&element.input))
        }
        _ => false,
    }
}

/// Returns true if a sort before some COLLECT makes another plan.
///
/// Unless all plans are wanted, it must also be worthwhile: an index is sorted by the group keys,
/// which are attributes of one scan's documents.
fn may_sort(nodes: &[Node], context: &RuleContext<'_>) -> bool {
    nodes.iter().enumerate().take_while(|_| !context.interrupt.is_set()).any(|(position, node)| {
        match &node.kind {
            NodeKind::Subquery(subquery) => may_sort(&subquery.nodes, context),
            NodeKind::Collect(collect) if collect.method == CollectMethod::Hash => {
                collect.requested_method.is_none()
                    && !is_sorted_by_query(nodes, position)
                    && (context.all_plans || is_sorted_by_index(nodes, position, &collect.groups, context))
            }
            _ => false,
        }
    })
}

fn is_sorted_by_index(
    nodes: &[Node],
    position: usize,
    groups: &[CollectGroup],
    context: &RuleContext<'_>,
) -> bool {
    let scans = nodes.iter().enumerate().take(position);
    let Some((at, source)) = scans.rev().find_map(|(at, node)| Some((at, node.kind.source()?))) else {
        return false;
    };
    let Some(info) = context.catalog.collection(&source.collection.name) else { return false };
    let fields: Option<Vec<_>> = groups
        .iter()
        .map(|group| as_field(&resolve(&Expression::Variable(group.input), nodes, at, position), source.out))
        .collect();
    let Some(fields) = fields else { return false };
    let mut indexes = info.indexes.iter().filter(|index| index.capabilities.ordered);
    indexes.any(|index| fields.iter().all(|field| index.fields.contains(field)))
}
