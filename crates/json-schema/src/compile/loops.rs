//! Schemas whose validation would not end: a node that judges a value by judging the same value by
//! itself.

use errors::Result;

use super::invalid;
use crate::node::{NodeId, Schema};

/// Errors: 1621 if a node reaches itself without going deeper into the document.
pub(super) fn refuse(schema: &Schema) -> Result<()> {
    // By Kahn's algorithm: nodes that nothing is left to use are taken away, until none is left.
    let mut users = vec![0_usize; schema.nodes.len()];
    for node in 0..schema.nodes.len() {
        for_each_used(schema, node, |used| users[used] += 1);
    }
    let mut unused: Vec<NodeId> = (0..users.len()).filter(|node| users[*node] == 0).collect();
    let mut taken = 0;
    while let Some(node) = unused.pop() {
        taken += 1;
        for_each_used(schema, node, |used| {
            users[used] -= 1;
            if users[used] == 0 {
                unused.push(used);
            }
        });
    }
    if taken == schema.nodes.len() {
        return Ok(());
    }
    Err(invalid("a '$ref' leads back to itself without going deeper into the document"))
}

fn for_each_used(schema: &Schema, node: NodeId, mut visit: impl FnMut(NodeId)) {
    for keyword in &schema.nodes[node].keywords {
        keyword.for_each_at_same_value(&mut visit);
    }
}
