//! `materialize-for-enumerate-near`: a vector search passes on the attributes that its index
//! stores, or else the keys of documents, which a later node fetches.

use aql_plan::{Materialize, NearVector, Node, NodeKind, Plan, VariableId};
use errors::Result;

use super::{Rule, RuleContext};
use crate::analysis::coverage::{cover, cover_source};
use crate::analysis::pipeline::{Workshop, for_each_pipeline};
use crate::analysis::projection::projection;

pub(super) struct MaterializeForEnumerateNear;

impl Rule for MaterializeForEnumerateNear {
    fn name(&self) -> &'static str {
        "materialize-for-enumerate-near"
    }

    fn description(&self) -> &'static str {
        "Reads what vector indexes store from them, and fetches documents after the search."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        for_each_pipeline(plan, context.interrupt, &mut |nodes, workshop| {
            let mut changed = false;
            let mut position = 0;
            while position < nodes.len() {
                context.interrupt.check()?;
                let materialize = match nodes.get_mut(position).map(|node| &mut node.kind) {
                    Some(NodeKind::NearVector(node)) => {
                        changed = true;
                        split(node, workshop)
                    }
                    _ => None,
                };
                if let Some(materialize) = materialize {
                    let place = place_of(nodes, position, &materialize);
                    let node = workshop.node(NodeKind::Materialize(Box::new(materialize)));
                    nodes.insert(place, node);
                }
                position += 1;
            }
            Ok(changed)
        })
    }

    fn can_be_disabled(&self) -> bool {
        false
    }

    fn is_hidden(&self) -> bool {
        true
    }
}

/// Returns the part of the search that fetches its documents, if the index does not suffice.
fn split(node: &mut NearVector, workshop: &mut Workshop<'_>) -> Option<Materialize> {
    let NearVector { source, index, .. } = node;
    cover_source(index, source, workshop);
    if source.coverage().projections || !source.produces_result {
        return None;
    }
    let mut key = vec![projection(vec!["_key".into()], workshop)];
    cover(index, &mut key);
    let projections = std::mem::replace(&mut source.projections, key);
    let key = source.projections.first()?.out;
    let others = Vec::new();
    Some(Materialize { collection: source.collection.clone(), others, key, out: source.out, projections })
}

/// Returns the position after the limit, or that of the first node before it that reads the
/// documents.
fn place_of(nodes: &[Node], search: usize, materialize: &Materialize) -> usize {
    let set: Vec<VariableId> = match materialize.projections.as_slice() {
        [] => vec![materialize.out],
        projections => projections.iter().map(|projection| projection.out).collect(),
    };
    let after = nodes.iter().enumerate().skip(search + 1);
    let place = after
        .map(|(at, node)| match &node.kind {
            NodeKind::Limit(_) => Some(at + 1),
            kind => set.iter().any(|id| kind.reads().contains(*id)).then_some(at),
        })
        .find_map(|place| place);
    place.unwrap_or(search + 1)
}
