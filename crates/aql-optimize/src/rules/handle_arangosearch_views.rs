//! `handle-arangosearch-views`: scores and places of matches become variables that the search of a
//! view sets. A sort by the primary sort order of a view is left to the search.

use std::collections::HashMap;

use aql_plan::{
    EnumerateView, Expression, Node, NodeKind, Plan, VariableId, VariableSet, Variables, ViewHighlight,
    ViewScore, ViewScorer, combine,
};
use errors::{Error, ErrorCode, Result};

use super::{Rule, RuleContext};
use crate::analysis::pipeline::for_each_pipeline;
use crate::analysis::primary_sort::use_primary_sort;

pub(super) struct HandleArangosearchViews;

impl Rule for HandleArangosearchViews {
    fn name(&self) -> &'static str {
        "handle-arangosearch-views"
    }

    fn description(&self) -> &'static str {
        "Computes the scores of a view's documents where the view is searched."
    }

    fn apply(&self, plan: &mut Plan, context: &mut RuleContext<'_>) -> Result<bool> {
        let mut found = Found::default();
        documents(&plan.nodes, &mut found);
        if found.by_document.is_empty() {
            return Ok(false);
        }
        collect(&mut plan.nodes, &mut plan.variables, &mut found, context)?;
        attach(&mut plan.nodes, &mut found, VariableSet::default())?;
        for_each_pipeline(plan, context.interrupt, &mut |nodes, _| {
            for position in 0..nodes.len() {
                context.interrupt.check()?;
                if is_view(nodes.get(position)) {
                    use_primary_sort(nodes, position);
                }
            }
            Ok(false)
        })?;
        Ok(true)
    }

    fn can_be_disabled(&self) -> bool {
        false
    }
}

fn is_view(node: Option<&Node>) -> bool {
    matches!(node.map(|node| &node.kind), Some(NodeKind::EnumerateView(view)) if view.hinted.is_none())
}

/// The calls that read the documents of views, by the variable of the document.
#[derive(Default)]
struct Found {
    by_document: HashMap<VariableId, Calls>,
}

#[derive(Default)]
struct Calls {
    scores: Vec<ViewScore>,
    highlights: Vec<ViewHighlight>,
}

/// Finds the variables of the views' documents.
fn documents(nodes: &[Node], found: &mut Found) {
    for node in nodes {
        match &node.kind {
            NodeKind::EnumerateView(view) if view.hinted.is_none() => {
                found.by_document.insert(view.out, Calls::default());
            }
            NodeKind::Subquery(subquery) => documents(&subquery.nodes, found),
            _ => {}
        }
    }
}

/// Replaces the calls by variables.
fn collect(
    nodes: &mut [Node],
    variables: &mut Variables,
    found: &mut Found,
    context: &RuleContext<'_>,
) -> Result<()> {
    for node in nodes {
        context.interrupt.check()?;
        let mut outcome = Ok(false);
        let is_view = matches!(node.kind, NodeKind::EnumerateView(_));
        node.kind.for_each_expression_mut(&mut |expression| {
            combine(&mut outcome, || replace(expression, is_view, variables, found));
        });
        outcome?;
        if let NodeKind::Subquery(subquery) = &mut node.kind {
            collect(&mut subquery.nodes, variables, found, context)?;
        }
    }
    Ok(())
}

fn replace(
    expression: &mut Expression,
    in_search: bool,
    variables: &mut Variables,
    found: &mut Found,
) -> Result<bool> {
    if let Some(out) = variable_of(expression, in_search, variables, found)? {
        *expression = Expression::Variable(out);
        return Ok(true);
    }
    expression.change_children(&mut |child| replace(child, in_search, variables, found))
}

/// Returns the variable for the result of a call; `None` for another expression.
///
/// Errors: 10 for arguments that read the document.
fn variable_of(
    expression: &Expression,
    in_search: bool,
    variables: &mut Variables,
    found: &mut Found,
) -> Result<Option<VariableId>> {
    let Expression::Call { function, arguments } = expression else { return Ok(None) };
    let scorer = ViewScorer::named(function.name);
    if scorer.is_none() && function.name != "OFFSET_INFO" {
        return Ok(None);
    }
    let Some((document, arguments)) = arguments.split_first() else { return Ok(None) };
    let calls = document.as_variable().and_then(|id| Some((id, found.by_document.get_mut(&id)?)));
    let Some((document, calls)) = calls else { return Ok(None) };
    if in_search {
        let message = format!("{}() cannot be part of a SEARCH condition", function.name);
        return Err(Error::new(ErrorCode::QueryParse, message));
    }
    if arguments.iter().any(|argument| argument.reads(document)) {
        let message = format!("the arguments of {}() cannot read the document", function.name);
        return Err(Error::bad_parameter(message));
    }
    let identity =
        |arguments: &[Expression]| -> Vec<Vec<u8>> { arguments.iter().map(Expression::identity).collect() };
    let wanted = identity(arguments);
    if let Some(scorer) = scorer {
        let known = calls
            .scores
            .iter()
            .find(|score| score.scorer == scorer && identity(&score.arguments) == wanted)
            .map(|score| score.out);
        return Ok(Some(known.unwrap_or_else(|| {
            let out = variables.add_temporary();
            calls.scores.push(ViewScore { scorer, arguments: arguments.to_vec(), out });
            out
        })));
    }
    let Some(argument) = arguments.first() else { return Ok(None) };
    let out = variables.add_temporary();
    calls.highlights.push(ViewHighlight { argument: argument.clone(), out });
    Ok(Some(out))
}

/// Gives the nodes of the views what they should compute. `known` are variables of outer rows.
///
/// Errors: 10 for arguments that are computed after the search.
fn attach(nodes: &mut [Node], found: &mut Found, mut known: VariableSet) -> Result<()> {
    for node in nodes {
        match &mut node.kind {
            NodeKind::EnumerateView(view) => {
                let EnumerateView { out, scores, highlights, .. } = &mut **view;
                if let Some(calls) = found.by_document.remove(out) {
                    scores.extend(calls.scores);
                    highlights.extend(calls.highlights);
                }
                let scores = scores.iter().flat_map(|score| &score.arguments);
                let mut arguments = scores.chain(highlights.iter().map(|highlight| &highlight.argument));
                if !arguments.all(|argument| argument.variables().is_subset(&known)) {
                    return Err(Error::bad_parameter(
                        "arguments of scorers and of OFFSET_INFO() must be known before the search",
                    ));
                }
            }
            NodeKind::Subquery(subquery) => attach(&mut subquery.nodes, found, known.clone())?,
            _ => {}
        }
        known.extend(&node.kind.sets().into_iter().collect());
    }
    Ok(())
}
