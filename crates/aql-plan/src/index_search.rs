//! Searches of indexes in plans: the values are expressions, which read variables of the outer row
//! only.

use catalog::index::{self, Search};

use crate::catalog::IndexInfo;
use crate::expression::Expression;

/// A search in an index that is not sorted by its fields.
pub type IndexSearch = Search<Expression>;

/// A search of a geo index. A search for shapes that meet another also finds others, so its filter
/// stays in the plan.
pub type GeoSearch = index::GeoSearch<Expression>;

/// Bounds of one field.
pub type FieldBounds = index::FieldBounds<Expression>;

/// One end of a range.
pub type IndexBound = index::Bound<Expression>;

/// Returns the number of fields of a box that have a bound; 0 for other searches.
pub(crate) fn bounded_fields(search: &IndexSearch) -> usize {
    let IndexSearch::Box(fields) = search else { return 0 };
    fields.iter().filter(|bounds| bounds.lower.is_some() || bounds.upper.is_some()).count()
}

/// Returns bytes that two searches have in common only if they find the same.
pub fn search_identity(search: &IndexSearch) -> Vec<u8> {
    let mut out = vec![match search {
        IndexSearch::Geo(_) => 1,
        IndexSearch::Box(_) => 2,
        IndexSearch::Words(query) => {
            return std::iter::once(3).chain(query.identity()).collect();
        }
    }];
    let mut add_bound = |tag: u8, bound: &Option<IndexBound>| {
        if let Some(bound) = bound {
            out.push(tag + u8::from(bound.inclusive));
            out.extend(bound.value.identity());
        }
    };
    match search {
        IndexSearch::Geo(geo) => {
            add_bound(3, &geo.nearest);
            add_bound(5, &geo.farthest);
            for (tag, expression) in [(7, &geo.origin), (8, &geo.meets)] {
                if let Some(expression) = expression {
                    out.push(tag);
                    out.extend(expression.identity());
                }
            }
        }
        IndexSearch::Box(fields) => {
            for field in fields {
                add_bound(9, &field.lower);
                add_bound(11, &field.upper);
                add_bound(13, &None);
            }
        }
        IndexSearch::Words(_) => {}
    }
    out
}

/// Returns the conditions of the search as text.
pub(crate) fn text(
    search: &IndexSearch,
    index: &IndexInfo,
    print: &dyn Fn(&Expression) -> String,
) -> Vec<String> {
    let mut conditions = Vec::new();
    let mut bound = |name: &str, symbol: &str, bound: &Option<IndexBound>| {
        if let Some(bound) = bound {
            let equal = if bound.inclusive { "=" } else { "" };
            conditions.push(format!("{name} {symbol}{equal} {}", print(&bound.value)));
        }
    };
    match search {
        IndexSearch::Geo(geo) => {
            bound("distance", ">", &geo.nearest);
            bound("distance", "<", &geo.farthest);
            conditions.extend(geo.origin.iter().map(|origin| format!("from {}", print(origin))));
            conditions.extend(geo.meets.iter().map(|shape| format!("meets {}", print(shape))));
        }
        IndexSearch::Words(query) => conditions.push(format!("words {}", print(query))),
        IndexSearch::Box(fields) => {
            let names = index.fields.iter().skip(index.prefix_fields());
            for (field, name) in fields.iter().zip(names) {
                bound(&name.to_text(), ">", &field.lower);
                bound(&name.to_text(), "<", &field.upper);
            }
        }
    }
    conditions
}
