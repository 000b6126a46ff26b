//! Backups under load: the pauses of writers, and the times of creation, upload, verification and
//! restore.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use harness::{Server, wait_within};

use crate::folder::bytes_below;
use crate::http::{Connection, JSON, request};
use crate::report::{Report, Target};
use crate::servers::settle;
use crate::{Failure, Setup, import};

/// The connections that write single documents all the time.
const WRITERS: usize = 4;

/// The time in which writers are measured without a backup, before the backup and after it.
const CALM: Duration = Duration::from_secs(10);

/// The maximum wait for a server that starts on a restored backup.
const RESTART_TIME: Duration = Duration::from_secs(600);

/// One write: its start, and the time until its reply.
type Write = (Instant, Duration);

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let documents = setup.documents(10_000_000);
    let folder = tempfile::tempdir()?;
    let repository = folder.path().join("repository");
    let server = setup.persea(&folder.path().join("data"), &[])?;
    let begin = Instant::now();
    import::load(&server, "docs", documents)?;
    import::create(&server, "written")?;
    settle(&server);
    let data = bytes_below(&folder.path().join("data"))?;
    report.figure("load of the documents, and merging", seconds(begin), "s", &Target::None);
    report.figure("data folder", data as f64 / 1e9, "GB", &Target::None);

    let first = under_load(&server, report)?;
    settle(&server);
    let tool = Tool { program: setup.tools.as_ref().unwrap_or(&setup.server), server: &server, repository };
    tool.upload(&first, "first upload to a folder", &Target::None, report)?;
    // The server may have merged tables since the first one.
    let (second, _) = create(&server, "second")?;
    tool.upload(&second, "second upload, after merges", &Target::None, report)?;
    let (third, time) = create(&server, "third")?;
    report.figure("creation of a third backup, unchanged", time, "s", &Target::AtMost(1.0));
    tool.upload(&third, "third upload, unchanged", &Target::AtMost(1.0), report)?;
    let begin = Instant::now();
    tool.run("verify", &[], &[])?;
    report.figure("verification of the repository", seconds(begin), "s", &Target::None);
    restore(&server, &folder.path().join("data"), &first, documents, report)
}

/// Creates a backup while writers continue, and returns its id.
fn under_load(server: &Server, report: &mut Report) -> Result<String, Failure> {
    let stop = AtomicBool::new(false);
    let (backup, writes) = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| scope.spawn(|| write(server, &stop).map_err(|failure| failure.to_string())))
            .collect();
        // Writes are measured over this time, here and after the backup.
        std::thread::sleep(CALM);
        let begin = Instant::now();
        let backup = create(server, "first");
        let end = Instant::now();
        std::thread::sleep(CALM);
        stop.store(true, Ordering::Relaxed);
        let writes: Result<Vec<Vec<Write>>, String> = writers
            .into_iter()
            .map(|writer| writer.join().unwrap_or(Err("a writer panicked".into())))
            .collect();
        (backup.map(|backup| (backup, begin, end)), writes)
    });
    let ((id, time), begin, end) = backup?;
    let writes: Vec<Write> = writes?.concat();
    let is_during = |write: &&Write| write.0 < end && write.0 + write.1 > begin;
    let during = longest(writes.iter().filter(is_during));
    let calm = longest(writes.iter().filter(|write| !is_during(write)));
    report.figure("creation of a backup under load", time, "s", &Target::None);
    report.figure("writes a second without it", rate(&writes, begin), "", &Target::None);
    report.figure("longest write without it", calm, "ms", &Target::None);
    report.figure("longest write during it", during, "ms", &Target::AtMost(100.0));
    Ok(id)
}

/// Writes single documents until it is stopped.
fn write(server: &Server, stop: &AtomicBool) -> Result<Vec<Write>, Failure> {
    let mut connection = Connection::open(server.port())?;
    let insert = request("POST", "/_api/document/written", JSON, br#"{"name":"amber birch cedar","n":1}"#);
    let mut writes = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let begin = Instant::now();
        connection.expect_success(&insert)?;
        writes.push((begin, begin.elapsed()));
    }
    Ok(writes)
}

/// Returns the milliseconds of the longest write.
fn longest<'a>(writes: impl Iterator<Item = &'a Write>) -> f64 {
    writes.map(|write| write.1).max().unwrap_or_default().as_secs_f64() * 1e3
}

/// Returns the writes a second in the calm time before a moment.
fn rate(writes: &[Write], before: Instant) -> f64 {
    let count = writes.iter().filter(|write| write.0 < before).count();
    count as f64 / CALM.as_secs_f64()
}

/// Creates a backup, and returns its id and the seconds that it took.
fn create(server: &Server, label: &str) -> Result<(String, f64), Failure> {
    let body = format!(r#"{{"label":"{label}"}}"#);
    let begin = Instant::now();
    let mut connection = Connection::open(server.port())?;
    let reply =
        connection.expect_success(&request("POST", "/_admin/backup/create", JSON, body.as_bytes()))?;
    let time = seconds(begin);
    let reply: serde_json::Value = serde_json::from_slice(reply)?;
    let id = reply.pointer("/result/id").and_then(|id| id.as_str()).ok_or("the backup has no id")?;
    Ok((id.to_owned(), time))
}

/// The command line tool, the server that it asks, and the repository.
struct Tool<'a> {
    program: &'a Path,
    server: &'a Server,
    repository: PathBuf,
}

impl Tool<'_> {
    fn run(&self, operation: &str, options: &[&str], of_server: &[&str]) -> Result<(), Failure> {
        let mut command = Command::new(self.program);
        command.args(["backup", operation, "--repository"]).arg(&self.repository).args(options);
        if !of_server.is_empty() {
            let endpoint = format!("http+tcp://127.0.0.1:{}", self.server.port());
            command.args(["--server.endpoint", &endpoint]).args(of_server);
        }
        let output = command.output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
    }

    fn upload(&self, id: &str, what: &str, target: &Target, report: &mut Report) -> Result<(), Failure> {
        let before = bytes_below(&self.repository)?;
        let begin = Instant::now();
        self.run("upload", &["--identifier", id, "--wait", "true"], &["--server.password", ""])?;
        report.figure(what, seconds(begin), "s", target);
        let added = bytes_below(&self.repository)? - before;
        report.figure(&format!("{what}: room in the repository"), added as f64 / 1e6, "MB", &Target::None);
        Ok(())
    }
}

/// Restores a backup, and checks that it has its documents.
fn restore(
    server: &Server,
    data: &Path,
    id: &str,
    documents: u64,
    report: &mut Report,
) -> Result<(), Failure> {
    let body = format!(r#"{{"id":"{id}"}}"#);
    let begin = Instant::now();
    Connection::open(server.port())?.expect_success(&request(
        "POST",
        "/_admin/backup/restore",
        JSON,
        body.as_bytes(),
    ))?;
    report.figure("restore: check and links", seconds(begin), "s", &Target::None);
    let restart = Instant::now();
    // The file is there until the data is in its place.
    let is_restored = || (!data.join("backups/RESTORE").exists()).then_some(());
    wait_within(RESTART_TIME, "the data is not in its place", is_restored)?;
    let count = request("GET", "/_api/collection/docs/count", "", b"");
    let ask = || -> Result<Vec<u8>, Failure> {
        Ok(Connection::open(server.port())?.expect_success(&count)?.to_vec())
    };
    let reply = wait_within(RESTART_TIME, "the server does not answer", || ask().ok())?;
    report.figure("restore: restart until the first answer", seconds(restart), "s", &Target::None);
    let reply: serde_json::Value = serde_json::from_slice(&reply)?;
    if reply["count"] != documents {
        return Err(format!("the restored data has {} documents, not {documents}", reply["count"]).into());
    }
    Ok(())
}

fn seconds(begin: Instant) -> f64 {
    begin.elapsed().as_secs_f64()
}
