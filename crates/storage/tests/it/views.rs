//! Views: names that they share with collections, their links and indexes, and the state after a
//! restart.

use std::sync::Arc;

use catalog::collection::CollectionProperties;
use catalog::index::IndexProperties;
use catalog::text_index::PrimarySort;
use catalog::view::AliasIndex;
use catalog::{CollectionType, IndexId, ViewDefinition, ViewProperties};
use errors::ErrorCode;
use storage::{Collection, Store, StoreOptions, ViewLink};
use velocypack::Slice;

use crate::common::*;

fn collection(store: &Store, name: &str) -> Arc<Collection> {
    store.create_collection("_system", CollectionProperties::new(name, CollectionType::Document)).unwrap()
}

fn arangosearch() -> ViewProperties {
    ViewProperties::ArangoSearch(Box::default())
}

fn create(store: &Store, name: &str, properties: ViewProperties) -> errors::Result<Arc<ViewDefinition>> {
    store.create_view("_system", &store.new_view(name, properties)?, Vec::new(), &|| Ok(()))
}

fn link(collection: &Arc<Collection>, view: &ViewDefinition, definition: &str) -> ViewLink {
    let definition = value(definition);
    let index = IndexProperties::link(view.id, Slice::new(&definition), PrimarySort::default(), Vec::new());
    ViewLink { collection: Arc::clone(collection), index: Some(index.unwrap()) }
}

fn inverted(store: &Store, collection: &Arc<Collection>, field: &str) -> AliasIndex {
    let body = value(&format!(r#"{{"type": "inverted", "fields": ["{field}"]}}"#));
    let mut properties = IndexProperties::parse(Slice::new(&body)).unwrap();
    properties.find_analyzers(&|name| panic!("'{name}' is built in")).unwrap();
    let (index, _) = store.create_index(collection, properties).unwrap();
    AliasIndex { collection: collection.id(), index: index.id() }
}

/// Returns the collections and indexes of a view.
fn indexes(store: &Store, view: &str) -> Vec<(String, IndexId)> {
    let catalog = store.catalog();
    let database = catalog.database("_system").unwrap();
    let view = database.view(view).unwrap();
    let indexes = database.view_indexes(view);
    indexes.map(|(collection, index)| (collection.name().to_owned(), index.id())).collect()
}

fn linked(store: &Store, view: &str) -> Vec<String> {
    indexes(store, view).into_iter().map(|(collection, _)| collection).collect()
}

#[test]
fn names_are_shared_with_collections() {
    let store = store();
    let films = collection(&store, "films");
    let view = create(&store, "v", arangosearch()).unwrap();
    let code = |error: errors::Error| error.code();
    assert_eq!(create(&store, "v", arangosearch()).map_err(code), Err(ErrorCode::DuplicateName));
    assert_eq!(create(&store, "films", arangosearch()).map_err(code), Err(ErrorCode::DuplicateName));
    assert_eq!(create(&store, "_v", arangosearch()).map_err(code), Err(ErrorCode::IllegalName));
    let taken = CollectionProperties::new("v", CollectionType::Document);
    assert_eq!(store.create_collection("_system", taken).unwrap_err().code(), ErrorCode::DuplicateName);
    assert_eq!(store.rename_collection(&films, "v").unwrap_err().code(), ErrorCode::DuplicateName);
    let rename = |name: &str| store.rename_view("_system", view.id, name);
    assert_eq!(rename("films").map_err(code), Err(ErrorCode::DuplicateName));
    assert_eq!(rename("w").unwrap().name, "w");
    assert_eq!(rename("w").unwrap().id, view.id);
    store.drop_view("_system", view.id).unwrap();
    assert_eq!(rename("v").map_err(code), Err(ErrorCode::DataSourceNotFound));
    collection(&store, "w");
}

#[test]
fn links_change_together_or_not_at_all() {
    let store = store();
    let [a, b] = ["a", "b"].map(|name| collection(&store, name));
    insert(&store, &a, r#"{"_key": "1", "text": "x"}"#).unwrap();
    let view = store.new_view("v", arangosearch()).unwrap();
    let links = vec![link(&b, &view, "{}"), link(&a, &view, r#"{"includeAllFields": true}"#)];
    let view = store.create_view("_system", &view, links, &|| Ok(())).unwrap();
    assert_eq!(linked(&store, "v"), ["a", "b"]);
    let before = indexes(&store, "v");
    // A link that stays the same is not built again; one that differs is.
    let links = vec![link(&b, &view, "{}"), link(&a, &view, "{}")];
    store.change_view("_system", view.id, &|_, _| Ok(arangosearch()), links, &|| Ok(())).unwrap();
    let after = indexes(&store, "v");
    assert_eq!(before.get(1), after.get(1));
    assert_ne!(before.first(), after.first());
    // `b` is gone, so `a` keeps its link.
    let links = vec![link(&a, &view, r#"{"includeAllFields": true}"#), link(&b, &view, r#"{"cache": true}"#)];
    store.drop_collection(&b, false).unwrap();
    let error =
        store.change_view("_system", view.id, &|_, _| Ok(arangosearch()), links, &|| Ok(())).unwrap_err();
    assert_eq!(error.code(), ErrorCode::DataSourceNotFound);
    assert_eq!(indexes(&store, "v"), after.get(..1).unwrap());
    let removal = vec![ViewLink { collection: Arc::clone(&a), index: None }];
    store.change_view("_system", view.id, &|_, _| Ok(arangosearch()), removal, &|| Ok(())).unwrap();
    assert_eq!(linked(&store, "v"), [""; 0]);
    store.drop_view("_system", view.id).unwrap();
    insert(&store, &a, r#"{"_key": "2"}"#).unwrap();
}

#[test]
fn aliases_lose_indexes_that_are_dropped() {
    let store = store();
    let [a, b] = ["a", "b"].map(|name| collection(&store, name));
    let [first, second, third] =
        [inverted(&store, &a, "x"), inverted(&store, &a, "y"), inverted(&store, &b, "x")];
    let all = ViewProperties::SearchAlias(vec![first, second, third]);
    let view = create(&store, "v", all.clone()).unwrap();
    let present = || store.catalog().database("_system").unwrap().view("v").unwrap().alias_indexes().to_vec();
    assert_eq!(present(), [first, second, third]);
    store.drop_index(&a, second.index).unwrap();
    assert_eq!(present(), [first, third]);
    let renamed = store.rename_collection(&a, "c").unwrap();
    assert_eq!(linked(&store, "v"), ["b", "c"]);
    // A caller may have looked at the indexes before they were dropped.
    store.change_view("_system", view.id, &|_, _| Ok(all.clone()), Vec::new(), &|| Ok(())).unwrap();
    assert_eq!(present(), [first, third]);
    store.drop_collection(&renamed, false).unwrap();
    assert_eq!(present(), [third]);
}

#[test]
fn views_outlive_a_restart_and_go_with_their_database() {
    let engine = engine();
    let options = StoreOptions::default;
    let store = Store::open(Arc::clone(&engine), options()).unwrap();
    let a = collection(&store, "a");
    let view = store.new_view("v", arangosearch()).unwrap();
    let links = vec![link(&a, &view, r#"{"fields": {"text": {"analyzers": ["text_en"]}}}"#)];
    let view = store.create_view("_system", &view, links, &|| Ok(())).unwrap();
    let alias = create(&store, "w", ViewProperties::SearchAlias(vec![inverted(&store, &a, "x")])).unwrap();
    store.create_database("shop").unwrap();
    let other = store.new_view("v", arangosearch()).unwrap();
    store.create_view("shop", &other, Vec::new(), &|| Ok(())).unwrap();
    store.drop_database("shop").unwrap();
    let before = indexes(&store, "v");
    drop(store);
    let store = Store::open(engine, options()).unwrap();
    let catalog = store.catalog();
    let database = catalog.database("_system").unwrap();
    assert_eq!(database.view("v"), Some(&view));
    assert_eq!(database.view(&alias.id.to_string()), Some(&alias));
    assert_eq!(indexes(&store, "v"), before);
    store.create_database("shop").unwrap();
    assert_eq!(store.catalog().database("shop").unwrap().views().count(), 0);
}
