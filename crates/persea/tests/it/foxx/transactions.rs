//! Transactions of services.

use serde_json::{Value, json};

use super::install_script;
use crate::support::{Server, post};

/// A transaction of a service runs in its isolate, with the variables around the function.
#[test]
fn a_transaction_of_a_service_is_one_whole() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut client = server.connect();
    for name in ["books", "other"] {
        post(&mut client, "/_api/collection", &json!({"name": name}));
    }
    install_script(
        &mut client,
        "/shop",
        "const { db, aql } = require('@arangodb');
         const queues = require('@arangodb/foxx/queues');
         const outside = { calls: 0 };
         const within = (write, action, params) => db._executeTransaction({ collections: { write }, params, action });
         router.get('/good', (req, res) => {
           const keys = ['a', 'b'];
           const count = within('books', (params) => {
             outside.calls += 1;
             for (const _key of keys) db.books.insert({ _key, by: params.by });
             db._query(aql`FOR b IN books UPDATE b WITH { seen: true } IN books`);
             return db.books.count();
           }, { by: 'me' });
           res.json({ count, calls: outside.calls });
         });
         router.get('/bad', (req, res) => {
           within(['books'], () => { db.books.insert({ _key: 'c' }); res.throw(418, 'no more'); });
         });
         router.get('/nested', (req, res) => {
           within(['books'], () => within('other', () => 1));
         });
         router.get('/definition', (req, res) => {
           within(['books'], () => db._create('more'));
         });
         router.get('/job', (req, res) => {
           const queue = queues.create('mails');
           within(['books', '_jobs'], () => queue.push({ name: 'none', mount: '/nowhere' }, {}, { delayUntil: Date.now() + 1e8 }));
           res.json(queue.pending().length);
         });
         router.get('/after', (req, res) => res.json(db.books.toArray().map((book) => [book._key, book.by, book.seen])));",
    );
    let mut get = |path: &str| super::get(&mut client, &format!("/shop/{path}"));
    assert_eq!(get("good"), (200, r#"{"count":2,"calls":1}"#.to_owned()));
    assert_eq!(get("bad").0, 418);
    let (status, text) = get("nested");
    assert!(status >= 400 && text.contains("1651"), "{status} {text}");
    let (status, text) = get("definition");
    assert!(status >= 400 && text.contains("1653"), "{status} {text}");
    assert_eq!(get("job"), (200, "1".to_owned()));
    let (_, after) = get("after");
    let mut after: Vec<Value> = serde_json::from_str(&after).unwrap();
    after.sort_by_key(Value::to_string);
    assert_eq!(after, [json!(["a", "me", true]), json!(["b", "me", true])]);
    let open = client.json("GET", "/_api/transaction", "").json();
    assert_eq!(open["transactions"], json!([]), "no transaction is left open");
}
