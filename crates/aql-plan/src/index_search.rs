//! What indexes are searched for that are not sorted by their fields: places, shapes, boxes.

use crate::catalog::{IndexInfo, IndexKind};
use crate::expression::Expression;
use crate::node::IndexBound;

/// A search in one index. The expressions read variables of the outer row only.
#[derive(Debug, Clone)]
pub enum IndexSearch {
    /// Documents near a place, or with a shape that meets another; in a geo index.
    Geo(Box<GeoSearch>),
    /// Documents whose fields lie between bounds, one pair for each field behind the looked-up ones; in a
    /// multi-dimensional index.
    Box(Vec<FieldBounds>),
    /// Documents that a query over words finds; in a fulltext index.
    Words(Expression),
}

/// What a geo index is searched for; all conditions must hold. At least one of `origin` and `meets` is there.
#[derive(Debug, Clone, Default)]
pub struct GeoSearch {
    /// The place that distances are measured from: GeoJSON or `[longitude, latitude]`. An ordered scan answers by the
    /// distance from here.
    pub origin: Option<Expression>,
    /// Least distance in meters.
    pub nearest: Option<IndexBound>,
    /// Greatest distance in meters.
    pub farthest: Option<IndexBound>,
    /// The shape that documents' shapes must have a point in common with. The scan finds all of these, and others: the
    /// filter stays in the plan.
    pub meets: Option<Expression>,
}

/// Bounds of one field.
#[derive(Debug, Clone, Default)]
pub struct FieldBounds {
    /// Lower end.
    pub lower: Option<IndexBound>,
    /// Upper end.
    pub upper: Option<IndexBound>,
}

impl IndexSearch {
    /// Calls `visit` with the expressions of the search.
    pub fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        match self {
            Self::Geo(geo) => {
                [&geo.origin, &geo.meets].into_iter().flatten().for_each(&mut *visit);
                [&geo.nearest, &geo.farthest].into_iter().flatten().for_each(|bound| visit(&bound.value));
            }
            Self::Words(query) => visit(query),
            Self::Box(fields) => fields
                .iter()
                .flat_map(|field| [&field.lower, &field.upper])
                .flatten()
                .for_each(|bound| visit(&bound.value)),
        }
    }

    /// Fields of a box that have a bound; 0 for other searches.
    pub(crate) fn bounded_fields(&self) -> usize {
        let Self::Box(fields) = self else { return 0 };
        fields.iter().filter(|bounds| bounds.lower.is_some() || bounds.upper.is_some()).count()
    }

    pub(crate) fn for_each_expression_mut(&mut self, visit: &mut dyn FnMut(&mut Expression)) {
        match self {
            Self::Geo(geo) => {
                [&mut geo.origin, &mut geo.meets].into_iter().flatten().for_each(&mut *visit);
                let bounds = [&mut geo.nearest, &mut geo.farthest].into_iter().flatten();
                bounds.for_each(|bound| visit(&mut bound.value));
            }
            Self::Words(query) => visit(query),
            Self::Box(fields) => fields
                .iter_mut()
                .flat_map(|field| [&mut field.lower, &mut field.upper])
                .flatten()
                .for_each(|bound| visit(&mut bound.value)),
        }
    }

    /// Bytes that searches have in common only if they find the same.
    pub(crate) fn identity(&self) -> Vec<u8> {
        let mut out = vec![match self {
            Self::Geo(_) => 1,
            Self::Box(_) => 2,
            Self::Words(query) => {
                return std::iter::once(3).chain(query.identity()).collect();
            }
        }];
        let mut add_bound = |tag: u8, bound: &Option<IndexBound>| {
            if let Some(bound) = bound {
                out.push(tag + u8::from(bound.inclusive));
                out.extend(bound.value.identity());
            }
        };
        match self {
            Self::Geo(geo) => {
                add_bound(3, &geo.nearest);
                add_bound(5, &geo.farthest);
                for (tag, expression) in [(7, &geo.origin), (8, &geo.meets)] {
                    if let Some(expression) = expression {
                        out.push(tag);
                        out.extend(expression.identity());
                    }
                }
            }
            Self::Box(fields) => {
                for field in fields {
                    add_bound(9, &field.lower);
                    add_bound(11, &field.upper);
                    add_bound(13, &None);
                }
            }
            Self::Words(_) => {}
        }
        out
    }

    /// The search as the text of a plan has it.
    pub(crate) fn text(&self, index: &IndexInfo, print: &dyn Fn(&Expression) -> String) -> Vec<String> {
        let mut conditions = Vec::new();
        let mut bound = |name: &str, symbol: &str, bound: &Option<IndexBound>| {
            if let Some(bound) = bound {
                let equal = if bound.inclusive { "=" } else { "" };
                conditions.push(format!("{name} {symbol}{equal} {}", print(&bound.value)));
            }
        };
        match self {
            Self::Geo(geo) => {
                bound("distance", ">", &geo.nearest);
                bound("distance", "<", &geo.farthest);
                conditions.extend(geo.origin.iter().map(|origin| format!("from {}", print(origin))));
                conditions.extend(geo.meets.iter().map(|shape| format!("meets {}", print(shape))));
            }
            Self::Words(query) => conditions.push(format!("words {}", print(query))),
            Self::Box(fields) => {
                let names = index.fields.iter().skip(index.prefix_fields());
                for (field, name) in fields.iter().zip(names) {
                    bound(&name.to_text(), ">", &field.lower);
                    bound(&name.to_text(), "<", &field.upper);
                }
            }
        }
        conditions
    }
}

impl IndexInfo {
    /// How many of the leading fields of a multi-dimensional index must be compared for equality.
    pub(crate) fn prefix_fields(&self) -> usize {
        match self.kind {
            IndexKind::Mdi { prefix_fields } => prefix_fields,
            _ => 0,
        }
    }
}
