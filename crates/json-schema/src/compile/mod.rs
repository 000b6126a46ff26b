//! Compiles a schema: one node for each place of it that is a schema, from a queue and not by
//! recursion, so that neither nesting nor references need a deep stack.

mod keywords;
mod loops;
mod references;

use std::collections::HashMap;

use aql_value::Interrupt;
use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

use crate::node::{Keyword, Node, NodeId, Schema};
use references::References;

/// Maximum size of a schema in bytes of VelocyPack.
pub const SCHEMA_MAX_BYTES: usize = 1 << 20;

/// Maximum number of nodes of a schema.
pub const NODES_MAX: usize = 10_000;

/// Maximum number of regular expressions of a schema. Each may take some megabytes.
const PATTERNS_MAX: usize = 256;

impl Schema {
    /// Compiles a schema. The interrupt is checked for each node.
    ///
    /// Errors: 1621 if it is no schema of the known drafts, or too large; those of the interrupt.
    pub fn compile(rule: Slice<'_>, interrupt: &Interrupt) -> Result<Self> {
        if rule.byte_len() > SCHEMA_MAX_BYTES {
            return Err(invalid(&format!(
                "the schema has {} bytes; at most {SCHEMA_MAX_BYTES}",
                rule.byte_len()
            )));
        }
        let mut compiler = Compiler {
            rule,
            draft: Draft::of(rule)?,
            references: References::of(rule),
            nodes: Vec::new(),
            places: HashMap::new(),
            queue: Vec::new(),
            patterns: 0,
        };
        compiler.node(rule)?;
        while let Some((node, place)) = compiler.queue.pop() {
            interrupt.check()?;
            let keywords = compiler.keywords(place)?;
            compiler.set(node, keywords);
        }
        let schema = Schema { nodes: compiler.nodes };
        loops::refuse(&schema)?;
        Ok(schema)
    }
}

/// The drafts, as far as their keywords differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Draft {
    Four,
    SixOrSeven,
}

impl Draft {
    /// Returns the draft that a schema names; draft 4 if it names none. Errors: 1621 for others.
    fn of(rule: Slice<'_>) -> Result<Self> {
        let Some(name) = rule.get("$schema") else { return Ok(Draft::Four) };
        let name = name.as_str().ok_or_else(|| invalid("'$schema' must be a string"))?;
        let (_, path) = name.split_once("json-schema.org/").unwrap_or_default();
        match path.trim_end_matches('#') {
            "draft-04/schema" | "schema" => Ok(Draft::Four),
            "draft-06/schema" | "draft-07/schema" => Ok(Draft::SixOrSeven),
            _ => Err(invalid(&format!("'$schema' is '{name}'; it must name draft-04, draft-06 or draft-07"))),
        }
    }
}

struct Compiler<'a> {
    rule: Slice<'a>,
    draft: Draft,
    references: References<'a>,
    nodes: Vec<Node>,
    /// The nodes by the offsets of their schemas within the rule.
    places: HashMap<usize, NodeId>,
    /// The nodes that have no keywords yet.
    queue: Vec<(NodeId, Slice<'a>)>,
    patterns: usize,
}

impl<'a> Compiler<'a> {
    /// Returns the node of a schema within the rule, whose keywords may follow later.
    fn node(&mut self, place: Slice<'a>) -> Result<NodeId> {
        let offset = place.bytes().as_ptr().addr().wrapping_sub(self.rule.bytes().as_ptr().addr());
        if let Some(known) = self.places.get(&offset) {
            return Ok(*known);
        }
        if self.nodes.len() == NODES_MAX {
            return Err(invalid(&format!("the schema has more than {NODES_MAX} parts")));
        }
        let id = self.nodes.len();
        self.nodes.push(Node::default());
        self.places.insert(offset, id);
        self.queue.push((id, place));
        Ok(id)
    }

    fn set(&mut self, id: NodeId, keywords: Vec<Keyword>) {
        for keyword in &keywords {
            if let Keyword::Reference(target) = keyword
                && let Some(target) = self.nodes.get_mut(*target)
            {
                target.is_referenced = true;
            }
        }
        if let Some(node) = self.nodes.get_mut(id) {
            node.keywords = keywords;
        }
    }

    /// Returns the node that a `$ref` leads to. Errors: 1621 if there is none.
    fn referenced(&mut self, reference: Slice<'a>) -> Result<NodeId> {
        let text = reference.as_str().ok_or_else(|| invalid("'$ref' must be a string"))?;
        let target = self.references.resolve(text);
        let target = target.ok_or_else(|| {
            invalid(&format!(
                "'$ref' is '{text}'; it must lead to a place within the schema, since others are not loaded"
            ))
        })?;
        self.node(target)
    }
}

/// Returns error 1621.
fn invalid(message: &str) -> Error {
    Error::new(ErrorCode::ValidationBadParameter, format!("invalid schema: {message}"))
}
