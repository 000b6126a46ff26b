//! A small database for tests, and the way of a query from text to plan.

use aql_plan::{
    BindInput, BindParameters, Capabilities, CollectionInfo, CollectionReference, EdgeDefinitionInfo,
    GraphInfo, IndexField, IndexInfo, Plan, PlanCatalog, SearchShape, ViewInfo, ViewKind, bind, build,
};
use aql_value::{Interrupt, MemoryAccount, Value};
use errors::Result;

/// A catalog with these collections, and documents in brackets:
///
/// - `users` (1,000), with many indexes
/// - `cities` (50)
/// - `test` (100), with an index on `value`
/// - `plain` (10), without an index
/// - `empty` (none), with an index on `id`
/// - `places` (1,000), with geo, fulltext and multi-dimensional indexes
/// - `products` (10), with an index on `id`
/// - `knows` (5,000 edges)
/// - `likes` (2,000 edges), with vertex-centric indexes
///
/// Its graphs are `social` (knows and likes between users, orphan cities) and `lonely` (no edges).
pub(crate) struct TestCatalog;

impl PlanCatalog for TestCatalog {
    fn collection(&self, name: &str) -> Option<CollectionInfo> {
        let (id, is_edge, count_estimate, own) = match name {
            "users" => (1, false, 1000, user_indexes()),
            "cities" => (2, false, 50, vec![persistent(2, "byName", &["name"])]),
            "test" => (
                3,
                false,
                100,
                vec![IndexInfo { selectivity_estimate: Some(1.0), ..persistent(2, "byValue", &["value"]) }],
            ),
            "plain" => (4, false, 10, Vec::new()),
            "empty" => (5, false, 0, vec![persistent(2, "byId", &["id"])]),
            "knows" => (6, true, 5000, vec![edge_index()]),
            "likes" => (
                8,
                true,
                2000,
                vec![
                    edge_index(),
                    persistent(2, "fromType", &["_from", "type", "since"]),
                    persistent(3, "toType", &["_to", "type"]),
                    persistent(4, "fromWeight", &["_from", "weight"]),
                    IndexInfo {
                        type_name: "mdi-prefixed".into(),
                        ..index(
                            5,
                            "toBox",
                            SearchShape::Box { prefix_fields: 1 },
                            &["_to", "since", "weight"],
                        )
                    },
                ],
            ),
            "products" => (
                7,
                false,
                10,
                vec![IndexInfo { selectivity_estimate: Some(1.0), ..persistent(2, "byId", &["id"]) }],
            ),
            "places" => (9, false, 1000, place_indexes()),
            _ => return None,
        };
        let indexes: Vec<IndexInfo> = std::iter::once(primary_index()).chain(own).collect();
        let reference = CollectionReference { id, name: name.into() };
        Some(CollectionInfo { rules: None, reference, is_edge, indexes: indexes.into(), count_estimate })
    }

    fn graph(&self, name: &str) -> Option<GraphInfo> {
        let definition = |collection: &str| EdgeDefinitionInfo {
            collection: collection.into(),
            from: vec!["users".into()],
            to: vec!["users".into()],
        };
        let (edge_definitions, orphan_collections) = match name {
            "social" => (vec![definition("knows"), definition("likes")], vec!["cities".into()]),
            "lonely" => (Vec::new(), vec!["users".into()]),
            _ => return None,
        };
        Some(GraphInfo { name: name.into(), edge_definitions, orphan_collections })
    }

    fn view(&self, name: &str) -> Option<ViewInfo> {
        let view = ViewInfo {
            is_restricted: false,
            name: name.into(),
            id: 50,
            kind: ViewKind::ArangoSearch,
            indexes: Vec::new(),
            primary_sort: Vec::new(),
            stored_values: Vec::new(),
        };
        (name == "someView").then_some(view)
    }
}

fn user_indexes() -> Vec<IndexInfo> {
    let tags = IndexField::new(&["tags"], Some(0));
    vec![
        persistent(2, "byAge", &["age"]),
        unique(IndexInfo { selectivity_estimate: Some(1.0), ..persistent(3, "byEmail", &["email"]) }),
        persistent(4, "byCityAge", &["city", "age"]),
        IndexInfo { fields: vec![tags], ..persistent(5, "byTags", &[]) },
        IndexInfo { sparse: true, ..persistent(6, "byNick", &["nick"]) },
        IndexInfo {
            fields: vec![IndexField::new(&["address", "zip"], None)],
            stored_values: vec![vec!["name".into()]],
            ..persistent(7, "byZip", &[])
        },
    ]
}

fn place_indexes() -> Vec<IndexInfo> {
    let typed = |type_name: &str, index: IndexInfo| IndexInfo { type_name: type_name.into(), ..index };
    vec![
        typed("geo", index(2, "byLocation", SearchShape::Geo { geo_json: true }, &["location"])),
        typed("geo", index(3, "byPoint", SearchShape::Geo { geo_json: false }, &["lat", "lng"])),
        typed("fulltext", index(4, "byText", SearchShape::Words { min_length: 2 }, &["text"])),
        typed("mdi", index(5, "byBox", SearchShape::Box { prefix_fields: 0 }, &["x", "y"])),
        typed(
            "mdi-prefixed",
            index(6, "byDayAndBox", SearchShape::Box { prefix_fields: 1 }, &["day", "x", "y"]),
        ),
    ]
}

fn index(id: u64, name: &str, search: SearchShape, fields: &[&str]) -> IndexInfo {
    let clustered = search == SearchShape::AnyField { bounds: true };
    let ordered = search == SearchShape::LeadingFields;
    let type_name = match search {
        _ if clustered => "primary",
        SearchShape::AnyField { .. } => "edge",
        _ => "persistent",
    };
    let covers = !clustered && !matches!(search, SearchShape::Geo { .. } | SearchShape::Words { .. });
    IndexInfo {
        id,
        name: name.into(),
        capabilities: Capabilities { search, ordered, covers, clustered, unique_lookup: false },
        type_name: type_name.into(),
        fields: fields.iter().map(|field| IndexField::new(&[field], None)).collect(),
        unique: clustered,
        sparse: false,
        stored_values: Vec::new(),
        selectivity_estimate: Some(if clustered { 1.0 } else { 0.1 }),
        deduplicate: true,
        estimates: true,
        cache_enabled: false,
        text: None,
    }
}

fn unique(index: IndexInfo) -> IndexInfo {
    let capabilities = Capabilities { unique_lookup: true, ..index.capabilities };
    IndexInfo { unique: true, capabilities, ..index }
}

fn primary_index() -> IndexInfo {
    index(0, "primary", SearchShape::AnyField { bounds: true }, &["_key", "_id"])
}

fn edge_index() -> IndexInfo {
    index(1, "edge", SearchShape::AnyField { bounds: false }, &["_from", "_to"])
}

fn persistent(id: u64, name: &str, fields: &[&str]) -> IndexInfo {
    index(id, name, SearchShape::LeadingFields, fields)
}

/// Parses, binds and builds a query.
pub(crate) fn plan(text: &str, parameters: &[(&str, Value)]) -> Result<Plan> {
    let query = aql_syntax::parse(text, &aql_syntax::Limits::default())?;
    let mut bound = BindParameters::new();
    parameters.iter().for_each(|(key, value)| bound.set(*key, value.clone()));
    let (memory, interrupt) = (MemoryAccount::unlimited(), Interrupt::new());
    build(bind(&query, &BindInput::new(&bound, &TestCatalog, &memory, &interrupt))?, false)
}
