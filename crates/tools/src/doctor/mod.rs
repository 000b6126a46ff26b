//! `persea doctor`: examines a machine and a server, and says what to change.
//!
//! [`machine`] examines limits, memory and the disk of this machine, [`certificate`] examines
//! certificates. [`server`] asks a server for its metrics. Each returns findings, which the tool
//! prints.

mod certificate;
mod machine;
mod options;
mod server;

use self::options::Settings;
use crate::options::server::{client_options, wants_no_server};
use crate::{Console, Failure, Tool, connect};
use ::options::Options;

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "doctor",
    links: &[],
    summary: "check the machine and a server, and suggest changes",
    when_stopped: "not everything was checked",
    handles_signals: false,
    program: &options::PROGRAM,
    run,
};

/// The state of one thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    state: State,
    /// The thing, its value, and what to change if it is not well.
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Good,
    /// It may cause trouble.
    Doubtful,
    /// It causes trouble now, or soon.
    Bad,
}

impl Finding {
    fn good(text: impl Into<String>) -> Self {
        Finding { state: State::Good, text: text.into() }
    }

    fn doubtful(text: impl Into<String>) -> Self {
        Finding { state: State::Doubtful, text: text.into() }
    }

    fn bad(text: impl Into<String>) -> Self {
        Finding { state: State::Bad, text: text.into() }
    }

    fn line(&self) -> String {
        let mark = match self.state {
            State::Good => "ok",
            State::Doubtful => "WARNING",
            State::Bad => "BAD",
        };
        format!("{mark:<8}{}", self.text)
    }
}

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    let settings = Settings::read(options);
    let mut findings = machine::look(settings.folder.as_deref());
    if let Some(keyfile) = &settings.keyfile {
        findings.extend(certificate::look_at_file(keyfile));
    }
    if !wants_no_server(options) {
        match connect(options, console, false) {
            Ok(server) => {
                findings.extend(certificate::look_at_server(server.client.options()));
                findings.extend(certificate::look_at_list(&server.client));
                findings.extend(server::look(&server.client));
            }
            Err(failure) => {
                findings.push(Finding::bad(format!("server: {}", failure.text())));
                // An expired certificate may be the reason.
                for endpoint in client_options(options)? {
                    findings.extend(certificate::look_at_server(&endpoint));
                }
            }
        }
    }
    findings.iter().for_each(|finding| console.print(&finding.line()));
    let count = |state: State| findings.iter().filter(|finding| finding.state == state).count();
    match count(State::Bad) {
        0 => Ok(()),
        bad => Err(Failure::new(format!("{bad} problems, {} warnings", count(State::Doubtful)))),
    }
}

/// Returns a number of bytes in a unit for people.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut units = UNITS.iter().peekable();
    let mut unit = UNITS[0];
    while let Some(next) = units.next() {
        unit = next;
        if value < 1024.0 || units.peek().is_none() {
            break;
        }
        value /= 1024.0;
    }
    format!("{value:.1} {unit}")
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn sizes_are_for_people() {
        assert_eq!(
            (size(0), size(1536), size(5 << 40)),
            ("0.0 bytes".into(), "1.5 KiB".into(), "5.0 TiB".into())
        );
    }

    #[test]
    fn this_machine_can_be_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let findings = machine::look(Some(folder.path()));
        let has = |what: &str| findings.iter().any(|finding| finding.text.starts_with(what));
        assert!(has("file descriptors") && has("memory") && has("clock") && has("disk"), "{findings:?}");
        let future = SystemTime::now() + Duration::from_secs(3_600);
        File::create(folder.path().join("CURRENT")).unwrap().set_modified(future).unwrap();
        let findings = machine::look(Some(folder.path()));
        let is_behind =
            |finding: &Finding| finding.state == State::Bad && finding.text.contains("s behind a file");
        assert!(findings.iter().any(is_behind), "{findings:?}");
        let missing = machine::look(Some(&folder.path().join("none")));
        assert!(missing.iter().any(|finding| finding.state == State::Bad), "{missing:?}");
    }
}
