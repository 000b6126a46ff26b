//! Spans of work in progress.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::context::Context;
use crate::record::{Kind, Record, TEXT_BYTES_MAX, Value};
use crate::shared::Shared;

/// A traced request: the parent of the spans of its parts. A clone is cheap.
#[derive(Clone, Debug)]
pub struct Trace {
    shared: Arc<Shared>,
    context: Context,
}

impl Trace {
    /// Returns a part of the work that has begun at `began`. It ends when the span is dropped, or
    /// at [`Span::end_after`].
    pub fn part(&self, name: impl Into<Cow<'static, str>>, began: Instant) -> Span {
        Span::begin(
            Arc::clone(&self.shared),
            self.context,
            Some(self.context.span),
            Kind::Internal,
            name,
            began,
        )
    }

    /// Returns the time from which the execution of a node of a query is a span of its own.
    pub fn node_threshold(&self) -> Duration {
        self.shared.options.node_threshold
    }
}

/// A piece of work. It is recorded when it is dropped.
#[derive(Debug)]
pub struct Span {
    shared: Arc<Shared>,
    record: Option<Record>,
    began: Instant,
}

impl Span {
    /// Begins a span within the trace of `context`.
    pub(crate) fn begin(
        shared: Arc<Shared>,
        context: Context,
        parent: Option<u64>,
        kind: Kind,
        name: impl Into<Cow<'static, str>>,
        began: Instant,
    ) -> Self {
        let record = Record {
            context: Context { span: fastrand::u64(1..), ..context },
            parent,
            kind,
            name: name.into(),
            begin: nanoseconds(SystemTime::now()).saturating_sub(length(began.elapsed())),
            end: 0,
            attributes: Vec::new(),
            error: None,
        };
        Span { shared, record: Some(record), began }
    }

    /// Returns the trace in which this span is the parent of further ones.
    pub fn trace(&self) -> Option<Trace> {
        let record = self.record.as_ref()?;
        Some(Trace { shared: Arc::clone(&self.shared), context: record.context })
    }

    /// Sets the name.
    pub fn set_name(&mut self, name: impl Into<Cow<'static, str>>) {
        if let Some(record) = &mut self.record {
            record.name = name.into();
        }
    }

    /// Adds an attribute.
    pub fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        if let Some(record) = &mut self.record {
            record.attributes.push((name, value.into()));
        }
    }

    /// Says that the work has failed.
    pub fn fail(&mut self, reason: &str) {
        if let Some(record) = &mut self.record {
            record.error =
                Some(reason.get(..reason.floor_char_boundary(TEXT_BYTES_MAX)).unwrap_or_default().to_owned());
        }
    }

    /// Records the span with a length that was measured elsewhere.
    pub fn end_after(mut self, time: Duration) {
        self.record_after(time);
    }

    fn record_after(&mut self, time: Duration) {
        if let Some(mut record) = self.record.take() {
            record.end = record.begin.saturating_add(length(time));
            self.shared.record(record);
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        self.record_after(self.began.elapsed());
    }
}

fn nanoseconds(time: SystemTime) -> u64 {
    length(time.duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn length(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
