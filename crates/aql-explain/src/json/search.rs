//! Searches in indexes, as conditions in explain.

use aql_plan::{
    CompareOperator, Expansion, Expression, FieldBounds, GeoSearch, IndexBound, IndexField, IndexInfo,
    IndexSearch, SearchShape, VariableId,
};
use aql_value::Value;

/// Returns the conditions, all of which hold for the documents that are found.
pub(super) fn conditions(search: &IndexSearch, index: &IndexInfo, document: VariableId) -> Vec<Expression> {
    match search {
        IndexSearch::Geo(geo) => geo_conditions(geo, index, document),
        IndexSearch::Words(query) => words(query, index, document).into_iter().collect(),
        IndexSearch::Box(fields) => {
            let names = index.fields.iter().skip(index.prefix_fields());
            let of_field = |(field, name): (&FieldBounds, _)| {
                bounds(&access(name, document), &field.lower, &field.upper)
            };
            fields.iter().zip(names).flat_map(of_field).collect()
        }
    }
}

fn words(query: &Expression, index: &IndexInfo, document: VariableId) -> Option<Expression> {
    let SearchShape::Words { min_length } = index.capabilities.search else { return None };
    let function = aql_functions::lookup("FULLTEXT_MATCH")?;
    let min_length = Expression::Constant(Value::from_u64(min_length));
    Some(Expression::Call { function, arguments: vec![place(index, document), query.clone(), min_length] })
}

fn bounds(compared: &Expression, lower: &Option<IndexBound>, upper: &Option<IndexBound>) -> Vec<Expression> {
    let compare = |bound: &IndexBound, inclusive, exclusive| Expression::Compare {
        operator: if bound.inclusive { inclusive } else { exclusive },
        left: Box::new(compared.clone()),
        right: Box::new(bound.value.clone()),
    };
    let lower =
        lower.iter().map(|bound| compare(bound, CompareOperator::GreaterEqual, CompareOperator::Greater));
    let upper = upper.iter().map(|bound| compare(bound, CompareOperator::LessEqual, CompareOperator::Less));
    lower.chain(upper).collect()
}

fn geo_conditions(geo: &GeoSearch, index: &IndexInfo, document: VariableId) -> Vec<Expression> {
    let place = place(index, document);
    let call = |name: &str, shape: &Expression| {
        let function = aql_functions::lookup(name)?;
        Some(Expression::Call { function, arguments: vec![shape.clone(), place.clone()] })
    };
    let mut conditions = Vec::new();
    if let Some(distance) = geo.origin.as_ref().and_then(|origin| call("GEO_DISTANCE", origin)) {
        conditions = bounds(&distance, &geo.nearest, &geo.farthest);
        if conditions.is_empty() {
            // ArangoDB shows a search that only sorts in this way.
            let unlimited =
                IndexBound { value: Expression::Constant(Value::from_str("unlimited")), inclusive: false };
            conditions = bounds(&distance, &None, &Some(unlimited));
        }
    }
    conditions.extend(geo.meets.as_ref().and_then(|shape| call("GEO_INTERSECTS", shape)));
    conditions
}

/// Returns the document's location as GeoJSON, or as an array of longitude and latitude.
fn place(index: &IndexInfo, document: VariableId) -> Expression {
    let element = |field, position| Expression::Index {
        base: Box::new(access(field, document)),
        index: Box::new(Expression::Constant(Value::Int(position))),
    };
    match (index.capabilities.search, index.fields.as_slice()) {
        (SearchShape::Geo { geo_json: false }, [field]) => {
            Expression::Array(vec![element(field, 1), element(field, 0)])
        }
        (_, [latitude, longitude]) => {
            Expression::Array(vec![access(longitude, document), access(latitude, document)])
        }
        (_, [field, ..]) => access(field, document),
        (_, []) => Expression::Variable(document),
    }
}

/// Returns `document.a.b`, or `document.a[*].b`.
pub(super) fn access(field: &IndexField, document: VariableId) -> Expression {
    let attribute =
        |base: Expression, name: &str| Expression::Attribute { base: Box::new(base), name: name.into() };
    let split = field.expansion.map_or(field.path.len(), |position| position + 1);
    let (outer, inner) = field.path.split_at(split.min(field.path.len()));
    let input = outer.iter().map(|name| &**name).fold(Expression::Variable(document), attribute);
    if field.expansion.is_none() {
        return input;
    }
    let projection = inner.iter().map(|name| &**name).fold(Expression::Variable(document), attribute);
    Expression::Expansion(Box::new(Expansion {
        input,
        levels: 1,
        element: document,
        filter: None,
        offset: None,
        limit: None,
        projection: (!inner.is_empty()).then_some(projection),
    }))
}
