//! A small database for tests within crates.

use aql_plan::{
    Capabilities, CollectionInfo, CollectionReference, IndexField, IndexId, IndexInfo, Metric, PlanCatalog,
    SearchShape, ViewIndexInfo, ViewInfo, ViewKind,
};

/// The collections `users` (1,000), `products` (10), `test` (100), `plain` (10), `places` (1,000),
/// and edges `knows` (5,000). The view `people` finds users.
pub(crate) struct Catalog;

pub(crate) static CATALOG: Catalog = Catalog;

impl PlanCatalog for Catalog {
    fn collection(&self, name: &str) -> Option<CollectionInfo> {
        let (id, count_estimate, own) = match name {
            "users" => {
                (1, 1000, vec![index(2, "age", false), index(3, "email", true), index(4, "city", false)])
            }
            "products" => (2, 10, vec![index(2, "id", false)]),
            "test" => (3, 100, vec![index(2, "value", false)]),
            "plain" => (4, 10, Vec::new()),
            "places" => {
                let capabilities = searched_by(SearchShape::Geo { geo_json: true });
                let geo = IndexInfo { capabilities, type_name: "geo".into(), ..index(2, "location", false) };
                let capabilities = searched_by(SearchShape::Words { min_length: 2 });
                let text =
                    IndexInfo { capabilities, type_name: "fulltext".into(), ..index(3, "text", false) };
                let capabilities = searched_by(SearchShape::Near { metric: Metric::L2 });
                let vectors =
                    IndexInfo { capabilities, type_name: "vector".into(), ..index(4, "vector", false) };
                (6, 1000, vec![geo, text, vectors])
            }
            "knows" => (
                5,
                5000,
                vec![IndexInfo {
                    capabilities: Capabilities {
                        covers: true,
                        ..searched_by(SearchShape::AnyField { bounds: false })
                    },
                    fields: vec![IndexField::new(&["_from"], None), IndexField::new(&["_to"], None)],
                    ..index(1, "edge", false)
                }],
            ),
            _ => return None,
        };
        let primary = IndexInfo {
            capabilities: Capabilities {
                clustered: true,
                ..searched_by(SearchShape::AnyField { bounds: true })
            },
            fields: vec![IndexField::new(&["_key"], None), IndexField::new(&["_id"], None)],
            ..index(0, "primary", true)
        };
        let indexes: Vec<IndexInfo> = std::iter::once(primary).chain(own).collect();
        let reference = CollectionReference { id, name: name.into() };
        Some(CollectionInfo {
            rules: None,
            reference,
            is_edge: name == "knows",
            indexes: indexes.into(),
            count_estimate,
        })
    }

    fn view(&self, name: &str) -> Option<ViewInfo> {
        let collection = CollectionReference { id: 1, name: "users".into() };
        let view = ViewInfo {
            is_restricted: false,
            name: name.into(),
            id: 50,
            kind: ViewKind::ArangoSearch,
            indexes: vec![ViewIndexInfo { collection, index: IndexId(9) }],
            primary_sort: Vec::new(),
            stored_values: Vec::new(),
        };
        (name == "people").then_some(view)
    }
}

fn searched_by(search: SearchShape) -> Capabilities {
    Capabilities { search, ..Capabilities::default() }
}

fn index(id: u64, field: &str, unique: bool) -> IndexInfo {
    IndexInfo {
        id,
        name: field.into(),
        capabilities: Capabilities {
            ordered: true,
            covers: true,
            unique_lookup: unique,
            ..searched_by(SearchShape::LeadingFields)
        },
        type_name: "persistent".into(),
        fields: vec![IndexField::new(&[field], None)],
        unique,
        sparse: false,
        stored_values: Vec::new(),
        selectivity_estimate: Some(1.0),
        deduplicate: true,
        estimates: true,
        cache_enabled: false,
        text: None,
    }
}
