//! The page of metrics in Prometheus' text format.

use std::fmt::{Display, Write};

use crate::{Kind, Metric, Section, Summary, Value};

/// The page of metrics, while it is written.
#[derive(Debug, Default)]
pub struct Page {
    /// The text of each metric.
    entries: Vec<(Section, String)>,
}

impl Page {
    /// Writes metrics of one source.
    pub fn write_all<T: ?Sized>(&mut self, section: Section, metrics: &[Metric<T>], source: &T) {
        for metric in metrics {
            self.write(section, metric.name, metric.kind, metric.help, &(metric.read)(source));
        }
    }

    /// Writes a metric.
    pub fn write(&mut self, section: Section, name: &str, kind: Kind, help: &str, value: &Value) {
        let mut text = format!("# HELP {name} {help}\n# TYPE {name} {}\n", kind.name());
        write_value(&mut text, name, "", value);
        self.entries.push((section, text));
    }

    /// Returns the whole page.
    pub fn finish(mut self) -> String {
        self.entries.sort_by_key(|(section, _)| *section);
        self.entries.into_iter().map(|(_, text)| text).collect()
    }
}

fn write_value(text: &mut String, name: &str, labels: &str, value: &Value) {
    match value {
        Value::Number(number) => write_line(text, name, labels, number),
        Value::Decimal(number) => write_line(text, name, labels, number),
        Value::Histogram(summary) => write_histogram(text, name, labels, summary),
        Value::Labelled(values) => {
            values.iter().for_each(|(labels, value)| write_value(text, name, labels, value));
        }
    }
}

/// Writes a histogram. Prometheus counts cumulatively: each bucket includes the ones below it.
fn write_histogram(text: &mut String, name: &str, labels: &str, summary: &Summary) {
    let (bucket, comma) = (format!("{name}_bucket"), if labels.is_empty() { "" } else { "," });
    let cuts = summary.cuts.iter().map(ToString::to_string).chain(["+Inf".to_owned()]);
    let mut below = 0;
    for (cut, count) in cuts.zip(&summary.counts) {
        below += count;
        write_line(text, &bucket, &format!("{labels}{comma}le=\"{cut}\""), below);
    }
    write_line(text, &format!("{name}_sum"), labels, summary.sum);
    write_line(text, &format!("{name}_count"), labels, summary.count());
}

fn write_line(text: &mut String, name: &str, labels: &str, value: impl Display) {
    // Writing to a string does not fail.
    let _ = match labels {
        "" => writeln!(text, "{name} {value}"),
        _ => writeln!(text, "{name}{{{labels}}} {value}"),
    };
}
