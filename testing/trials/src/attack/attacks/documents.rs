//! Short requests for many documents: 9 kB that unpack to 5,000,000 members of a list.

use std::time::Duration;

use fastrand::Rng;
use harness::http1::{Connection, Request};

use super::Attack;
use crate::attack::case::{Case, run_cases};
use crate::attack::compressed::Repeated;
use crate::attack::target::{COLLECTION, Target};

/// Members of the short lists, and of the long ones.
const MEMBERS: [usize; 2] = [5_000_000, 50_000_000];

/// Maximum wait for a reply; then the client leaves.
const PATIENCE: Duration = Duration::from_secs(15);

/// Time after which an impatient client leaves.
const IMPATIENCE: Duration = Duration::from_millis(300);

/// Parts of a batch.
const PARTS: usize = 200_000;

/// See the module.
pub(crate) struct Documents;

impl Attack for Documents {
    fn name(&self) -> &'static str {
        "documents"
    }

    fn summary(&self) -> &'static str {
        "short requests for millions of documents"
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let places = places();
        let mut cases = Vec::new();
        for (method, path, lists) in &places {
            for members in MEMBERS {
                let request = move |target: &Target| {
                    let (before, unit, after) = *lists;
                    let text = Repeated::new(before, unit, after, members * unit.len());
                    target.request(method, path).header("content-encoding", "gzip").body(text.gzip())
                };
                let name = format!("{method} {path} of {members} members");
                cases.push(Case::new(name.clone(), move |target, _| {
                    wait(target, &request(target), PATIENCE);
                    Ok(())
                }));
                cases.push(Case::new(format!("{name}, client gone"), move |target, _| {
                    wait(target, &request(target), IMPATIENCE);
                    Ok(())
                }));
            }
        }
        cases.push(Case::new(format!("a batch of {PARTS} parts"), |target, _| {
            wait(target, &batch(target), PATIENCE);
            Ok(())
        }));
        run_cases(target, rng, cases)
    }
}

/// A list of keys or documents: text before, a member, text after.
type List = (&'static str, &'static str, &'static str);

/// Returns methods and paths with the bodies that they take.
fn places() -> Vec<(&'static str, String, List)> {
    let numbers = ("[1", ",1", "]");
    let keys = ("{\"collection\":\"c\",\"keys\":[\"1\"", ",\"1\"", "]}");
    let document = format!("/_api/document/{COLLECTION}");
    let import = format!("/_api/import?collection={COLLECTION}&type=");
    vec![
        ("POST", document.clone(), numbers),
        ("POST", format!("{document}?returnNew=true"), ("[{}", ",{}", "]")),
        ("PUT", document.clone(), numbers),
        ("PATCH", format!("{document}?returnOld=true"), ("[{}", ",{}", "]")),
        ("DELETE", document.clone(), numbers),
        ("PUT", format!("{document}?onlyget=true"), numbers),
        ("POST", format!("{import}list&details=true"), numbers),
        ("POST", format!("{import}documents&details=true"), ("1", "\n1", "\n")),
        ("POST", format!("{import}auto&details=true"), ("1", "\n1", "\n")),
        ("PUT", "/_api/simple/lookup-by-keys".to_owned(), keys),
        ("PUT", "/_api/simple/remove-by-keys".to_owned(), keys),
    ]
}

/// Waits for the reply for some time, then leaves.
fn wait(target: &Target, request: &Request, patience: Duration) {
    target.count(1);
    // Errors: the client has left, or was refused by the end of the connection.
    let _ = Connection::open(target.address(), patience).and_then(|mut connection| connection.ask(request));
}

fn batch(target: &Target) -> Request {
    let part =
        "--X\r\ncontent-type: application/x-arango-batchpart\r\n\r\nGET /_api/version HTTP/1.1\r\n\r\n\r\n";
    let text = Repeated::new("", part, "--X--\r\n", PARTS * part.len());
    target
        .request("POST", "/_api/batch")
        .header("content-type", "multipart/form-data; boundary=X")
        .header("content-encoding", "gzip")
        .body(text.gzip())
}
