//! Lowering: an operator for each node of a plan, connected in the order of the pipeline.
//!
//! Every variable has the register of its own number. Each operator that multiplies or keeps rows is told which
//! registers are read after it, and carries no others along.

mod collect;
mod fuse;
mod liveness;
mod modification;
mod scan;

use crate::context::ExecutionContext;
use crate::operator::{
    CalculationOperator, Condition, EnumerateListOperator, FilterOperator, LimitOperator, ListInput,
    NoResultsOperator, Operator, Outer, SingletonOperator, SortKey, SortOperator, SubqueryMode,
    SubqueryOperator, SubqueryParts,
};
use crate::profile::Profiled;
use aql_plan::{
    EnumerateList, Expression, Node, NodeKind, Plan, RegisterMap, Sort, Subquery, VariableId, VariableSet,
    compile,
};
use aql_value::{Error, Program, Register, Result};
use fuse::{Fused, fuse};
use liveness::live_after;

/// A plan made ready to run.
pub(crate) struct Lowered {
    pub(crate) root: Box<dyn Operator>,
    /// Register of the query's results; `None` for a query without RETURN.
    pub(crate) result: Option<Register>,
    /// A statement has the option `waitForSync`.
    pub(crate) wait_for_sync: bool,
}

/// Lowers a plan. With `profile_nodes` every node gets an operator of its own, with a clock around it.
pub(crate) fn lower(plan: &Plan, context: &mut ExecutionContext, profile_nodes: bool) -> Result<Lowered> {
    let mut lowering = Lowering {
        plan,
        context,
        profile_nodes,
        registers: RegisterMap::identity(&plan.variables),
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

/// What a pipeline is part of.
#[derive(Default)]
struct Surroundings {
    /// Registers that are carried along besides variables: the numbers of outer rows.
    numbers: Vec<Register>,
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
}

impl Lowering<'_> {
    fn pipeline(&mut self, nodes: &[Node], surroundings: &Surroundings) -> Result<Pipeline> {
        let fused = fuse(nodes, !self.profile_nodes);
        let live = live_after(nodes, &fused);
        let mut root: Box<dyn Operator> = Box::new(SingletonOperator::new());
        let mut result = None;
        let mut has_written = false;
        for ((node, fused), live) in nodes.iter().zip(fused).zip(live) {
            if let NodeKind::Return(node) = &node.kind {
                result = Some(self.register(node.input)?);
            }
            let carry = self.carry(&live, surroundings);
            let step = Step { node, input: root, carry };
            root = match fused {
                Fused::Skip => step.input,
                Fused::Node => self.operator(step, has_written)?,
                Fused::Filter(expression) => {
                    let condition = Condition::Program(self.compile(expression)?);
                    Box::new(FilterOperator::new(step.input, condition))
                }
                Fused::Range { list, first, last } => {
                    let input = ListInput::Range { low: self.compile(first)?, high: self.compile(last)? };
                    self.enumerate_list(step, list, input)?
                }
            };
            if self.profile_nodes {
                root = Box::new(Profiled::new(root, node.id, &mut self.context.profile));
            }
            has_written |= node.kind.is_modification();
        }
        Ok(Pipeline { root, result })
    }

    fn operator(&mut self, step: Step<'_>, has_written: bool) -> Result<Box<dyn Operator>> {
        Ok(match &step.node.kind {
            NodeKind::Singleton | NodeKind::Return(_) => step.input,
            NodeKind::NoResults => Box::new(NoResultsOperator),
            NodeKind::EnumerateCollection(scan) => self.enumerate_collection(step.input, step.carry, scan)?,
            NodeKind::Index(scan) => self.index_scan(step.input, step.carry, scan)?,
            NodeKind::EnumerateList(list) => {
                let input = ListInput::Array(self.register(list.input)?);
                self.enumerate_list(step, list, input)?
            }
            NodeKind::Calculation(calculation) => {
                let program = self.compile(&calculation.expression)?;
                Box::new(CalculationOperator::new(step.input, program, self.register(calculation.out)?))
            }
            NodeKind::Subquery(subquery) => self.subquery(step, subquery)?,
            NodeKind::Filter { condition } => {
                let condition = Condition::Register(self.register(*condition)?);
                Box::new(FilterOperator::new(step.input, condition))
            }
            NodeKind::Sort(sort) => self.sort(step, sort)?,
            NodeKind::Limit(limit) => Box::new(LimitOperator::new(step.input, limit, has_written)),
            NodeKind::Collect(collect) => self.collect(step.input, step.carry, collect)?,
            NodeKind::Insert(node) => self.insert(step.input, node)?,
            NodeKind::Update(node) => self.update(step.input, node)?,
            NodeKind::Remove(node) => self.remove(step.input, node)?,
            NodeKind::Upsert(node) => self.upsert(step.input, node)?,
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
        let outer = Outer::new(step.input, carry.into());
        Ok(Box::new(EnumerateListOperator::new(outer, input, self.register(list.out)?, filter)))
    }

    fn sort(&self, step: Step<'_>, sort: &Sort) -> Result<Box<dyn Operator>> {
        let mut keys = Vec::with_capacity(sort.elements.len());
        for element in &sort.elements {
            keys.push(SortKey { register: self.register(element.input)?, ascending: element.ascending });
        }
        Ok(Box::new(SortOperator::new(step.input, keys.into(), step.carry, sort.limit)))
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
            SubqueryMode::Batched { ordinal } => Surroundings { numbers: vec![ordinal] },
            _ => Surroundings::default(),
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

    /// The registers of the live variables, and of the numbers of outer rows.
    fn carry(&self, live: &VariableSet, surroundings: &Surroundings) -> Box<[Register]> {
        let mut carry = self.registers_of(live).into_vec();
        carry.extend_from_slice(&surroundings.numbers);
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

/// Whether a node gives for each row, whatever others there are, the same rows in the same order: such pipelines can run
/// for many outer rows at once.
fn treats_rows_alone(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Singleton
        | NodeKind::EnumerateList(_)
        | NodeKind::Calculation(_)
        | NodeKind::Filter { .. }
        | NodeKind::Return(_) => true,
        NodeKind::EnumerateCollection(scan) => !scan.random,
        NodeKind::Index(_) => true,
        NodeKind::Subquery(_) => !node.kind.is_modification(),
        _ => false,
    }
}
