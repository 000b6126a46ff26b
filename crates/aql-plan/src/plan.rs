//! The plan of a query.

use crate::bind::OpenParameters;
use crate::catalog::CollectionReference;
use crate::node::Node;
use crate::variable::Variables;
use aql_value::Warning;

/// The plan of a query: a linear pipeline, and what it needs from its surroundings.
#[derive(Debug, Clone)]
pub struct Plan {
    /// From the Singleton to the last node. A query without RETURN ends in a data modification.
    pub nodes: Vec<Node>,
    /// Variables of the plan and all its subplans.
    pub variables: Variables,
    /// Collections that the query names, each once with its strongest access, sorted by name.
    pub collections: Vec<CollectionUse>,
    /// The query changes data.
    pub is_modification: bool,
    /// Bind parameters whose values are not part of the plan; the values are given when it is run.
    pub parameters: OpenParameters,
    /// Its result may be kept in the results cache: it is deterministic, reads only, and has no warnings.
    pub is_cacheable: bool,
    /// Optimizer rules that changed the plan, in the order of application, each once.
    pub rules_applied: Vec<&'static str>,
    /// What parsing, binding and folding of constants warned about.
    pub warnings: Vec<Warning>,
    /// The next unused node number.
    pub next_node_id: u32,
}

/// How a query uses a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionUse {
    /// Which.
    pub collection: CollectionReference,
    /// How.
    pub access: Access,
}

/// Access to a collection, from weak to strong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Reads.
    Read,
    /// Reads and writes.
    Write,
    /// Reads and writes, locked against other writers.
    Exclusive,
}

impl Access {
    /// ArangoDB's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Exclusive => "exclusive",
        }
    }
}
