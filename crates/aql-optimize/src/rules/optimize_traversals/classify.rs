//! The place of a condition of the query in a traversal.

use aql_plan::{
    Expression, Folder, PathElement, StepCondition, Traversal, Uniqueness, VariableId, VariableSet,
};
use aql_value::{EvaluationState, Interrupt, MemoryAccount, Value, Warnings};
use errors::Result;

use crate::analysis::path::{as_element_at, elements_condition, replace_elements};
use crate::analysis::pipeline::Workshop;

/// The place of a condition.
pub(super) enum Placement {
    /// The condition stays in its filter.
    Nowhere,
    /// No path satisfies the condition.
    Impossible,
    /// The condition is about the last vertex and edge.
    Output,
    /// The condition is about elements of the path.
    Path {
        /// The condition that is evaluated along the path; `None` if every path that is long enough
        /// satisfies it.
        step: Option<StepCondition>,
        /// The depth below which paths do not satisfy the condition.
        min_depth: u64,
        /// True if the condition holds for all paths that are produced.
        entirely: bool,
    },
}

pub(super) struct Classifier<'a> {
    pub(super) node: &'a Traversal,
    /// Variables that the traversal and later nodes set.
    pub(super) unavailable: &'a VariableSet,
    pub(super) memory: &'a MemoryAccount,
    pub(super) interrupt: &'a Interrupt,
}

impl Classifier<'_> {
    pub(super) fn classify(&self, condition: &Expression, workshop: &mut Workshop<'_>) -> Result<Placement> {
        if !condition.is_deterministic() {
            return Ok(Placement::Nowhere);
        }
        let mut variables = condition.variables();
        let mut takes = |id: Option<VariableId>| id.is_some_and(|id| variables.remove(id));
        let reads_path = takes(self.node.path.map(|path| path.out));
        let reads_vertex = takes(self.node.vertex_out);
        let reads_edge = takes(self.node.edge_out);
        if variables.intersects(self.unavailable) {
            return Ok(Placement::Nowhere);
        }
        match (reads_path, reads_vertex, reads_edge) {
            (true, false, false) => self.path_condition(condition, workshop),
            (false, false, true) => self.edge_condition(condition, workshop),
            (false, true, _) => Ok(Placement::Output),
            _ => Ok(Placement::Nowhere),
        }
    }

    fn path_condition(&self, condition: &Expression, workshop: &mut Workshop<'_>) -> Result<Placement> {
        let Some(path) = self.node.path.map(|path| path.out) else { return Ok(Placement::Nowhere) };
        if let Some((element, input, condition)) = elements_condition(condition, path, workshop.variables) {
            let step = Some(StepCondition { element, depth: None, input, condition });
            return Ok(Placement::Path { step, min_depth: 0, entirely: true });
        }
        let Some((element, depth)) = only_element(condition, path) else { return Ok(Placement::Nowhere) };
        let input = workshop.variables.add_temporary();
        let mut condition = condition.clone();
        replace_elements(&mut condition, path, &mut |_, _| Some(Expression::Variable(input)));
        self.at_depth(StepCondition { element, depth: Some(depth), input, condition })
    }

    /// Places a condition on the last edge.
    ///
    /// That edge has a fixed position in the path if all paths have the same length, or none has
    /// more than one edge. With global uniqueness, only conditions that the query puts on the path
    /// decide where the path goes.
    fn edge_condition(&self, condition: &Expression, workshop: &mut Workshop<'_>) -> Result<Placement> {
        let (min, max) = (self.node.min_depth, self.node.max_depth);
        let has_place = max == 1 || (min == max && max > 0);
        let Some(edge) = self.node.edge_out.filter(|_| has_place && !self.is_global()) else {
            return Ok(Placement::Output);
        };
        let input = workshop.variables.add_temporary();
        let mut condition = condition.clone();
        condition.replace_variable(edge, &Expression::Variable(input));
        self.at_depth(StepCondition { element: PathElement::Edge, depth: Some(max - 1), input, condition })
    }

    fn is_global(&self) -> bool {
        self.node.options.unique_vertices == Uniqueness::Global
    }

    /// Places a condition on one element. A path that is too short has null in the place of the
    /// element.
    fn at_depth(&self, step: StepCondition) -> Result<Placement> {
        let Some(depth) = step.depth else { return Ok(Placement::Nowhere) };
        let length = match step.element {
            PathElement::Vertex => depth,
            PathElement::Edge => depth.saturating_add(1),
        };
        if length <= self.node.min_depth {
            return Ok(Placement::Path { step: Some(step), min_depth: 0, entirely: true });
        }
        let exists = length <= self.node.max_depth;
        Ok(match (self.value_for_null(&step)?, exists) {
            (Some(false), false) => Placement::Impossible,
            (None, false) => Placement::Nowhere,
            (Some(true), false) => Placement::Path { step: None, min_depth: 0, entirely: true },
            (Some(false), true) => Placement::Path { step: Some(step), min_depth: length, entirely: true },
            (Some(true), true) => Placement::Path { step: Some(step), min_depth: 0, entirely: true },
            (None, true) => Placement::Path { step: Some(step), min_depth: 0, entirely: false },
        })
    }

    /// Returns true if the condition holds for null; `None` if that is unknown before the query
    /// runs.
    fn value_for_null(&self, step: &StepCondition) -> Result<Option<bool>> {
        let mut condition = step.condition.clone();
        condition.replace_variable(step.input, &Expression::Constant(Value::Null));
        // The query raises the warnings again when it runs.
        let mut warnings = Warnings::new(0, false);
        let mut folder = Folder {
            warnings: &mut warnings,
            state: &mut EvaluationState::new(),
            memory: self.memory,
            interrupt: self.interrupt,
        };
        let folded = fold_deeply(condition, &mut folder)?;
        Ok(folded.as_constant().map(Value::to_bool))
    }
}

fn fold_deeply(mut expression: Expression, folder: &mut Folder<'_>) -> Result<Expression> {
    expression.change_children(&mut |child| {
        let inner = std::mem::replace(child, Expression::Constant(Value::Null));
        *child = fold_deeply(inner, folder)?;
        Ok(true)
    })?;
    folder.fold(expression)
}

/// Returns the single element of the path that the condition is about, and its position.
fn only_element(condition: &Expression, path: VariableId) -> Option<(PathElement, u64)> {
    let mut found = None;
    collect_elements(condition, path, &mut found).then_some(found?)
}

/// Finds the element. Returns false if the path is read in another way, or at different positions.
fn collect_elements(
    expression: &Expression,
    path: VariableId,
    found: &mut Option<(PathElement, u64)>,
) -> bool {
    if let Some((element, position)) = as_element_at(expression, path) {
        let Ok(position) = u64::try_from(position) else { return false };
        return *found.get_or_insert((element, position)) == (element, position);
    }
    if expression.as_variable() == Some(path) {
        return false;
    }
    let mut only = true;
    expression.for_each_child(&mut |child| only = only && collect_elements(child, path, found));
    only
}
