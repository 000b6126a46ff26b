//! A Markdown table that prints a row at a time, so that a broken run keeps its results.

#![allow(clippy::print_stdout, reason = "the result of a command line program")]

pub(crate) fn header(columns: &[&str]) {
    println!("| {} |", columns.join(" | "));
    println!("|{}", " --- |".repeat(columns.len()));
}

pub(crate) fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}

/// Formats a number with about three digits.
pub(crate) fn figure(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 1.0 => format!("{value:.2}"),
        value => format!("{value:.3}"),
    }
}

/// Formats a count with separated thousands.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
