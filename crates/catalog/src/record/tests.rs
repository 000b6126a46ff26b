use proptest::prelude::*;

use super::*;
use crate::access_token::AccessToken;
use crate::collection::CollectionProperties;
use crate::index::IndexProperties;
use crate::testing::value;
use crate::*;

fn collection() -> CollectionDefinition {
    let body = value(
        r#"{"name": "edges", "type": 3, "waitForSync": true, "cacheEnabled": true, "writeConcern": 2,
            "keyOptions": {"type": "autoincrement", "offset": 3, "increment": 7, "allowUserKeys": false},
            "schema": {"rule": {"required": ["a"]}, "level": "moderate", "message": "no a"},
            "computedValues": [{"name": "b", "expression": "RETURN 1", "overwrite": true, "computeOn": ["insert"],
                                "keepNull": false, "failOnWarning": true}]}"#,
    );
    let index = value(
        r#"{"type": "hash", "fields": ["a.b", "c[*].d"], "unique": true, "sparse": true, "deduplicate": false,
            "estimates": false, "cacheEnabled": true, "storedValues": ["x.y"], "name": "mine"}"#,
    );
    let index = IndexProperties::parse(Slice::new(&index)).unwrap();
    CollectionDefinition {
        id: CollectionId(77),
        object_id: ObjectId(u64::MAX - 1),
        globally_unique_id: "h1/77".to_owned(),
        properties: CollectionProperties::parse(Slice::new(&body), false).unwrap(),
        indexes: vec![
            IndexDefinition::primary(ObjectId(u64::MAX - 1)),
            IndexDefinition::edge(ObjectId(78)),
            IndexDefinition::new(IndexId(80), ObjectId(79), index),
        ],
    }
}

fn user() -> UserDefinition {
    let mut user = UserDefinition::new("anna", "$argon2id$x".to_owned());
    user.set_extra(Slice::new(&value(r#"{"theme": {"dark": true}}"#))).unwrap();
    user.active = false;
    user.rights.grant_database("shop", AccessLevel::ReadOnly);
    user.rights.grant_collection("shop", "products", AccessLevel::None);
    user.rights.grant_collection("*", "*", AccessLevel::ReadWrite);
    let token = AccessToken {
        id: 0,
        name: "backup".to_owned(),
        created_at: 1_700_000_000,
        valid_until: 1_800_000_000,
        fingerprint: "v1...227d7d".to_owned(),
        digest: "0123".to_owned(),
    };
    user.tokens.add(token).unwrap();
    user
}

#[test]
fn definitions_are_read_as_they_were_written() {
    let collection = collection();
    assert_eq!(CollectionDefinition::from_record(&collection.to_record().unwrap()), Ok(collection));
    let user = user();
    assert_eq!(UserDefinition::from_record(&user.to_record().unwrap()), Ok(user));
    let database = DatabaseDefinition { id: DatabaseId(5), name: "España".to_owned() };
    assert_eq!(DatabaseDefinition::from_record(&database.to_record().unwrap()), Ok(database));
}

#[test]
fn a_newer_format_is_refused() {
    let mut record = user().to_record().unwrap();
    record[0] = RECORD_FORMAT + 1;
    let error = UserDefinition::from_record(&record).unwrap_err();
    assert_eq!(error.code(), ErrorCode::IncompatibleVersion);
    assert!(error.message().contains("newer version"), "{}", error.message());
}

#[test]
fn another_kind_of_record_is_damage() {
    let database = DatabaseDefinition { id: DatabaseId(5), name: "d".to_owned() }.to_record().unwrap();
    assert_eq!(UserDefinition::from_record(&database).unwrap_err().code(), ErrorCode::CorruptedCollection);
    assert_eq!(UserDefinition::from_record(&[]).unwrap_err().code(), ErrorCode::CorruptedCollection);
}

proptest! {
    #[test]
    fn damaged_records_are_refused_or_read_but_never_panic(position in 0usize..600, byte: u8, length in 0usize..600) {
        let mut record = collection().to_record().unwrap();
        let position = position % record.len();
        record[position] = byte;
        record.truncate(length.max(1));
        let _ = CollectionDefinition::from_record(&record);
    }
}
