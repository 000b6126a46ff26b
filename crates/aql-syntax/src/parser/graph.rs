//! `FOR` over the results of a traversal or of a path search.

use super::for_::ForTarget;
use super::{Parsed, Parser};
use crate::ast::walk;
use crate::ast::{
    Direction, EdgeCollection, Expression, ExpressionKind, GraphName, GraphSource, Identifier, PathSearch,
    PathSearchKind, Prune, Span, StatementKind, Traversal,
};
use crate::token::TokenKind;

impl Parser<'_> {
    /// Consumes `OUTBOUND`, `INBOUND` or `ANY`, if one comes next.
    pub(super) fn direction(&mut self) -> Option<Direction> {
        let direction = match self.current.kind {
            TokenKind::Outbound => Direction::Outbound,
            TokenKind::Inbound => Direction::Inbound,
            TokenKind::Any => Direction::Any,
            _ => return None,
        };
        self.advance();
        Some(direction)
    }

    /// Parses a graph statement after the direction.
    pub(super) fn graph_statement(
        &mut self,
        target: ForTarget,
        depth: Option<Expression>,
        direction: Direction,
    ) -> Parsed<StatementKind> {
        let kind = match self.current.kind {
            TokenKind::ShortestPath => PathSearchKind::ShortestPath,
            TokenKind::KShortestPaths => PathSearchKind::KShortestPaths,
            TokenKind::KPaths => PathSearchKind::KPaths,
            TokenKind::AllShortestPaths => PathSearchKind::AllShortestPaths,
            _ => return self.traversal(target, depth, direction),
        };
        if depth.is_some() && kind != PathSearchKind::KPaths {
            return Err(self.unexpected(&[]));
        }
        self.advance();
        self.path_search(kind, target, depth, direction)
    }

    #[inline(never)]
    fn traversal(
        &mut self,
        target: ForTarget,
        depth: Option<Expression>,
        direction: Direction,
    ) -> Parsed<StatementKind> {
        let message = "Traversals only have one, two or three return variables";
        let [vertex, edge, path] = self.graph_variables(target, 3, message)?;
        let Some(vertex) = vertex else { return Err(self.unexpected(&[])) };
        let start = self.expression()?;
        let graph = self.graph_source()?;
        let prune = self.prune()?;
        let options = self.options()?;
        let traversal = Traversal { vertex, edge, path, depth, direction, start, graph, prune, options };
        Ok(StatementKind::Traversal(Box::new(traversal)))
    }

    #[inline(never)]
    fn path_search(
        &mut self,
        kind: PathSearchKind,
        target: ForTarget,
        depth: Option<Expression>,
        direction: Direction,
    ) -> Parsed<StatementKind> {
        let [output, edge, _] = match kind {
            PathSearchKind::ShortestPath => {
                self.graph_variables(target, 2, "ShortestPath only has one or two return variables")?
            }
            _ => {
                let message = format!("{} only has one return variable", kind.keyword());
                self.graph_variables(target, 1, &message)?
            }
        };
        let Some(output) = output else { return Err(self.unexpected(&[])) };
        let start = self.expression()?;
        if !self.accept_word("TO") {
            return Err(if self.at(TokenKind::Identifier) {
                self.unexpected_word(self.current, "TO")
            } else {
                self.unexpected(&[])
            });
        }
        let goal = self.expression()?;
        let graph = self.graph_source()?;
        let options = self.options()?;
        let search = PathSearch { kind, output, edge, depth, direction, start, target: goal, graph, options };
        Ok(StatementKind::PathSearch(Box::new(search)))
    }

    /// Checks the variables of a traversal or path search; there are at most `most`.
    fn graph_variables(
        &self,
        target: ForTarget,
        most: usize,
        message: &str,
    ) -> Parsed<[Option<Identifier>; 3]> {
        let span = target.span;
        let Some(variables) = target.variables() else {
            let message = "destructuring is not supported in traversals and path searches";
            return Err(self.error(span, message));
        };
        if variables.len() > most {
            return Err(self.error(span, message));
        }
        let mut variables = variables.into_iter();
        Ok([variables.next(), variables.next(), variables.next()])
    }

    /// Parses `GRAPH name`, or a list of edge collections.
    #[inline(never)]
    fn graph_source(&mut self) -> Parsed<GraphSource> {
        if self.at(TokenKind::Graph) {
            let start = self.advance().span.start;
            let name = self.graph_name()?;
            return Ok(GraphSource::Named(name, Span::new(start, self.previous.span.end)));
        }
        let mut edges = Vec::new();
        loop {
            let direction = self.direction();
            // The first one follows an expression, where many other tokens are valid.
            let expected: &[TokenKind] = match (edges.is_empty(), direction) {
                (true, None) => &EDGE_COLLECTION_BEHIND_EXPRESSION,
                _ => &EDGE_COLLECTION,
            };
            edges.push(EdgeCollection { direction, collection: self.data_source(expected)? });
            if !self.accept(TokenKind::Comma) {
                return Ok(GraphSource::EdgeCollections(edges));
            }
        }
    }

    fn graph_name(&mut self) -> Parsed<GraphName> {
        let token = self.current;
        let name = match token.kind {
            TokenKind::String => GraphName::Name(self.string_of(token)),
            TokenKind::Identifier | TokenKind::QuotedIdentifier => GraphName::Name(self.name_of(token)),
            TokenKind::BindParameter => GraphName::BindParameter(self.bind_name_of(token)),
            TokenKind::DataSourceBindParameter => {
                GraphName::DataSourceBindParameter(self.bind_name_of(token))
            }
            _ => {
                let expected = [
                    TokenKind::Identifier,
                    TokenKind::String,
                    TokenKind::BindParameter,
                    TokenKind::DataSourceBindParameter,
                ];
                return Err(self.unexpected(&expected));
            }
        };
        self.advance();
        Ok(name)
    }

    /// Parses `PRUNE variable = condition`, if it comes next.
    #[inline(never)]
    fn prune(&mut self) -> Parsed<Option<Prune>> {
        if !self.accept_word("PRUNE") {
            return Ok(None);
        }
        let assigned = self.current.kind.is_identifier() && self.peek().kind == TokenKind::Assign;
        let variable = if assigned { Some(self.identifier()?) } else { None };
        if assigned {
            self.expect(TokenKind::Assign)?;
        }
        let condition = self.expression()?;
        let subquery = walk::expressions(&condition)
            .find(|expression| matches!(expression.kind, ExpressionKind::Subquery(_)));
        if let Some(subquery) = subquery {
            return Err(self.error(subquery.span, "prune condition must not contain a subquery"));
        }
        Ok(Some(Prune { variable, condition }))
    }
}

const EDGE_COLLECTION: [TokenKind; 4] =
    [TokenKind::Identifier, TokenKind::String, TokenKind::BindParameter, TokenKind::DataSourceBindParameter];

/// The tokens after an expression, too many for a message to list.
const EDGE_COLLECTION_BEHIND_EXPRESSION: [TokenKind; 8] = [
    TokenKind::Identifier,
    TokenKind::String,
    TokenKind::BindParameter,
    TokenKind::DataSourceBindParameter,
    TokenKind::Graph,
    TokenKind::Outbound,
    TokenKind::Inbound,
    TokenKind::Any,
];
