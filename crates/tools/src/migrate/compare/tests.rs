//! Tests of the sums: the order does not count, every document does.

use super::buckets::Buckets;

fn buckets(documents: impl Iterator<Item = (String, String)>) -> Buckets {
    let mut buckets = Buckets::default();
    documents.for_each(|(key, revision)| buckets.add(&key, &revision));
    buckets
}

fn documents(count: u32) -> impl DoubleEndedIterator<Item = (String, String)> {
    (0..count).map(|number| (format!("k{number}"), format!("_r{number}")))
}

#[test]
fn equal_documents_in_any_order_have_equal_sums() {
    let differing = buckets(documents(1_000)).differing(&buckets(documents(1_000).rev()));
    assert!(differing.is_empty() && !differing.is_cut);
}

#[test]
fn one_document_that_differs_is_found() {
    let whole = buckets(documents(1_000));
    let missing = buckets(documents(1_000).filter(|(key, _)| key != "k7"));
    let changed = buckets(documents(1_000).map(|(key, revision)| {
        let revision = if key == "k7" { "_x".to_owned() } else { revision };
        (key, revision)
    }));
    // Two documents that exchange their revisions.
    let exchanged = buckets(documents(1_000).map(|(key, revision)| match key.as_str() {
        "k7" => (key, "_r8".to_owned()),
        "k8" => (key, "_r7".to_owned()),
        _ => (key, revision),
    }));
    for other in [&missing, &changed, &exchanged] {
        let differing = whole.differing(other);
        assert!(differing.has("k7") && !differing.is_empty());
    }
    assert!(whole.differing(&Buckets::default()).has("k999"));
}
