//! The report that a run prints, as a Markdown table.

/// A report that prints a row at a time, so that a broken run keeps its results.
pub(crate) struct Report;

/// The direction in which a ratio must go.
pub(crate) enum Target {
    AtLeast(f64),
    AtMost(f64),
    /// No target.
    None,
}

impl Report {
    /// Begins a report of Persea's results compared with physical limits.
    pub(crate) fn new() -> Self {
        Report::of("Persea", "limit")
    }

    /// Begins a report of one side's results compared with those of another.
    pub(crate) fn of(ours: &str, theirs: &str) -> Self {
        println!("| what | {ours} | {theirs} | ratio | to reach | |");
        println!("| --- | --- | --- | --- | --- | --- |");
        Report
    }

    /// Prints a comparison of two rates, or of two times.
    pub(crate) fn ratio(&mut self, what: &str, ours: (f64, &str), limit: Option<f64>, target: &Target) {
        let (value, unit) = ours;
        let ratio = limit.map(|limit| value / limit);
        let limit_text = limit.map_or("not measured".to_owned(), |limit| format!("{} {unit}", figure(limit)));
        let ratio_text = ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let (wanted, verdict) = verdict(ratio, target);
        println!(
            "| {what} | {} {unit} | {limit_text} | {ratio_text} | {wanted} | {verdict} |",
            figure(value)
        );
    }

    /// Prints a figure with its own bound.
    pub(crate) fn figure(&mut self, what: &str, value: f64, unit: &str, target: &Target) {
        let (wanted, verdict) = verdict(Some(value), target);
        let wanted = if wanted.is_empty() { wanted } else { format!("{wanted} {unit}") };
        println!("| {what} | {} {unit} | | | {wanted} | {verdict} |", figure(value));
    }
}

fn verdict(value: Option<f64>, target: &Target) -> (String, &'static str) {
    let judge = |good: bool| if good { "reached" } else { "**missed**" };
    match (target, value) {
        (Target::None, _) => (String::new(), ""),
        (Target::AtLeast(bound), value) => {
            (format!("≥ {bound}"), value.map_or("", |value| judge(value >= *bound)))
        }
        (Target::AtMost(bound), value) => {
            (format!("≤ {bound}"), value.map_or("", |value| judge(value <= *bound)))
        }
    }
}

fn figure(value: f64) -> String {
    match value {
        value if value >= 1_000.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}
