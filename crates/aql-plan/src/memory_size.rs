//! The memory that a plan takes.

use crate::dataflow::for_each_node;
use crate::expression::Expression;
use crate::node::Node;
use crate::plan::Plan;

impl Plan {
    /// Returns an estimate of the bytes that the nodes and expressions take.
    pub fn size_bytes(&self) -> usize {
        let mut bytes = 0;
        for_each_node(&self.nodes, &mut |node| {
            bytes += size_of::<Node>();
            node.kind.for_each_expression(&mut |expression| bytes += expression.size_bytes());
        });
        bytes
    }
}

impl Expression {
    /// Returns an estimate of the bytes that the expression takes, its constants included.
    pub fn size_bytes(&self) -> usize {
        let own = match self {
            Self::Constant(value) => value.memory_bytes(),
            Self::Attribute { name, .. } => name.len(),
            _ => 0,
        };
        let mut bytes = size_of::<Expression>() + own;
        self.for_each_child(&mut |child| bytes += child.size_bytes());
        bytes
    }
}
