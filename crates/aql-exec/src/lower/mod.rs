//! Lowering: an operator for each node of a plan, connected in the order of the pipeline.
//!
//! Every variable has the register of its own number. Each operator that multiplies or keeps rows
//! knows the registers that are read after it, and carries no others.

mod collect;
mod fuse;
mod graph;
mod hash_join;
mod late;
mod liveness;
mod modification;
mod scan;
mod parallel;
mod view;
mod window;

use std::sync::Arc;

use aql_plan::{
    EnumerateList, Expression, Filter, JoinPart, Node, NodeKind, Plan, RegisterMap, Sort, Subquery,
    VariableId, VariableSet, compile,
};
use aql_value::{Program, Register, Value};
use errors::{Error, ErrorCode, Result};

use crate::context::ExecutionContext;
use crate::operator::{
    EnumerateListOperator, EnumerateObjectOperator, GroupedSortOperator, Input, LimitOperator, ListInput,
    Located, NoResultsOperator, Operator, OuterRows, Profiled, RowAction, RowStep, RowStepsOperator,
    SingletonOperator, SortKey, SortOperator, SortOrder, SubqueryMode, SubqueryOperator, SubqueryParts,
};
use fuse::{Fused, fuse};
use liveness::live_after;
use parallel::unfuse_count;

/// A lowered plan.
pub(crate) struct Lowered {
    pub(crate) root: Box<dyn Operator>,
    /// Register of the query's results; `None` for a query without RETURN.
    pub(crate) result: Option<Register>,
    /// True if a statement has the option `waitForSync`.
    pub(crate) wait_for_sync: bool,
}

/// Lowers a plan, with the values of its open parameters as constants.
///
/// With `profile_nodes` every node gets its own operator with a clock around it.
pub(crate) fn lower(
    plan: &Plan,
    context: &mut ExecutionContext,
    parameters: Arc<[Value]>,
    profile_nodes: bool,
) -> Result<Lowered> {
    debug_assert_eq!(plan.broken_invariant(), None, "a plan that nodes cannot be lowered from");
    let mut lowering = Lowering {
        plan,
        context,
        profile_nodes,
        registers: RegisterMap::identity(&plan.variables, parameters),
        next_register: plan.variables.len(),
        wait_for_sync: false,
    };
    let pipeline = lowering.pipeline(&plan.nodes, &Surroundings::default())?;
    Ok(Lowered { root: pipeline.root, result: pipeline.result, wait_for_sync: lowering.wait_for_sync })
}

struct Lowering<'a> {
    plan: &'a Plan,
    context: &'a mut ExecutionContext,
    profile_nodes: bool,
    registers: RegisterMap,
    /// The next register that no variable has.
    next_register: Register,
    wait_for_sync: bool,
}

/// Maximum number of operators in a chain, those around a subquery included.
///
/// Each takes about a kilobyte of stack, and threads have two megabytes. A thousand nested loops
/// fit.
const MAX_DEPTH: usize = 1200;

/// Levels that the operator of a subquery counts for, besides the operators of its pipeline.
const SUBQUERY_DEPTH: usize = 3;

/// The surroundings of a pipeline.
#[derive(Default)]
struct Surroundings {
    /// Register carried besides variables: the number of the outer row.
    number: Option<Register>,
    /// Number of operators whose calls are on the stack when the pipeline is called.
    depth: usize,
}

struct Pipeline {
    root: Box<dyn Operator>,
    result: Option<Register>,
}

/// A node on its way to an operator.
struct Step<'a> {
    node: &'a Node,
    input: Box<dyn Operator>,
    /// Registers read by the nodes after it.
    carry: Box<[Register]>,
    /// Number of operators whose calls are on the stack when a pipeline within the node is called.
    inner_depth: usize,
}

impl Lowering<'_> {
    fn pipeline(&mut self, nodes: &[Node], surroundings: &Surroundings) -> Result<Pipeline> {
        let mut depth = surroundings.depth;
        let mut fused = fuse(nodes, !self.profile_nodes, &self.context.interrupt)?;
        let mut live = live_after(nodes, &fused);
        let span = self.parallel_span(nodes, &fused, &live, surroundings);
        if let Some(span) = &span {
            unfuse_count(&mut fused, span);
            live = live_after(nodes, &fused);
        }
        let mut root: Box<dyn Operator> = Box::new(SingletonOperator::new());
        let mut result = None;
        let mut has_written = false;
        let mut steps = Vec::new();
        for (position, ((node, own_fused), own_live)) in nodes.iter().zip(&fused).zip(&live).enumerate() {
            self.context.interrupt.check()?;
            if let Some(span) = span.as_ref().filter(|span| span.contains(&position)) {
                if position == *span.start() {
                    root = with_steps(root, &mut steps, &mut depth)?;
                    root = self.parallel_segment(root, nodes, &fused, &live, span, surroundings)?;
                    deepen(&mut depth)?;
                }
                continue;
            }
            if let NodeKind::Return(node) = &node.kind {
                result = Some(self.register(node.input)?);
            }
            match self.row_step(node, *own_fused)? {
                Some(step) => steps.extend(step),
                None => {
                    root = with_steps(root, &mut steps, &mut depth)?;
                    let carry = self.carry(own_live, surroundings);
                    let inner_depth = surroundings.depth + calls_on_stack(nodes);
                    let step = Step { node, input: root, carry, inner_depth };
                    root = Box::new(Located::new(self.operator(step, *own_fused, has_written)?, node.id));
                    deepen(&mut depth)?;
                }
            }
            if self.profile_nodes && !nodes.get(position + 1).is_some_and(is_joined) {
                root = with_steps(root, &mut steps, &mut depth)?;
                root = Box::new(Profiled::new(root, node.id, &mut self.context.profile));
            }
            has_written |= node.kind.is_modification();
        }
        root = with_steps(root, &mut steps, &mut depth)?;
        Ok(Pipeline { root, result })
    }

    /// Returns the node as steps of an operator for several nodes: none, or one.
    ///
    /// `None` for nodes with their own operators.
    fn row_step(&self, node: &Node, fused: Fused<'_>) -> Result<Option<Option<RowStep>>> {
        let (node, action) = match (fused, &node.kind) {
            (Fused::Skip, _) | (_, NodeKind::Singleton | NodeKind::Return(_)) => return Ok(Some(None)),
            (Fused::Filter { calculation, condition }, _) => {
                (calculation, RowAction::FilterByProgram(self.compile(condition)?))
            }
            (Fused::Node, NodeKind::Filter(Filter { condition, .. })) => {
                (node.id, RowAction::FilterByRegister(self.register(*condition)?))
            }
            (Fused::Node, NodeKind::Calculation(calculation)) => {
                let program = self.compile(&calculation.expression)?;
                (node.id, RowAction::Calculate { program, out: self.register(calculation.out)? })
            }
            _ => return Ok(None),
        };
        Ok(Some(Some(RowStep { node, action })))
    }

    fn operator(&mut self, step: Step<'_>, fused: Fused<'_>, has_written: bool) -> Result<Box<dyn Operator>> {
        if let Fused::Range { list, first, last } = fused {
            let input = ListInput::Range { low: self.compile(first)?, high: self.compile(last)? };
            return self.enumerate_list(step, list, input);
        }
        if let Fused::Rows { list, function, arguments } = fused {
            let arguments = arguments.iter().map(|argument| self.compile(argument)).collect::<Result<_>>()?;
            return self.enumerate_list(step, list, ListInput::Rows { function, arguments });
        }
        let count = match fused {
            Fused::CountedScan { count } => Some(count),
            _ => None,
        };
        Ok(match &step.node.kind {
            NodeKind::NoResults => Box::new(NoResultsOperator),
            NodeKind::EnumerateCollection(scan) => {
                self.enumerate_collection(step.input, step.carry, scan, count)?
            }
            NodeKind::Index(scan) => self.index_scan(step.input, step.carry, scan, count)?,
            NodeKind::NearVector(node) => self.near_vector(step, node)?,
            NodeKind::EnumerateView(node) => self.enumerate_view(step, node)?,
            NodeKind::EnumerateList(EnumerateList { input, object: Some(members), .. }) => {
                let (key, value) = (self.register(members.key)?, self.register(members.value)?);
                let outer = OuterRows::new(step.input, step.carry);
                Box::new(EnumerateObjectOperator::new(outer, self.register(*input)?, key, value))
            }
            NodeKind::EnumerateList(list) => {
                let input = ListInput::Array(self.register(list.input)?);
                self.enumerate_list(step, list, input)?
            }
            NodeKind::Subquery(subquery) => self.subquery(step, subquery)?,
            NodeKind::Sort(sort) => self.sort(Input::Serial(step.input), step.carry, sort)?,
            NodeKind::Limit(limit) => Box::new(LimitOperator::new(step.input, limit, has_written)),
            NodeKind::Traversal(node) => self.traversal(step, node)?,
            NodeKind::ShortestPath(node) => self.shortest_path(step, node)?,
            NodeKind::EnumeratePaths(node) => self.enumerate_paths(step, node)?,
            NodeKind::Window(node) => self.window(step, node)?,
            NodeKind::Collect(collect) => self.collect(Input::Serial(step.input), step.carry, collect)?,
            NodeKind::IndexCollect(node) => self.index_collect(step, node)?,
            NodeKind::Materialize(node) => self.materialize(step, node)?,
            NodeKind::Insert(node) => self.insert(step.input, node)?,
            NodeKind::Update(node) => self.update(step.input, node)?,
            NodeKind::Remove(node) => self.remove(step.input, node)?,
            NodeKind::Upsert(node) => self.upsert(step.input, node)?,
            NodeKind::Singleton | NodeKind::Return(_) | NodeKind::Calculation(_) | NodeKind::Filter(_) => {
                return Err(Error::internal("a node without an operator of its own was given one"));
            }
        })
    }

    fn enumerate_list(
        &self,
        step: Step<'_>,
        list: &EnumerateList,
        input: ListInput,
    ) -> Result<Box<dyn Operator>> {
        let filter = list.filter.as_ref().map(|filter| self.compile(filter)).transpose()?;
        let mut carry = step.carry.into_vec();
        if let Some(filter) = &filter {
            carry.extend_from_slice(filter.registers_read());
        }
        let outer = OuterRows::new(step.input, carry.into());
        Ok(Box::new(EnumerateListOperator::new(outer, input, self.register(list.out)?, filter)))
    }

    fn sort(&self, input: Input, carry: Box<[Register]>, sort: &Sort) -> Result<Box<dyn Operator>> {
        let mut keys = Vec::with_capacity(sort.elements.len());
        for element in &sort.elements {
            keys.push(SortKey { register: self.register(element.input)?, ascending: element.ascending });
        }
        let limit = sort.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let order = SortOrder { keys: keys.into(), carry, limit };
        Ok(match (sort.grouped, input) {
            (0, input) => Box::new(SortOperator::new(input, order)),
            (grouped, Input::Serial(input)) => Box::new(GroupedSortOperator::new(input, order, grouped)),
            (_, Input::Parallel(_)) => return Err(Error::internal("a sort that threads cannot share")),
        })
    }

    fn subquery(&mut self, step: Step<'_>, subquery: &Subquery) -> Result<Box<dyn Operator>> {
        let mode = if subquery.is_constant {
            SubqueryMode::Once
        } else if subquery.nodes.iter().all(treats_rows_alone) {
            self.next_register += 1;
            SubqueryMode::Batched { ordinal: self.next_register - 1 }
        } else {
            SubqueryMode::PerRow
        };
        let inner = match mode {
            SubqueryMode::Batched { ordinal } => {
                Surroundings { number: Some(ordinal), depth: step.inner_depth }
            }
            _ => Surroundings { number: None, depth: step.inner_depth },
        };
        let reads = self.registers_of(&step.node.kind.reads());
        let pipeline = self.pipeline(&subquery.nodes, &inner)?;
        let parts = SubqueryParts {
            pipeline: pipeline.root,
            result: pipeline.result,
            reads,
            out: self.register(subquery.out)?,
            run_if: subquery.run_if.map(|id| self.register(id)).transpose()?,
            mode,
        };
        Ok(Box::new(SubqueryOperator::new(step.input, parts)))
    }

    /// Returns the registers of the live variables, and of the numbers of outer rows.
    fn carry(&self, live: &VariableSet, surroundings: &Surroundings) -> Box<[Register]> {
        let mut carry = self.registers_of(live).into_vec();
        carry.extend(surroundings.number);
        carry.into()
    }

    fn registers_of(&self, variables: &VariableSet) -> Box<[Register]> {
        let contained = self.plan.variables.iter().filter(|variable| variables.contains(variable.id));
        contained.filter_map(|variable| self.registers.get(variable.id)).collect()
    }

    fn register(&self, variable: VariableId) -> Result<Register> {
        self.registers
            .get(variable)
            .ok_or_else(|| Error::internal("a node names a variable that the plan does not have"))
    }

    fn compile(&self, expression: &Expression) -> Result<Program> {
        compile(expression, &self.registers)
    }
}

/// Adds an operator for the collected steps, if there are any.
fn with_steps(
    input: Box<dyn Operator>,
    steps: &mut Vec<RowStep>,
    depth: &mut usize,
) -> Result<Box<dyn Operator>> {
    if steps.is_empty() {
        return Ok(input);
    }
    deepen(depth)?;
    Ok(Box::new(RowStepsOperator::new(input, std::mem::take(steps))))
}

/// Counts an operator. Operators call each other, so the stack bounds their number.
fn deepen(depth: &mut usize) -> Result<()> {
    *depth += 1;
    if *depth <= MAX_DEPTH {
        return Ok(());
    }
    let message = format!(
        "resource limit exceeded: the operators of the query are nested deeper than {MAX_DEPTH} levels"
    );
    Err(Error::new(ErrorCode::ResourceLimit, message))
}

/// Returns the number of operators whose calls may be on the stack while a subquery in them runs.
fn calls_on_stack(nodes: &[Node]) -> usize {
    let has_operator = |node: &&Node| {
        !matches!(
            node.kind,
            NodeKind::Singleton | NodeKind::Return(_) | NodeKind::Calculation(_) | NodeKind::Filter(_)
        )
    };
    nodes.iter().filter(has_operator).count() + SUBQUERY_DEPTH
}

/// Returns true if clients see the node as one with the node before.
fn is_joined(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::Index(scan) if scan.join == JoinPart::Next)
}

/// Returns true if a node maps each row to the same rows in the same order, whatever other rows
/// there are.
///
/// Pipelines of such nodes can run for many outer rows together.
fn treats_rows_alone(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Singleton
        | NodeKind::EnumerateList(_)
        | NodeKind::Calculation(_)
        | NodeKind::Filter(_)
        | NodeKind::Materialize(_)
        | NodeKind::Return(_) => true,
        NodeKind::EnumerateCollection(scan) => !scan.random,
        NodeKind::Index(_)
        | NodeKind::NearVector(_)
        | NodeKind::EnumerateView(_)
        | NodeKind::Traversal(_)
        | NodeKind::ShortestPath(_)
        | NodeKind::EnumeratePaths(_) => true,
        NodeKind::Subquery(_) => !node.kind.is_modification(),
        _ => false,
    }
}
