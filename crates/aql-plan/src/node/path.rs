//! Paths: what nodes that search them have in common.

use super::{NodePrinter, listed};
use crate::expression::Expression;
use crate::variable::VariableId;

/// A condition that every vertex or edge of a path, or the one at a depth, must satisfy for the
/// path to be followed.
///
/// A path that is too short to have an element at `depth` passes: the planner raises the minimum
/// depth where such paths must not be produced.
#[derive(Debug, Clone)]
pub struct StepCondition {
    /// The kind of elements that the condition is about.
    pub element: PathElement,
    /// Position in `path.vertices` or `path.edges`; `None` for all of them.
    pub depth: Option<u64>,
    /// Holds the vertex or edge while `condition` is evaluated.
    pub input: VariableId,
    /// Reads `input` and variables of the outer row. Cast to a boolean.
    pub condition: Expression,
}

/// A condition of the query on the paths of a node, which the node takes care of while it searches.
#[derive(Debug, Clone)]
pub struct CoveredCondition {
    /// The condition as in the query: it reads the variables that the node sets and those of the
    /// outer row. For explain, and to find the filter that it came from.
    pub condition: Expression,
    /// Every path that the node produces satisfies the condition, so that no filter is needed.
    pub entirely: bool,
}

/// An element of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathElement {
    /// A member of `path.vertices`.
    Vertex,
    /// A member of `path.edges`.
    Edge,
}

/// The path that a node produces: an object of arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathOutput {
    /// Set to the path.
    pub out: VariableId,
    /// An expression reads `path.vertices`.
    pub vertices: bool,
    /// An expression reads `path.edges`.
    pub edges: bool,
    /// An expression reads `path.weights` (traversals by weight) or `path.weight`
    /// (K_SHORTEST_PATHS). The paths of other searches have none.
    pub weights: bool,
}

/// `OPTIONS` of a path search, checked.
#[derive(Debug, Clone)]
pub struct PathSearchOptions {
    /// `weightAttribute`: the names that lead to the weight.
    pub weight_attribute: Option<Box<[Box<str>]>>,
    /// `defaultWeight`: of an edge without a number in that attribute.
    pub default_weight: f64,
    /// `useCache`, for explain.
    pub use_cache: bool,
}

impl PathOutput {
    pub(super) fn print(self, printer: &NodePrinter<'_>) -> String {
        let parts = [("vertices", self.vertices), ("edges", self.edges), ("weights", self.weights)];
        let parts = parts.into_iter().filter(|(_, is_read)| *is_read).map(|(name, _)| name);
        format!("{} ({})", printer.name(self.out), parts.collect::<Vec<_>>().join(", "))
    }
}

impl PathSearchOptions {
    /// Returns the options that differ from the defaults.
    pub(super) fn print(&self) -> String {
        print_weight(self.weight_attribute.as_deref(), self.default_weight)
    }
}

pub(super) fn print_weight(attribute: Option<&[Box<str>]>, default: f64) -> String {
    attribute.map(|names| format!(" weight {} or {default}", names.join("."))).unwrap_or_default()
}

pub(super) fn print_conditions(conditions: &[StepCondition], printer: &NodePrinter<'_>) -> String {
    let list = conditions.iter().map(|condition| {
        let element = match condition.element {
            PathElement::Vertex => "vertices",
            PathElement::Edge => "edges",
        };
        let depth = condition.depth.map_or("*".into(), |depth| depth.to_string());
        let (input, text) = (printer.name(condition.input), printer.text(&condition.condition));
        format!("{element}[{depth}] AS {input}: {text}")
    });
    listed(" WHERE ", list)
}
