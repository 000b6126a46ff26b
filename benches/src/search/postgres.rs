//! The same searches in PostgreSQL: a GIN index over `to_tsvector('simple', t)`.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use harness::{GuardedChild, wait_until};

use super::{Built, Wanted};
use crate::Failure;

const SETTINGS: &str =
    "listen_addresses = ''\nshared_buffers = 2GB\nwork_mem = 128MB\nmaintenance_work_mem = 512MB
synchronous_commit = off\nwal_level = minimal\nmax_wal_senders = 0\nmax_wal_size = 8GB\njit = off\n";

/// A server, which ends when this is dropped.
pub(super) struct Postgres {
    programs: PathBuf,
    server: GuardedChild,
    folder: tempfile::TempDir,
}

impl Postgres {
    pub(super) fn start(programs: &Path) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let data = folder.path().join("db");
        let is_root =
            std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        if is_root {
            // PostgreSQL does not run as root.
            run(Command::new("chown").arg("postgres").arg(folder.path()))?;
        }
        let program = |name: &str| {
            let path = programs.join(name);
            if !is_root {
                return Command::new(path);
            }
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(path);
            command
        };
        run(program("initdb").arg("-D").arg(&data).args([
            "-U",
            "bench",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
        ]))?;
        let settings = format!("{SETTINGS}unix_socket_directories = '{}'\n", folder.path().display());
        std::fs::OpenOptions::new()
            .append(true)
            .open(data.join("postgresql.conf"))?
            .write_all(settings.as_bytes())?;
        let mut command = program("postgres");
        command.arg("-D").arg(&data).stdout(Stdio::null()).stderr(Stdio::null());
        let server = GuardedChild::spawn(&mut command)?;
        let mut postgres = Postgres { programs: programs.to_owned(), server, folder };
        wait_until("PostgreSQL does not start", || postgres.sql("SELECT 1").is_ok())?;
        Ok(postgres)
    }

    /// Stores texts under their numbers.
    pub(super) fn load<'t>(&mut self, texts: impl Iterator<Item = &'t str>) -> Result<(), Failure> {
        self.sql("CREATE TABLE t(k bigint primary key, t text)")?;
        let mut child = self.psql("COPY t FROM STDIN").stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        if let Some(input) = child.stdin.take() {
            let mut input = std::io::BufWriter::new(input);
            for (number, text) in texts.enumerate() {
                writeln!(input, "{number}\t{text}")?;
            }
        }
        if !child.wait()?.success() {
            return Err("PostgreSQL does not take the texts".into());
        }
        self.sql("VACUUM ANALYZE t").map(|_| ())
    }

    pub(super) fn index(&mut self) -> Result<Built, Failure> {
        let (started, cpu) = (Instant::now(), self.server.process().cpu_time_with_children());
        self.sql("CREATE INDEX words ON t USING gin(to_tsvector('simple', t))")?;
        let seconds = started.elapsed().as_secs_f64();
        let bytes = self.sql("SELECT pg_relation_size('words')")?.trim().parse()?;
        // The server knows the time of the connection that made the index once that has ended.
        let cpu_seconds = (self.server.process().cpu_time_with_children() - cpu).as_secs_f64();
        Ok(Built { seconds, cpu_seconds, bytes })
    }

    /// Returns the numbers of all texts that are found.
    pub(super) fn keys(&mut self, wanted: &Wanted) -> Result<BTreeSet<u64>, Failure> {
        let keys = self.sql(&format!("SELECT k FROM t WHERE {}", condition(wanted)))?;
        keys.lines().map(|key| Ok(key.parse()?)).collect()
    }

    /// Returns the server's milliseconds for the best ten texts, in the second of two runs.
    pub(super) fn best(&mut self, wanted: &Wanted) -> Result<f64, Failure> {
        let query = query_of(wanted);
        let select = format!(
            "EXPLAIN (ANALYZE, TIMING OFF) SELECT t FROM t WHERE to_tsvector('simple', t) @@ {query} \
             ORDER BY ts_rank(to_tsvector('simple', t), {query}) DESC LIMIT 10"
        );
        self.sql(&select)?;
        let plan = self.sql(&select)?;
        let time = plan.lines().find_map(|line| line.trim().strip_prefix("Execution Time: "));
        let time = time.and_then(|time| time.strip_suffix(" ms")).ok_or("a plan has no time")?;
        Ok(time.parse()?)
    }

    fn psql(&self, statement: &str) -> Command {
        let mut command = Command::new(self.programs.join("psql"));
        command.args(["-qAtX", "-U", "bench", "-d", "postgres", "-h"]).arg(self.folder.path());
        command.args(["-c", statement]);
        command
    }

    fn sql(&mut self, statement: &str) -> Result<String, Failure> {
        let output = self.psql(statement).stderr(Stdio::null()).output()?;
        if !output.status.success() {
            return Err(format!("PostgreSQL refuses {statement}").into());
        }
        Ok(String::from_utf8(output.stdout)?)
    }
}

/// Words have letters only, so that no quotes are needed.
fn query_of(wanted: &Wanted) -> String {
    match wanted {
        Wanted::Word(word) => format!("to_tsquery('simple', '{word}')"),
        Wanted::Both(first, second) => format!("to_tsquery('simple', '{first} & {second}')"),
        Wanted::Phrase(words) => format!("to_tsquery('simple', '{}')", words.join(" <-> ")),
    }
}

fn condition(wanted: &Wanted) -> String {
    format!("to_tsvector('simple', t) @@ {}", query_of(wanted))
}

fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command.stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}").into()) }
}
