//! Matching of atoms against indexes.

use std::rc::Rc;

use aql_plan::{
    Expression, FieldBounds, IndexBound, IndexField, IndexInfo, IndexLookup, IndexRange, IndexSearch,
    SearchShape,
};

use super::{Atom, AtomOperator};

/// Returns the conditions of the atoms that the index can look up.
///
/// `None` if it can look up nothing, or would miss documents. `position` is the index's position in
/// the scan.
pub(crate) fn match_index(index: &IndexInfo, position: usize, atoms: &[Rc<Atom>]) -> Option<IndexRange> {
    match index.capabilities.search {
        SearchShape::AnyField { bounds } => match_independent_fields(index, position, bounds, atoms),
        SearchShape::LeadingFields => match_leading_fields(index, position, atoms),
        SearchShape::Box { prefix_fields } => match_box(index, position, prefix_fields, atoms),
        SearchShape::Geo { .. }
        | SearchShape::Words { .. }
        | SearchShape::Near { .. }
        | SearchShape::None => None,
    }
}

/// Matches an index with an independent lookup per field, and uses the first field with a
/// condition.
///
/// Equalities come before bounds, which only some of these indexes can look up.
fn match_independent_fields(
    index: &IndexInfo,
    position: usize,
    looks_up_bounds: bool,
    atoms: &[Rc<Atom>],
) -> Option<IndexRange> {
    let fields = || index.fields.iter().enumerate();
    let mut found = fields().filter_map(|(first_field, field)| {
        let lookup = lookup(field, atoms)?;
        Some(IndexRange { index: position, first_field, lookups: vec![lookup], ..IndexRange::default() })
    });
    let mut bounded = fields().filter(|_| looks_up_bounds).filter_map(|(first_field, field)| {
        let FieldBounds { lower, upper } = range_bounds(field, atoms);
        let is_bounded = lower.is_some() || upper.is_some();
        is_bounded.then(|| IndexRange { index: position, first_field, lower, upper, ..IndexRange::default() })
    });
    found.next().or_else(|| bounded.next())
}

/// Matches equalities on leading fields, then optionally a range on the next field.
fn match_leading_fields(index: &IndexInfo, position: usize, atoms: &[Rc<Atom>]) -> Option<IndexRange> {
    let mut range = IndexRange { index: position, ..IndexRange::default() };
    for field in &index.fields {
        match lookup(field, atoms) {
            Some(lookup) => range.lookups.push(lookup),
            None => {
                FieldBounds { lower: range.lower, upper: range.upper } = range_bounds(field, atoms);
                break;
            }
        }
    }
    let is_bounded = !range.lookups.is_empty() || range.lower.is_some() || range.upper.is_some();
    (is_bounded && has_all_documents(index, &range, atoms)).then_some(range)
}

/// Matches equalities on all prefix fields, and bounds of the others. Without a prefix, at least
/// one bound is required.
fn match_box(
    index: &IndexInfo,
    position: usize,
    prefix_fields: usize,
    atoms: &[Rc<Atom>],
) -> Option<IndexRange> {
    let (prefix, fields) = index.fields.split_at_checked(prefix_fields)?;
    let lookups: Vec<IndexLookup> = prefix.iter().map(|field| lookup(field, atoms)).collect::<Option<_>>()?;
    let bounds: Vec<FieldBounds> = fields.iter().map(|field| field_bounds(field, atoms)).collect();
    let is_bounded = bounds.iter().any(|bounds| bounds.lower.is_some() || bounds.upper.is_some());
    let search = Some(IndexSearch::Box(bounds));
    let range = IndexRange { index: position, lookups, search, ..IndexRange::default() };
    let is_useful = is_bounded || prefix_fields > 0;
    (is_useful && has_all_documents(index, &range, atoms)).then_some(range)
}

/// Returns the bounds of a field. An equality is a range of one value.
fn field_bounds(field: &IndexField, atoms: &[Rc<Atom>]) -> FieldBounds {
    if let Some(atom) = find(field, atoms, AtomOperator::Equal) {
        let bound = IndexBound { value: atom.value.clone(), inclusive: true };
        return FieldBounds { lower: Some(bound.clone()), upper: Some(bound) };
    }
    range_bounds(field, atoms)
}

fn range_bounds(field: &IndexField, atoms: &[Rc<Atom>]) -> FieldBounds {
    FieldBounds {
        lower: bound(field, atoms, [AtomOperator::GreaterEqual, AtomOperator::Greater]),
        upper: bound(field, atoms, [AtomOperator::LessEqual, AtomOperator::Less]),
    }
}

/// Returns true if every document that satisfies the atoms is in the index.
///
/// An index with `[*]` lacks documents without array members, unless the range looks up a member. A
/// sparse index lacks documents with null in a field.
fn has_all_documents(index: &IndexInfo, range: &IndexRange, atoms: &[Rc<Atom>]) -> bool {
    index.fields.iter().enumerate().all(|(position, field)| {
        let is_looked_up = position < range.lookups.len();
        let excludes_null = || atoms.iter().any(|atom| atom.field == *field && atom.excludes_null());
        (field.expansion.is_none() || is_looked_up) && (!index.sparse || excludes_null())
    })
}

/// Returns the lookup of a field. An equality is better than IN.
fn lookup(field: &IndexField, atoms: &[Rc<Atom>]) -> Option<IndexLookup> {
    let equal = if field.expansion.is_some() { AtomOperator::Contains } else { AtomOperator::Equal };
    if let Some(atom) = find(field, atoms, equal) {
        return Some(IndexLookup::Equal(atom.value.clone()));
    }
    let atom = find(field, atoms, AtomOperator::In)?;
    Some(IndexLookup::In(atom.value.clone()))
}

/// Returns the first condition on the field with one of the operators (inclusive, exclusive).
fn bound(field: &IndexField, atoms: &[Rc<Atom>], operators: [AtomOperator; 2]) -> Option<IndexBound> {
    if field.expansion.is_some() {
        return None;
    }
    let [inclusive, exclusive] = operators;
    let is_bound = |atom: &&Rc<Atom>| atom.field == *field && operators.contains(&atom.operator);
    let mut bounds = atoms.iter().filter(is_bound);
    // The first bound in the query wins, because it is generally unknown which one is tighter.
    let atom = bounds.next()?;
    debug_assert!(atom.operator == inclusive || atom.operator == exclusive);
    Some(IndexBound { value: atom.value.clone(), inclusive: atom.operator == inclusive })
}

fn find<'a>(field: &IndexField, atoms: &'a [Rc<Atom>], operator: AtomOperator) -> Option<&'a Rc<Atom>> {
    atoms.iter().find(|atom| atom.operator == operator && atom.field == *field)
}

/// Returns the atoms that hold for every document of the range.
pub(crate) fn implied_atoms(index: &IndexInfo, range: &IndexRange) -> Vec<Atom> {
    let mut fields = index.fields.iter().skip(range.first_field);
    let mut atoms: Vec<Atom> = Vec::new();
    for (lookup, field) in range.lookups.iter().zip(&mut fields) {
        let (operator, value) = match lookup {
            IndexLookup::Equal(value) if field.expansion.is_some() => (AtomOperator::Contains, value),
            IndexLookup::Equal(value) => (AtomOperator::Equal, value),
            IndexLookup::In(list) => (AtomOperator::In, list),
        };
        atoms.push(Atom { field: field.clone(), operator, value: value.clone() });
    }
    if let Some(IndexSearch::Box(bounds)) = &range.search {
        bounds.iter().zip(&mut fields).for_each(|(bounds, field)| add_bounds(field, bounds, &mut atoms));
    } else if let Some(field) = fields.next() {
        let bounds = FieldBounds { lower: range.lower.clone(), upper: range.upper.clone() };
        add_bounds(field, &bounds, &mut atoms);
    }
    if index.sparse {
        let plain = index.fields.iter().filter(|field| field.expansion.is_none());
        atoms.extend(plain.map(|field| Atom {
            field: field.clone(),
            operator: AtomOperator::NotEqual,
            value: Expression::Constant(aql_value::Value::Null),
        }));
    }
    atoms
}

fn add_bounds(field: &IndexField, bounds: &FieldBounds, atoms: &mut Vec<Atom>) {
    let mut add = |operator, value: &Expression| {
        atoms.push(Atom { field: field.clone(), operator, value: value.clone() });
    };
    let FieldBounds { lower, upper } = bounds;
    if let Some(bound) = lower {
        add(if bound.inclusive { AtomOperator::GreaterEqual } else { AtomOperator::Greater }, &bound.value);
    }
    if let Some(bound) = upper {
        add(if bound.inclusive { AtomOperator::LessEqual } else { AtomOperator::Less }, &bound.value);
    }
    if let (Some(lower), Some(upper)) = (lower, upper)
        && lower.inclusive
        && upper.inclusive
        && lower.value.is_same(&upper.value)
    {
        add(AtomOperator::Equal, &lower.value);
    }
}
