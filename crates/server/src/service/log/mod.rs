//! The server's log: `tracing` events by ArangoDB's topics and levels, written to the console or
//! files and kept in memory.
//!
//! The target of an event is its topic; other targets belong to the topic `general`. Each topic has
//! a level that can be changed while the server runs (`PUT /_admin/log/level`). For this reason no
//! event is disabled permanently.

mod entry;
mod format;
mod level;
mod output;
mod recent;
mod topic;
mod appender;

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Metadata, Subscriber};

use crate::http::log_context;
use appender::Appender;
use entry::Fields;
use recent::Recent;
use topic::{GENERAL, level_of, topic_index};

pub use crate::http::log_context::STRUCTURED_PARAMETERS;
pub use entry::Entry;
pub use format::Format;
pub use level::Level;
pub use output::Output;
pub use recent::Query;
pub use topic::TOPICS;

/// The options of the log.
#[derive(Debug, Default)]
pub struct LogOptions {
    /// The outputs; the log is not written if there are none.
    pub outputs: Vec<Output>,
    /// The format of lines.
    pub format: Format,
    /// Most verbose level that is kept in memory for `/_admin/log`.
    pub in_memory_level: Level,
    /// Keep no entries in memory.
    pub without_memory: bool,
    /// Maximum size in bytes of an entry's text; 0 stands for 64 KiB.
    pub max_entry_bytes: usize,
}

/// The log of a server.
pub struct Log {
    levels: [AtomicU8; TOPICS.len()],
    /// The most verbose level of each topic, in the log or in one of its outputs.
    enabled: [AtomicU8; TOPICS.len()],
    /// The most verbose of all levels, which is checked first.
    most: AtomicU8,
    format: Format,
    outputs: Mutex<Vec<Appender>>,
    recent: Recent,
    warnings: AtomicU64,
    errors: AtomicU64,
    lost: AtomicU64,
    max_entry_bytes: usize,
    /// The levels that a reset restores.
    initial: Mutex<Vec<(&'static str, Level)>>,
    /// One bit for each of [`STRUCTURED_PARAMETERS`].
    shown: AtomicU8,
}

impl Log {
    /// Returns a log at level `info` that receives no events yet.
    pub fn new(options: LogOptions) -> Arc<Self> {
        let LogOptions { outputs, format, in_memory_level, without_memory, max_entry_bytes } = options;
        Arc::new(Log {
            levels: [const { AtomicU8::new(Level::Info as u8) }; TOPICS.len()],
            enabled: [const { AtomicU8::new(Level::Info as u8) }; TOPICS.len()],
            most: AtomicU8::new(Level::Info as u8),
            format,
            outputs: Mutex::new(outputs.into_iter().map(Appender::new).collect()),
            recent: Recent::new(in_memory_level, without_memory),
            warnings: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            max_entry_bytes: if max_entry_bytes == 0 { entry::TEXT_MAX_BYTES } else { max_entry_bytes },
            initial: Mutex::default(),
            shown: AtomicU8::new(0),
        })
    }

    /// Sends the process's events to this log. Returns false if another log already receives them.
    pub fn install(self: &Arc<Self>) -> bool {
        let dispatch = tracing::Dispatch::new(Collector { log: Arc::clone(self) });
        tracing::dispatcher::set_global_default(dispatch).is_ok()
    }

    /// Returns the level of every topic.
    pub fn levels(&self) -> impl Iterator<Item = (&'static str, Level)> {
        TOPICS
            .iter()
            .zip(&self.levels)
            .map(|(topic, level)| (*topic, Level::of_number(level.load(Ordering::Relaxed))))
    }

    /// Sets the level of a topic, or of `all`, in all outputs. Returns true if the topic exists.
    pub fn set_level(&self, topic: &str, level: Level) -> bool {
        let Some(topics) = topics_of(topic) else { return false };
        let mut outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        for topic in topics {
            if let Some(stored) = self.levels.get(topic) {
                stored.store(level as u8, Ordering::Relaxed);
            }
            outputs.iter_mut().for_each(|output| output.set_level(topic, None));
        }
        self.enable(&outputs);
        true
    }

    /// Sets the level of a topic, or of `all`, in the outputs of a name. Returns true if there are
    /// such a topic and such an output.
    pub fn set_output_level(&self, output: &str, topic: &str, level: Level) -> bool {
        let Some(topics) = topics_of(topic) else { return false };
        let mut outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_known = false;
        for found in outputs.iter_mut().filter(|known| known.name() == output) {
            is_known = true;
            topics.clone().for_each(|topic| found.set_level(topic, Some(level)));
        }
        self.enable(&outputs);
        is_known
    }

    /// Computes which events somebody wants.
    fn enable(&self, outputs: &[Appender]) {
        let mut most = 0;
        for (topic, (enabled, level)) in self.enabled.iter().zip(&self.levels).enumerate() {
            let own =
                outputs.iter().filter_map(|output| output.own_level(topic)).map(|level| level as u8).max();
            let level = level.load(Ordering::Relaxed).max(own.unwrap_or_default());
            enabled.store(level, Ordering::Relaxed);
            most = most.max(level);
        }
        self.most.store(most, Ordering::Relaxed);
        tracing::callsite::rebuild_interest_cache();
    }

    /// Saves the present levels for a reset.
    pub fn remember_levels(&self) {
        *self.initial.lock().unwrap_or_else(PoisonError::into_inner) = self.levels().collect();
    }

    /// Restores the saved levels, or `info`.
    pub fn reset_levels(&self) {
        let initial = self.initial.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.set_level("all", Level::Info);
        for (topic, level) in initial {
            self.set_level(topic, level);
        }
    }

    /// Returns true if entries show this part of the request, one of [`STRUCTURED_PARAMETERS`].
    pub fn shows(&self, parameter: &str) -> bool {
        bit_of(parameter).is_some_and(|bit| self.shown.load(Ordering::Relaxed) & bit != 0)
    }

    /// Returns true if entries show any part of the request.
    pub(crate) fn shows_any(&self) -> bool {
        self.shown.load(Ordering::Relaxed) != 0
    }

    /// Sets whether entries show a part of the request. Returns true if it is one of
    /// [`STRUCTURED_PARAMETERS`].
    pub fn show(&self, parameter: &str, shown: bool) -> bool {
        let Some(bit) = bit_of(parameter) else { return false };
        match shown {
            true => self.shown.fetch_or(bit, Ordering::Relaxed),
            false => self.shown.fetch_and(!bit, Ordering::Relaxed),
        };
        true
    }

    /// Returns the outputs by name, with the level of every topic.
    pub fn output_levels(&self) -> Vec<(String, Vec<(&'static str, Level)>)> {
        let outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        let levels = |output: &Appender| {
            let topics = self.levels().enumerate();
            topics.map(|(topic, (name, level))| (name, output.own_level(topic).unwrap_or(level))).collect()
        };
        outputs.iter().map(|output| (output.name(), levels(output))).collect()
    }

    /// Forgets the entries in memory.
    pub fn forget_entries(&self) {
        self.recent.clear();
    }

    /// Returns a page of the entries in memory, and the number of entries that match without
    /// paging.
    pub fn entries(&self, query: &Query) -> (Vec<Arc<Entry>>, usize) {
        self.recent.entries(query)
    }

    /// Returns the numbers of warnings, errors, and entries that could not be written, since the
    /// start.
    pub fn counts(&self) -> (u64, u64, u64) {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        (read(&self.warnings), read(&self.errors), read(&self.lost))
    }

    /// Reopens the files, for log rotation.
    pub fn reopen(&self) {
        let mut outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = outputs.iter_mut().filter_map(|output| output.reopen().err()).count();
        self.lost.fetch_add(failed as u64, Ordering::Relaxed);
    }

    fn is_enabled(&self, metadata: &Metadata<'_>) -> bool {
        let level = level_of(metadata.target(), *metadata.level()) as u8;
        level <= self.most.load(Ordering::Relaxed)
            && self
                .enabled
                .get(topic_index(metadata.target()))
                .is_some_and(|limit| level <= limit.load(Ordering::Relaxed))
    }

    fn add(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        let mut fields = Fields::new(self.max_entry_bytes);
        event.record(&mut fields);
        let mut text = fields.finish();
        log_context::append(self.shown.load(Ordering::Relaxed), &mut text);
        let place = topic_index(metadata.target());
        let topic = TOPICS.get(place).copied().unwrap_or(GENERAL);
        let entry =
            Entry::new(self.recent.next_id(), topic, level_of(metadata.target(), *metadata.level()), text);
        match entry.level {
            Level::Warning => drop(self.warnings.fetch_add(1, Ordering::Relaxed)),
            Level::Error | Level::Fatal => drop(self.errors.fetch_add(1, Ordering::Relaxed)),
            _ => {}
        }
        let line = self.format.line(&entry);
        let mut outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        let level = self.levels.get(place).map_or(Level::Info as u8, |level| level.load(Ordering::Relaxed));
        let wants = |limit: u8| entry.level as u8 <= limit;
        let wanted =
            outputs.iter_mut().filter(|output| wants(output.own_level(place).map_or(level, |own| own as u8)));
        let failed = wanted.filter_map(|output| output.write(&line).err()).count();
        drop(outputs);
        self.lost.fetch_add(failed as u64, Ordering::Relaxed);
        if wants(level) {
            self.recent.keep(entry);
        }
    }
}

/// Returns the places of a topic, or of all for `all`.
fn topics_of(topic: &str) -> Option<std::ops::Range<usize>> {
    match topic {
        "all" => Some(0..TOPICS.len()),
        topic => TOPICS.iter().position(|known| *known == topic).map(|place| place..place + 1),
    }
}

fn bit_of(parameter: &str) -> Option<u8> {
    STRUCTURED_PARAMETERS.iter().position(|known| *known == parameter).map(|place| 1 << place)
}

/// The receiver of the process's events.
///
/// It ignores spans: requests are short, and each event names its subject.
struct Collector {
    log: Arc<Log>,
}

impl Subscriber for Collector {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        // Neither "never" nor "always", since levels change while the server runs.
        Interest::sometimes()
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && self.log.is_enabled(metadata)
    }

    /// Returns the most verbose level, so that events beyond it cost one comparison.
    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(Level::of_number(self.log.most.load(Ordering::Relaxed)).to_filter())
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.log.add(event);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_log(options: LogOptions, run: impl FnOnce(&Log)) -> Arc<Log> {
        let log = Log::new(options);
        let dispatch = tracing::Dispatch::new(Collector { log: Arc::clone(&log) });
        tracing::dispatcher::with_default(&dispatch, || run(&log));
        log
    }

    fn texts(log: &Log) -> Vec<String> {
        let (entries, _) = log.entries(&Query { least: Some(Level::Trace), ..Query::default() });
        entries.iter().map(|entry| format!("{} {} {}", entry.topic, entry.level.name(), entry.text)).collect()
    }

    #[test]
    fn events_are_entries_with_their_fields() {
        let log = with_log(LogOptions::default(), |_| {
            tracing::info!(target: "queries", count = 3, name = "x y", "slow query");
            tracing::warn!("no target");
        });
        assert_eq!(
            texts(&log),
            ["queries INFO slow query, count: 3, name: x y", "general WARNING no target"]
        );
        assert_eq!(log.counts(), (1, 0, 0));
    }

    #[test]
    fn levels_can_be_changed_while_the_server_runs() {
        let log = with_log(LogOptions { in_memory_level: Level::Trace, ..LogOptions::default() }, |log| {
            let speak = |number: u32| tracing::debug!(target: "requests", "{number}");
            speak(1);
            assert!(log.set_level("requests", Level::Debug));
            speak(2);
            assert!(log.set_level("all", Level::Error));
            speak(3);
            assert!(!log.set_level("nonsense", Level::Info));
        });
        assert_eq!(texts(&log), ["requests DEBUG 2"]);
        assert!(log.levels().all(|(_, level)| level == Level::Error));
    }

    #[test]
    fn an_output_may_have_levels_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let outputs = ["a", "b"].map(|name| Output::file(&path(name)).unwrap()).into();
        let name = |name: &str| format!("file://{}", path(name).display());
        let log = with_log(LogOptions { outputs, ..LogOptions::default() }, |log| {
            assert!(log.set_output_level(&name("a"), "queries", Level::Debug));
            assert!(log.set_output_level(&name("b"), "all", Level::Error));
            assert!(!log.set_output_level("file://none", "queries", Level::Debug));
            assert!(!log.set_output_level(&name("a"), "nonsense", Level::Debug));
            tracing::debug!(target: "queries", "one");
            tracing::info!(target: "queries", "two");
            tracing::error!(target: "queries", "three");
            assert!(log.set_level("queries", Level::Warning));
            tracing::info!(target: "queries", "four");
            tracing::warn!(target: "queries", "five");
        });
        let count = |name: &str| std::fs::read_to_string(path(name)).unwrap().lines().count();
        assert_eq!((count("a"), count("b")), (4, 2));
        assert_eq!(texts(&log).len(), 3, "memory has the levels of the log");
        log.forget_entries();
        assert_eq!(texts(&log).len(), 0);
    }

    #[test]
    fn an_entry_is_cut_at_its_bound() {
        let log = with_log(LogOptions { max_entry_bytes: 64, ..LogOptions::default() }, |_| {
            tracing::info!("{}", "é".repeat(1_000));
        });
        let text = &texts(&log)[0];
        assert!(text.len() < 100 && text.ends_with("..."), "{text}");
    }
}
