//! Building: the statements of a bound query become the nodes of a linear pipeline, one to one and
//! in their order.

mod modification;
#[cfg(test)]
mod tests;

use aql_value::Value;
use errors::Result;

use crate::bind::{Bound, CollectStatement, ForCollection, ForView, IntoExpression, SortKey, Statement};
use crate::error;
use crate::expression::Expression;
use crate::node::{
    AggregateFunction, Calculation, Collect, CollectAggregate, CollectGroup, CollectInto, CollectMethod,
    CollectionScan, DocumentSource, EnumerateList, EnumerateView, Filter, IntoContent, Limit, Node, NodeId,
    NodeKind, Return, Sort, SortElement, Subquery,
};
use crate::plan::Plan;
use crate::variable::{VariableId, Variables};

/// Maximum number of nodes that a plan may have when it is built (ArangoDB's limit).
pub const MAX_NODES: usize = 4000;

/// Builds the plan of a bound query.
///
/// With `full_count`, the last LIMIT of the outermost level counts the rows that it cuts off.
///
/// # Errors
/// 1524 if the plan would have more than [`MAX_NODES`] nodes.
pub fn build(bound: Bound, full_count: bool) -> Result<Plan> {
    let mut builder = Builder { variables: bound.variables, nodes: Vec::new(), next_node_id: 1 };
    let mut nodes = builder.pipeline(bound.statements)?;
    builder.number_vertices(&mut nodes);
    if full_count {
        let limit = nodes.iter_mut().rev().find_map(|node| match &mut node.kind {
            NodeKind::Limit(limit) => Some(limit),
            _ => None,
        });
        limit.into_iter().for_each(|limit| limit.full_count = true);
    }
    let mut plan = Plan {
        nodes,
        variables: builder.variables,
        collections: bound.collections,
        is_modification: bound.is_modification,
        is_cacheable: false,
        ruled_collections: bound.ruled,
        parameters: bound.parameters,
        rules_applied: Vec::new(),
        warnings: bound.warnings,
        next_node_id: builder.next_node_id,
    };
    plan.is_cacheable = plan.compute_cacheable();
    Ok(plan)
}

/// The number of a node that gets its own at the end.
const UNNUMBERED: NodeId = NodeId(0);

struct Builder {
    variables: Variables,
    /// The pipeline being built.
    nodes: Vec<Node>,
    next_node_id: u32,
}

impl Builder {
    /// Builds the nodes of a (sub)query.
    fn pipeline(&mut self, statements: Vec<Statement>) -> Result<Vec<Node>> {
        let outer = std::mem::take(&mut self.nodes);
        self.add(NodeKind::Singleton)?;
        statements.into_iter().try_for_each(|statement| self.statement(statement))?;
        Ok(std::mem::replace(&mut self.nodes, outer))
    }

    fn add(&mut self, kind: NodeKind) -> Result<()> {
        if self.next_node_id as usize > MAX_NODES {
            return Err(error::too_much_nesting("the query needs too many execution nodes"));
        }
        let id = NodeId(self.next_node_id);
        self.next_node_id += 1;
        self.nodes.push(Node { id, kind, prefetches: false, estimated_cost: 0.0, estimated_items: 0 });
        Ok(())
    }

    fn statement(&mut self, statement: Statement) -> Result<()> {
        match statement {
            Statement::ForCollection(statement) => self.for_collection(*statement),
            Statement::ForView(statement) => self.for_view(*statement),
            Statement::ForList { out, list } => {
                let input = self.variable(list)?;
                self.add(NodeKind::EnumerateList(EnumerateList { input, out, filter: None, object: None }))
            }
            Statement::Traversal(node) => self.add(NodeKind::Traversal(node)),
            Statement::ShortestPath(node) => self.add(NodeKind::ShortestPath(node)),
            Statement::EnumeratePaths(node) => self.add(NodeKind::EnumeratePaths(node)),
            Statement::Window(window) => self.add(NodeKind::Window(window)),
            Statement::Let { out, value } => self.calculation(out, value),
            Statement::Vertex { out, value } => self.vertex(out, value),
            Statement::Subquery { out, body, run_if } => {
                let nodes = self.pipeline(body)?;
                self.add(NodeKind::Subquery(Subquery { out, nodes, run_if, is_constant: false }))
            }
            Statement::Filter(condition) => self.filter(condition),
            Statement::Rule(condition) => self.rule(condition),
            Statement::Sort(keys) => self.sort(keys),
            Statement::Limit { offset, limit } => {
                self.add(NodeKind::Limit(Limit { offset, limit, full_count: false }))
            }
            Statement::Collect(statement) => self.collect(*statement),
            Statement::Return { value, distinct } => self.return_value(value, distinct),
            Statement::Insert(statement) => self.insert(*statement),
            Statement::Update(statement) => self.update(*statement),
            Statement::Remove(statement) => self.remove(*statement),
            Statement::Upsert(statement) => self.upsert(*statement),
        }
    }

    fn calculation(&mut self, out: VariableId, expression: Expression) -> Result<()> {
        self.add(NodeKind::Calculation(Calculation { out, expression }))
    }

    /// Computes a constant vertex of a search.
    ///
    /// The calculation is as far up as its variable is visible, so that no rule has to move it.
    /// Its number comes after those of all nodes that clients see.
    fn vertex(&mut self, out: VariableId, expression: Expression) -> Result<()> {
        self.calculation(out, expression)?;
        self.next_node_id -= 1;
        if let Some(node) = self.nodes.pop() {
            let starts_rows = |node: &Node| matches!(node.kind, NodeKind::Singleton | NodeKind::Collect(_));
            let top = self.nodes.iter().rposition(starts_rows).map_or(0, |start| start + 1);
            let vertices = self.nodes.iter().skip(top).take_while(|before| before.id == UNNUMBERED).count();
            self.nodes.insert(top + vertices, Node { id: UNNUMBERED, ..node });
        }
        Ok(())
    }

    fn number_vertices(&mut self, nodes: &mut [Node]) {
        for node in nodes {
            if node.id == UNNUMBERED {
                node.id = NodeId(self.next_node_id);
                self.next_node_id += 1;
            }
            if let NodeKind::Subquery(subquery) = &mut node.kind {
                self.number_vertices(&mut subquery.nodes);
            }
        }
    }

    /// Returns the variable that holds the expression's value: the expression itself, or a new one.
    fn variable(&mut self, expression: Expression) -> Result<VariableId> {
        if let Some(id) = expression.as_variable() {
            return Ok(id);
        }
        let out = self.variables.add_temporary();
        self.calculation(out, expression)?;
        Ok(out)
    }

    fn for_collection(&mut self, statement: ForCollection) -> Result<()> {
        let source = DocumentSource::new(statement);
        self.add(NodeKind::EnumerateCollection(Box::new(CollectionScan { source, random: false })))
    }

    /// Errors: 1501 if a subquery of the condition reads the document, which is found later.
    fn for_view(&mut self, statement: ForView) -> Result<()> {
        let ForView { out, view, condition, options } = statement;
        if self.nodes.iter().any(|node| node.kind.reads().contains(out)) {
            return Err(error::parse("a subquery in a SEARCH condition cannot read the document"));
        }
        let search = EnumerateView::new(view, out, condition, options);
        self.add(NodeKind::EnumerateView(Box::new(search)))
    }

    /// Adds a filter by the rules of a collection.
    fn rule(&mut self, condition: Expression) -> Result<()> {
        let before = self.nodes.len();
        self.filter(condition)?;
        for node in self.nodes.iter_mut().skip(before) {
            if let NodeKind::Filter(filter) = &mut node.kind {
                filter.is_rule = true;
            }
        }
        Ok(())
    }

    /// Adds a filter without the constant operands of its condition.
    fn filter(&mut self, condition: Expression) -> Result<()> {
        let mut open = Vec::new();
        self.conjuncts(condition, &mut open)?;
        self.filter_by_all(open)
    }

    /// Collects the operands that are not constants. The parser bounds the depth of conditions.
    fn conjuncts(&mut self, condition: Expression, open: &mut Vec<Expression>) -> Result<()> {
        match condition {
            Expression::Constant(value) if value.to_bool() => Ok(()),
            Expression::Constant(_) => {
                // The operands before are evaluated, since they may warn.
                self.filter_by_all(std::mem::take(open))?;
                self.add(NodeKind::NoResults)
            }
            Expression::And(conditions) => {
                conditions.into_iter().try_for_each(|condition| self.conjuncts(condition, open))
            }
            condition => {
                open.push(condition);
                Ok(())
            }
        }
    }

    fn filter_by_all(&mut self, conditions: Vec<Expression>) -> Result<()> {
        let Some(condition) = Expression::conjunction(conditions) else { return Ok(()) };
        let condition = self.variable(condition)?;
        self.add(NodeKind::Filter(Filter::new(condition)))
    }

    fn sort(&mut self, keys: Vec<SortKey>) -> Result<()> {
        let mut elements = Vec::with_capacity(keys.len());
        for key in keys {
            elements.push(SortElement { input: self.variable(key.value)?, ascending: key.ascending });
        }
        self.add(NodeKind::Sort(Sort { elements, grouped: 0, stable: false, limit: None }))
    }

    fn collect(&mut self, statement: CollectStatement) -> Result<()> {
        let mut groups = Vec::with_capacity(statement.groups.len());
        for (out, key) in statement.groups {
            groups.push(CollectGroup { out, input: self.variable(key)? });
        }
        let mut aggregates = Vec::with_capacity(statement.aggregates.len());
        for (out, function, input) in statement.aggregates {
            let input = input.map(|input| self.variable(input)).transpose()?;
            aggregates.push(CollectAggregate { out, input, function });
        }
        let into = match statement.into {
            None => None,
            Some((out, IntoExpression::Object(variables))) => {
                Some(CollectInto { out, content: IntoContent::Object(variables) })
            }
            Some((out, IntoExpression::Expression(expression))) => {
                Some(CollectInto { out, content: IntoContent::Variable(self.variable(expression)?) })
            }
        };
        let is_count = matches!(&*aggregates, [only] if only.function == AggregateFunction::Length);
        let method = match groups.is_empty() {
            true if is_count && into.is_none() => CollectMethod::Count,
            true => CollectMethod::Sorted,
            false => CollectMethod::Hash,
        };
        self.add(NodeKind::Collect(Box::new(Collect {
            groups,
            aggregates,
            into,
            kept: statement.kept,
            method,
            is_distinct_command: false,
            disable_index: statement.disable_index,
            requested_method: statement.method,
        })))
    }

    fn return_value(&mut self, value: Expression, distinct: bool) -> Result<()> {
        let mut input = self.variable(value)?;
        if distinct {
            let out = self.variables.add_temporary();
            self.add(NodeKind::Collect(Box::new(Collect {
                groups: vec![CollectGroup { out, input }],
                aggregates: Vec::new(),
                into: None,
                kept: Vec::new(),
                method: CollectMethod::Distinct,
                is_distinct_command: true,
                disable_index: false,
                requested_method: None,
            })))?;
            input = out;
        }
        self.add(NodeKind::Return(Return { input }))
    }
}

impl DocumentSource {
    fn new(statement: ForCollection) -> Self {
        Self {
            collection: statement.collection,
            out: statement.out,
            projections: Vec::new(),
            filter: None,
            filter_projections: Vec::new(),
            produces_result: true,
            count_into: None,
            read_own_writes: false,
            use_cache: statement.options.use_cache,
            max_projections: statement.options.max_projections,
            hint: statement.options.hint,
            limit: None,
        }
    }
}

/// Returns `base[position]`.
fn element_at(base: VariableId, position: i64) -> Expression {
    let index = Box::new(Expression::Constant(Value::Int(position)));
    Expression::Index { base: Box::new(Expression::Variable(base)), index }
}
