//! Folders that are full or read-only.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fastrand::Rng;
use harness::wait_within;
use serde_json::json;

use super::Attack;
use crate::attack::case::{Case, run_cases};
use crate::attack::mounts;
use crate::attack::target::{COLLECTION, Target};

/// Megabytes of the file systems of the data and of temporary files.
const MEGABYTES: (u32, u32) = (300, 24);

/// Number of concurrent queries that spill.
const SPILLING: usize = 3;

/// Bytes of a document, and most documents that are written to a full folder.
const DOCUMENTS: (usize, usize) = (100_000, 1_500);

/// Maximum time until writes succeed again after there is room.
const RECOVERY: Duration = Duration::from_secs(15);

/// A query that sorts more than fits into memory.
const SPILL: &str = "FOR i IN 1..2000000 LET d = {i, t: REPEAT('x', 200)} SORT SHA1(TO_STRING(i)) LIMIT 1000, 1900000 RETURN d.i";

/// The part of an error's message that asks for a restart.
const STOPPED: &str = "until the server is started again";

/// See the module.
pub(crate) struct Disk;

impl Attack for Disk {
    fn name(&self) -> &'static str {
        "disk"
    }

    fn summary(&self) -> &'static str {
        "folders of data and temporary files that are full or read-only"
    }

    fn options(&self, folder: &Path) -> Result<Vec<String>, String> {
        mounts::small(&folder.join("data"), MEGABYTES.0)?;
        let temporary = folder.join("temporary");
        mounts::small(&temporary, MEGABYTES.1)?;
        Ok(vec!["--temp.path".to_owned(), temporary.display().to_string()])
    }

    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String> {
        let cases = vec![
            Case::new("the temporary folder is full", |target, _| spill(target)),
            Case::new("the folder of the data is full", |target, _| {
                while_broken(target, || fill(&data(target)), |filler| drop(std::fs::remove_file(filler)))
            }),
            Case::new("the folder of the data is read-only", |target, _| {
                let cover = || mounts::read_only(&data(target));
                while_broken(target, cover, |()| drop(mounts::uncover(&data(target))))
            }),
        ];
        run_cases(target, rng, cases)
    }
}

fn data(target: &Target) -> PathBuf {
    target.data().to_owned()
}

/// Errors: a query ends without a reply, or files remain.
fn spill(target: &Target) -> Result<(), String> {
    let body = json!({"query": SPILL, "batchSize": 1_000}).to_string();
    let ask = || target.ask(&target.request("POST", "/_api/cursor").body(&*body));
    let replies: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..SPILLING).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    for reply in replies {
        let reply = reply.map_err(|error| format!("a query has no reply: {error}"))?;
        if reply.status >= 300 && reply.error_number() == 0 {
            return Err(format!("a query was answered with {} {}", reply.status, reply.text()));
        }
        if let Some(id) = reply.json()["id"].as_str() {
            // Errors: the cursor has ended.
            let _ = target.ask(&target.request("DELETE", &format!("/_api/cursor/{id}")));
        }
    }
    target.call("POST", "/_api/cursor", "{\"query\":\"FOR i IN 1..10 SORT -i RETURN i\"}").map(|_| ())
}

/// Writes while the folder is broken, and after it was mended.
///
/// Errors: a reply without an error number, or writes that fail for long after the mending.
fn while_broken<B>(
    target: &Target,
    break_it: impl FnOnce() -> Result<B, String>,
    mend: impl FnOnce(B),
) -> Result<(), String> {
    target.bystander().excuse(true);
    let broken = break_it()?;
    let written = write_until_refused(target);
    mend(broken);
    let recovered = until_written(target);
    if recovered.is_err() {
        target.restart()?;
    }
    target.bystander().excuse(false);
    written.and(recovered)
}

/// Fills a file system but for some bytes. Returns the file that does.
fn fill(folder: &Path) -> Result<PathBuf, String> {
    let path = folder.join("filler");
    let mut file = std::fs::File::create(&path).map_err(|error| error.to_string())?;
    // Until there is no more room.
    while file.write_all(&[1; 1 << 20]).is_ok() {}
    Ok(path)
}

/// Writes until a write is refused. Errors: a reply that does not say why.
fn write_until_refused(target: &Target) -> Result<(), String> {
    let body = json!({"text": "a".repeat(DOCUMENTS.0)}).to_string();
    let path = format!("/_api/document/{COLLECTION}");
    for number in 0..DOCUMENTS.1 {
        if number % 100 == 99 {
            // Errors: it is refused, which is right.
            let _ = target.ask(&target.request("PUT", "/_admin/wal/flush"));
        }
        let reply = target.ask(&target.request("POST", &path).body(&*body));
        let reply = reply.map_err(|error| format!("a write has no reply: {error}"))?;
        if reply.status >= 300 {
            println!("    refused after {number} writes: {} {}", reply.status, reply.text());
            let has_number = reply.error_number() > 0;
            return if has_number { Ok(()) } else { Err(format!("{} {}", reply.status, reply.text())) };
        }
    }
    Ok(())
}

/// Writes, after a restart if the server asks for it.
///
/// Errors: nothing can be written, although there is room.
fn until_written(target: &Target) -> Result<(), String> {
    let path = format!("/_api/document/{COLLECTION}");
    let mut refusal = String::new();
    let written = wait_within(RECOVERY, "no write succeeds although there is room again,", || {
        match target.call("POST", &path, "{}") {
            Ok(_) => return Some(Ok(())),
            Err(error) if error.contains(STOPPED) => return target.restart().err().map(Err),
            Err(error) => refusal = error,
        }
        None
    });
    written.map_err(|error| format!("{error}: {refusal}"))?
}
