//! Searches of inverted indexes that the hint of a scan names.
//!
//! An inverted index evaluates conditions as SEARCH does, so it is used only where a query requests
//! it. The conditions that it cannot answer stay filters.

use std::sync::Arc;

use aql_plan::{
    EnumerateView, Expression, HintedSearch, IndexId, IndexInfo, Node, NodeKind, SearchCondition, SearchStep,
    TextField, TextIndexInfo, VariableId, VariableSet, ViewIndexInfo, ViewInfo, ViewKind, ViewOptions,
};

use super::condition::{conditions_after, set_from};
use super::primary_sort::primary_sort;
use crate::RuleContext;

/// A search in the place of a scan.
pub(crate) struct Hinted {
    /// The place of the index in the hint.
    pub(crate) place: usize,
    pub(crate) search: EnumerateView,
}

/// Returns the search in the place of the full scan at a position: that of the first inverted index
/// of the hint which answers a condition.
pub(crate) fn hinted_search(nodes: &[Node], position: usize, context: &RuleContext<'_>) -> Option<Hinted> {
    let NodeKind::EnumerateCollection(scan) = &nodes.get(position)?.kind else { return None };
    let source = &scan.source;
    let is_bound = scan.random || source.count_into.is_some() || source.read_own_writes;
    if source.hint.disabled || source.hint.names.is_empty() || is_bound {
        return None;
    }
    let info = context.catalog.collection(&source.collection.name)?;
    let mut named = source.hint.names.iter().enumerate().filter_map(|(place, name)| {
        let index = info.indexes.iter().find(|index| index.name == *name)?;
        Some((place, index, index.text.as_ref()?))
    });
    named.find_map(|(place, index, text)| {
        let condition = condition_of(text, nodes, position, source.out, context);
        if condition.is_none() {
            // Without conditions, the order of the index may be the reason to name it.
            primary_sort(nodes, position, source.out, &text.primary_sort)?;
        }
        let hinted = HintedSearch { source: source.clone(), index: index.clone() };
        let view = Arc::new(as_view(index, text, &hinted));
        let options = ViewOptions { wait_for_sync: source.hint.wait_for_sync, ..ViewOptions::default() };
        let search = EnumerateView::new(view, source.out, condition, options);
        Some(Hinted { place, search: EnumerateView { hinted: Some(Box::new(hinted)), ..search } })
    })
}

fn as_view(index: &IndexInfo, text: &TextIndexInfo, hinted: &HintedSearch) -> ViewInfo {
    let collection = hinted.source.collection.clone();
    ViewInfo {
        is_restricted: false,
        name: (&*collection.name).into(),
        id: 0,
        kind: ViewKind::SearchAlias,
        indexes: vec![ViewIndexInfo { collection, index: IndexId(index.id) }],
        primary_sort: text.primary_sort.clone(),
        stored_values: text.stored_values.clone(),
    }
}

/// Returns those conditions on the rows of the scan that the index answers; `None` if there are
/// none.
fn condition_of(
    text: &TextIndexInfo,
    nodes: &[Node],
    position: usize,
    document: VariableId,
    context: &RuleContext<'_>,
) -> Option<Expression> {
    let mut later = set_from(nodes, position);
    later.remove(document);
    let conditions = conditions_after(nodes, position, context.interrupt).into_iter();
    let conjuncts = conditions.flat_map(|condition| condition.expression.into_conjuncts());
    Expression::conjunction(conjuncts.filter(|part| answers(text, part, document, &later)).collect())
}

/// Returns true if the index has all fields of a condition, whose values are known before the
/// search.
fn answers(text: &TextIndexInfo, condition: &Expression, document: VariableId, later: &VariableSet) -> bool {
    if !condition.is_deterministic() || condition.variables().intersects(later) {
        return false;
    }
    let Ok(shape) = SearchCondition::of(condition, document) else { return false };
    let (mut count, mut are_known) = (0, true);
    shape.for_each_field(&mut |field| {
        count += 1;
        are_known = are_known && has_field(&text.fields, &field.steps);
    });
    are_known && count > 0
}

fn has_field(fields: &[TextField], steps: &[SearchStep<Expression>]) -> bool {
    fields.iter().any(|field| match behind(field, steps) {
        Some([]) => true,
        Some([SearchStep::Nested, inner @ ..]) => has_field(&field.nested, inner),
        _ => false,
    })
}

/// Returns the steps after those of the field; `None` if they lead to another one.
///
/// A condition on the elements of an array needs a field that has them, and a condition on a value
/// one that has no others.
fn behind<'s>(
    field: &TextField,
    mut steps: &'s [SearchStep<Expression>],
) -> Option<&'s [SearchStep<Expression>]> {
    for (place, name) in field.path.path.iter().enumerate() {
        let [step, rest @ ..] = steps else { return None };
        if attribute(step) != Some(&**name) {
            return None;
        }
        let expands = field.path.expansion == Some(place);
        steps = match rest {
            [SearchStep::Expansion, rest @ ..] if expands || field.search_field => rest,
            _ if expands => return None,
            rest => rest,
        };
    }
    Some(steps)
}

fn attribute(step: &SearchStep<Expression>) -> Option<&str> {
    match step {
        SearchStep::Attribute(name) => Some(name),
        SearchStep::Computed(value) => value.as_constant()?.as_str(),
        SearchStep::Expansion | SearchStep::Nested => None,
    }
}
