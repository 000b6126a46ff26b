//! The state of a server that follows another one.

use velocypack::Slice;

/// The phase of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It follows no other server.
    None,
    /// It copies the databases.
    Copying,
    /// It applies the log.
    Following,
    /// It was told to pause.
    Paused,
    /// It takes over.
    CuttingOver,
    /// It follows no longer, and has what it copied.
    Ended,
    /// It cannot continue by itself.
    Failed,
    /// A phase that this tool does not know.
    Unknown,
}

impl Phase {
    fn from_name(name: &str) -> Self {
        match name {
            "none" => Phase::None,
            "copying" => Phase::Copying,
            "following" => Phase::Following,
            "paused" => Phase::Paused,
            "cutting-over" => Phase::CuttingOver,
            "ended" => Phase::Ended,
            "failed" => Phase::Failed,
            _ => Phase::Unknown,
        }
    }
}

/// A thing that does not come over as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) what: String,
    pub(crate) place: String,
    pub(crate) effect: String,
}

impl Problem {
    /// Returns the problem in one line.
    pub(crate) fn line(&self) -> String {
        let place = if self.place.is_empty() { String::new() } else { format!(" in {}", self.place) };
        format!("{}{place}: {}", self.what, self.effect)
    }
}

/// Returns the problems of a reply.
pub(crate) fn problems(reply: Slice<'_>) -> Vec<Problem> {
    let list = reply.get("problems").filter(|list| list.is_array()).unwrap_or(Slice::EMPTY_ARRAY);
    let text = |problem: Slice<'_>, name| said(problem, &[name]).to_owned();
    let problem = |value: Slice<'_>| Problem {
        what: text(value, "what"),
        place: text(value, "where"),
        effect: text(value, "effect"),
    };
    list.elements().map(problem).collect()
}

/// The reply of `GET /_api/follow`.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    reply: Vec<u8>,
    pub(crate) phase: Phase,
}

impl Status {
    pub(crate) fn of(reply: Vec<u8>) -> Self {
        let phase = Phase::from_name(said(Slice::new(&reply), &["phase"]));
        Status { reply, phase }
    }

    fn value(&self) -> Slice<'_> {
        Slice::new(&self.reply)
    }

    fn text(&self, path: &[&str]) -> &str {
        said(self.value(), path)
    }

    /// Returns a number of the reply; 0 where there is none.
    pub(crate) fn number(&self, path: &[&str]) -> u64 {
        self.value().get_path(path).and_then(Slice::as_f64).map_or(0, |number| number as u64)
    }

    /// Returns the entries of the log that are not applied yet.
    pub(crate) fn lag_entries(&self) -> u64 {
        self.number(&["log", "lagEntries"])
    }

    /// Returns the lag for a person. Its time is unknown until all was applied once.
    fn lag(&self) -> String {
        let seconds = self.value().get_path(&["log", "lagSeconds"]).and_then(Slice::as_f64);
        let seconds = seconds.map(|seconds| format!(", {seconds:.1} s")).unwrap_or_default();
        format!("{} entries{seconds}", self.lag_entries())
    }

    /// Returns true if all of the source's log is applied.
    pub(crate) fn has_caught_up(&self) -> bool {
        self.phase == Phase::Following && self.lag_entries() == 0
    }

    /// Returns true if somebody must act before it goes on.
    pub(crate) fn has_failed(&self) -> bool {
        self.phase == Phase::Failed
    }

    /// Returns the message of the last error; empty without one.
    pub(crate) fn error(&self) -> String {
        match self.text(&["error", "errorMessage"]) {
            "" => String::new(),
            message => format!("error {}: {message}", self.number(&["error", "errorNum"])),
        }
    }

    /// Returns a sentence about the failure.
    pub(crate) fn failure(&self) -> String {
        let error = self.error();
        let reason = if error.is_empty() { "it gives no reason" } else { &error };
        format!("the server has stopped following: {reason}")
    }

    /// Returns the collections whose comparison found a difference.
    pub(crate) fn differences(&self) -> Vec<String> {
        let list = self.value().get("comparison").filter(|list| list.is_array());
        let differing = list
            .unwrap_or(Slice::EMPTY_ARRAY)
            .elements()
            .filter(|compared| !compared.get("equal").and_then(Slice::as_bool).unwrap_or(false));
        let line = |compared: Slice<'_>| {
            let count = |name| compared.get(name).and_then(Slice::as_u64).unwrap_or(0);
            let (database, collection) = (said(compared, &["database"]), said(compared, &["collection"]));
            format!(
                "{database}/{collection}: {} documents at the source, {} here",
                count("source"),
                count("here")
            )
        };
        differing.map(line).collect()
    }

    /// Returns the reply as JSON.
    pub(crate) fn json(&self) -> String {
        self.value().to_json_string()
    }

    /// Returns the state in lines for a person.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("phase:       {}", self.text(&["phase"]))];
        if self.phase == Phase::None {
            return lines;
        }
        let source = ["endpoint", "product", "version"].map(|name| self.text(&["source", name]));
        lines.push(format!("source:      {}", source.join(" ").trim()));
        lines.push(format!("kind:        {}", self.text(&["kind"])));
        let [databases, databases_done, collections, collections_done, documents] =
            ["databases", "databasesDone", "collections", "collectionsDone", "documents"]
                .map(|name| self.number(&["copy", name]));
        lines.push(format!(
            "copied:      {databases_done} of {databases} databases, {collections_done} of {collections} \
             collections, {documents} documents"
        ));
        if self.phase != Phase::Copying {
            lines.push(format!(
                "log:         {} entries and {} transactions applied, up to {} of {}",
                self.number(&["log", "entries"]),
                self.number(&["log", "transactions"]),
                self.text(&["log", "applied"]),
                self.text(&["log", "last"])
            ));
            lines.push(format!("lag:         {}", self.lag()));
        }
        if !self.error().is_empty() {
            lines.push(self.error());
        }
        lines.extend(problems(self.value()).iter().map(|problem| format!("problem:     {}", problem.line())));
        lines.extend(self.differences().iter().map(|line| format!("differs:     {line}")));
        lines
    }
}

/// Returns a text of a reply; empty where there is none.
fn said<'a>(value: Slice<'a>, path: &[&str]) -> &'a str {
    value.get_path(path).and_then(Slice::as_str).unwrap_or_default()
}
