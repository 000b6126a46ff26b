//! Binding of traversals and path searches.

mod depth;
mod index_hint;
mod options;
mod restriction;
mod source;

use aql_syntax::ast::{self, Identifier, PathSearchKind};
use aql_syntax::walk;
use aql_value::Value;
use errors::Result;

use super::{Binder, Statement};
use crate::error;
use crate::expression::Expression;
use crate::node::{EnumeratePaths, EnumeratePathsKind, PathOutput, Prune, ShortestPath, Traversal};
use crate::parameters::ParameterShape;
use crate::variable::VariableId;

impl Binder<'_> {
    pub(super) fn traversal(&mut self, statement: &ast::Traversal) -> Result<()> {
        self.refuse_after_modification("traversal")?;
        let (min_depth, max_depth) = self.depths(statement.depth.as_ref())?;
        let start = self.vertex(&statement.start)?;
        let mut graph = self.graph_source(&statement.graph, statement.direction)?;
        let options = self.traversal_options(statement.options.as_ref(), &mut graph)?;
        self.scopes.enter_loop();
        let vertex = self.declare_document(&statement.vertex)?;
        let edge = statement.edge.as_ref().map(|edge| self.declare_document(edge)).transpose()?;
        let path = statement.path.as_ref().map(|path| self.declare_path(path)).transpose()?;
        let prune = match &statement.prune {
            Some(prune) => Some(self.prune(prune, vertex, edge, path)?),
            None => None,
        };
        self.output.push(Statement::Traversal(Box::new(Traversal {
            graph,
            start,
            min_depth,
            max_depth,
            vertex_out: Some(vertex),
            edge_out: edge,
            path,
            vertex_projections: Vec::new(),
            edge_projections: Vec::new(),
            projected: (None, None),
            prune,
            conditions: Vec::new(),
            covered: Vec::new(),
            output_filter: None,
            options,
        })));
        Ok(())
    }

    /// Returns the variable of the vertex where a search begins or ends.
    ///
    /// Errors: 1501 for a literal or the value of a parameter that can be no vertex.
    fn vertex(&mut self, vertex: &ast::Expression) -> Result<VariableId> {
        let value = self.expression(vertex)?;
        let is_written = !matches!(vertex.kind, ast::ExpressionKind::Reference(_));
        if is_written && value.as_constant().is_some_and(is_not_a_vertex) {
            let message = "invalid vertex, which must be the _id of a document or an object with one";
            return Err(error::parse(message).in_stage(error::INSTANTIATING));
        }
        let is_known = match &value {
            Expression::Constant(value) => value.as_str().is_some(),
            Expression::Parameter(parameter) => parameter.shape == ParameterShape::String,
            _ => false,
        };
        if !is_known {
            return Ok(self.materialize(value));
        }
        let out = self.variables.add_vertex();
        self.output.push(Statement::Vertex { out, value });
        Ok(out)
    }

    /// Binds PRUNE. Its condition may read the variables that the traversal sets. The parser has
    /// refused subqueries in it.
    fn prune(
        &mut self,
        prune: &ast::Prune,
        vertex: VariableId,
        edge: Option<VariableId>,
        path: Option<PathOutput>,
    ) -> Result<Prune> {
        if calls_javascript(&prune.condition) {
            return Err(error::parse("prune condition must not use JavaScript functions"));
        }
        let condition = self.expression(&prune.condition)?;
        let out = match &prune.variable {
            Some(name) => Some(self.scopes.declare(&name.name, &mut self.variables)?),
            None => None,
        };
        let reads = |id: &VariableId| condition.reads(*id);
        Ok(Prune {
            vertex: Some(vertex).filter(reads),
            edge: edge.filter(reads),
            path: path.filter(|path| condition.reads(path.out)),
            condition,
            out,
        })
    }

    pub(super) fn path_search(&mut self, statement: &ast::PathSearch) -> Result<()> {
        self.refuse_after_modification(match statement.kind {
            PathSearchKind::ShortestPath => "shortest path",
            PathSearchKind::KShortestPaths => "k shortest paths",
            PathSearchKind::KPaths => "k paths",
            PathSearchKind::AllShortestPaths => "all shortest paths",
        })?;
        let (min_depth, max_depth) = self.depths(statement.depth.as_ref())?;
        let start = self.vertex(&statement.start)?;
        let target = self.vertex(&statement.target)?;
        let graph = self.graph_source(&statement.graph, statement.direction)?;
        let options = self.path_search_options(statement.options.as_ref(), statement.kind)?;
        self.scopes.enter_loop();
        let kind = match statement.kind {
            PathSearchKind::ShortestPath => {
                let vertex_out = Some(self.declare_document(&statement.output)?);
                let edge_out = statement.edge.as_ref().map(|edge| self.declare_document(edge)).transpose()?;
                let node = ShortestPath { graph, start, target, vertex_out, edge_out, options };
                self.output.push(Statement::ShortestPath(Box::new(node)));
                return Ok(());
            }
            PathSearchKind::KShortestPaths => EnumeratePathsKind::KShortestPaths,
            PathSearchKind::KPaths => EnumeratePathsKind::KPaths,
            PathSearchKind::AllShortestPaths => EnumeratePathsKind::AllShortestPaths,
        };
        let path = self.declare_path(&statement.output)?;
        self.output.push(Statement::EnumeratePaths(Box::new(EnumeratePaths {
            kind,
            graph,
            start,
            target,
            min_depth,
            max_depth,
            path,
            conditions: Vec::new(),
            covered: Vec::new(),
            options,
        })));
        Ok(())
    }

    /// Refuses a search after a modification: its vertices are unknown before it runs, so it might
    /// read modified collections.
    fn refuse_after_modification(&self, what: &str) -> Result<()> {
        if self.sources.has_modified() {
            return Err(error::access_after_modification(what));
        }
        Ok(())
    }

    fn declare_document(&mut self, name: &Identifier) -> Result<VariableId> {
        let id = self.scopes.declare(&name.name, &mut self.variables)?;
        self.set_full_document(id);
        Ok(id)
    }

    /// Declares a path with all its parts. The optimizer later drops the parts that are not read.
    fn declare_path(&mut self, name: &Identifier) -> Result<PathOutput> {
        let out = self.scopes.declare(&name.name, &mut self.variables)?;
        Ok(PathOutput { out, vertices: true, edges: true, weights: true })
    }
}

fn is_not_a_vertex(value: &Value) -> bool {
    value.is_null() || value.is_bool() || value.is_number()
}

/// Returns true if ArangoDB evaluates a part of the expression in JavaScript.
fn calls_javascript(expression: &ast::Expression) -> bool {
    walk::expressions(expression).any(|part| match &part.kind {
        ast::ExpressionKind::FunctionCall(call) => {
            call.name.is_namespaced() || call.name.normalized() == "V8"
        }
        _ => false,
    })
}
