//! Imports: stored and rejected documents, and `complete` as all or nothing across chunks.

use database::Session;
use database::import::{ImportBody, ImportForm, ImportOutcome, ImportRequest};
use errors::ErrorCode;
use storage::{Durability, OverwriteMode};

use crate::common::{count, create, rows, session};

/// More documents than are stored together.
const MANY: usize = 2_500;

fn request() -> ImportRequest {
    ImportRequest {
        form: ImportForm::Lines,
        on_duplicate: OverwriteMode::Conflict,
        complete: false,
        details: true,
        overwrite: false,
        ignore_missing: false,
        from_prefix: String::new(),
        to_prefix: String::new(),
        overwrite_prefix: false,
        skip_validation: false,
        durability: Durability::Buffered,
    }
}

fn import(session: &Session, text: &str, request: &ImportRequest) -> errors::Result<ImportOutcome> {
    session.import("docs", ImportBody::Json(text.as_bytes()), request)
}

fn lines(keys: impl Iterator<Item = usize>) -> String {
    keys.map(|key| format!("{{\"_key\":\"{key}\",\"n\":{key}}}\n")).collect()
}

fn with_docs() -> Session {
    let session = session();
    create(&session, r#"{"name": "docs"}"#);
    session
}

#[test]
fn many_documents_go_in_chunks_and_each_rejection_has_its_place() {
    let session = with_docs();
    let text = lines((0..MANY).chain([7]).chain(MANY..2 * MANY));
    let outcome = import(&session, &text, &request()).unwrap();
    assert_eq!((outcome.created, outcome.errors, outcome.empty), (2 * MANY as u64, 1, 0));
    assert!(outcome.details[0].starts_with(&format!("at position {MANY}: creating document failed")));
    assert_eq!(count(&session, "docs"), 2 * MANY as u64);
}

#[test]
fn complete_takes_all_chunks_back() {
    let session = with_docs();
    let complete = ImportRequest { complete: true, ..request() };
    let text = lines((0..MANY).chain([7]));
    assert_eq!(import(&session, &text, &complete).unwrap_err().number(), 1210);
    assert_eq!(count(&session, "docs"), 0);
    assert_eq!(import(&session, &lines(0..MANY), &complete).unwrap().created, MANY as u64);
    assert_eq!(count(&session, "docs"), MANY as u64);
}

#[test]
fn overwriting_completely_keeps_the_old_documents_when_it_fails() {
    let session = with_docs();
    import(&session, &lines(0..MANY), &request()).unwrap();
    let complete = ImportRequest { complete: true, overwrite: true, ..request() };
    for broken in ["{\"_key\":\"new\"}\n{", "{\"_key\":\"new\"}\n[]", "{\"_key\":\"not a key\"}"] {
        import(&session, broken, &complete).unwrap_err();
        assert_eq!(count(&session, "docs"), MANY as u64, "{broken}");
    }
    assert_eq!(import(&session, "{\"_key\":\"new\"}", &complete).unwrap().created, 1);
    assert_eq!(rows(&session, "FOR d IN docs RETURN d._key"), serde_json::json!(["new"]));
}

#[test]
fn a_body_that_is_not_what_the_request_says_changes_nothing() {
    let session = with_docs();
    import(&session, &lines(0..3), &request()).unwrap();
    for (form, text, expected) in [
        (ImportForm::List, "{}", ErrorCode::HttpBadParameter),
        (ImportForm::List, "[{}", ErrorCode::HttpCorruptedJson),
        (ImportForm::List, "", ErrorCode::HttpCorruptedJson),
        (ImportForm::Auto, "[{\"a\":1,\"a\":2}]", ErrorCode::HttpCorruptedJson),
        (ImportForm::Table, "{\"a\":1}", ErrorCode::HttpBadParameter),
        (ImportForm::Table, "[\"a\",5]\n[1,2]", ErrorCode::HttpBadParameter),
        (ImportForm::Table, "[\"a\"", ErrorCode::HttpBadParameter),
    ] {
        let error = import(&session, text, &ImportRequest { form, ..request() }).unwrap_err();
        assert_eq!(error.code(), expected, "{form:?} {text}");
    }
    assert_eq!(count(&session, "docs"), 3);
}

#[test]
fn empty_lines_are_counted_and_any_line_end_is_understood() {
    let session = with_docs();
    let outcome = import(&session, "\r\n{\"n\":1}\r\n  \n\n{\"n\":2}", &request()).unwrap();
    assert_eq!((outcome.created, outcome.empty, outcome.errors), (2, 3, 0));
    let table = ImportRequest { form: ImportForm::Table, ..request() };
    let outcome = import(&session, "\n[\"n\"]\n\n[3]\n[4]\n", &table).unwrap();
    assert_eq!((outcome.created, outcome.empty, outcome.errors), (2, 2, 0));
    assert_eq!(rows(&session, "FOR d IN docs SORT d.n RETURN d.n"), serde_json::json!([1, 2, 3, 4]));
    assert_eq!(import(&session, "", &request()).unwrap(), ImportOutcome::default());
}

#[test]
fn long_documents_are_quoted_in_part() {
    let session = with_docs();
    let text = format!("{{\"_key\":\"a b\",\"t\":\"{}\"}}\n{{\"t\":\"{}", "ä".repeat(500), "ö".repeat(500));
    let outcome = import(&session, &text, &request()).unwrap();
    assert_eq!((outcome.created, outcome.errors), (0, 2));
    assert!(outcome.details.iter().all(|message| message.len() < 500 && message.ends_with("...")));
}

#[test]
fn an_unknown_collection_and_a_user_who_may_not_write_are_refused() {
    let session = with_docs();
    let lines = || ImportBody::Json(b"{}");
    assert_eq!(
        session.import("nowhere", lines(), &request()).unwrap_err().code(),
        ErrorCode::DataSourceNotFound
    );
    let mut user = catalog::UserDefinition::new("reader", String::new());
    user.rights.grant_database("_system", catalog::AccessLevel::ReadOnly);
    session.instance().store().create_user(user).unwrap();
    let instance = std::sync::Arc::clone(session.instance());
    let reader = Session::open(instance, "_system", database::Identity::User("reader".into())).unwrap();
    let overwrite = ImportRequest { overwrite: true, ..request() };
    assert_eq!(reader.import("docs", lines(), &overwrite).unwrap_err().code(), ErrorCode::ReadOnly);
}
