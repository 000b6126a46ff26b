//! The same measurements of collections of 1, 10 and 100 million documents.

mod measure;

use chart::{Chart, Panel, Series};

use crate::markdown::{count, figure, header, row};
use crate::{Failure, Setup};
use measure::{MEASURES, measure};

const SIZES: &[u64] = &[1_000_000, 10_000_000, 100_000_000];

/// The panels of the chart: the title, the unit, and the measures in it.
const PANELS: &[(&str, &str, &[&str])] = &[
    (
        "Requests",
        "ms (p99 where it is not named)",
        &["read by key", "10 from an index", "insert", "count", "first 1,000 of an export"],
    ),
    ("Whole collections", "million documents a second", &["load", "index build", "group", "top 10"]),
    ("Resources", "MB", &["disk", "peak of memory"]),
];

pub(super) fn run(setup: &Setup) -> Result<Chart, Failure> {
    let most = setup.documents_max.unwrap_or(u64::MAX);
    let sizes: Vec<u64> =
        SIZES.iter().map(|full| setup.documents(*full)).filter(|size| *size <= most).collect();
    let columns: Vec<String> =
        MEASURES.iter().map(|measure| format!("{}, {}", measure.name, measure.unit)).collect();
    let mut titles = vec!["documents"];
    titles.extend(columns.iter().map(String::as_str));
    header(&titles);
    let mut results: Vec<Vec<f64>> = Vec::new();
    for size in &sizes {
        let values = measure(setup, *size)?;
        let mut cells = vec![count(*size)];
        cells.extend(values.iter().map(|value| figure(*value)));
        row(&cells);
        results.push(values);
    }
    let series = |name: &str| {
        let position = MEASURES.iter().rposition(|measure| measure.name.starts_with(name))?;
        let values = results.iter().map(|values| values.get(position).copied()).collect();
        Some(Series { name: name.to_owned(), values })
    };
    let panels = PANELS.iter().map(|(title, unit, names)| Panel {
        title: (*title).to_owned(),
        x_title: "documents in the collection".to_owned(),
        y_title: (*unit).to_owned(),
        places: sizes.iter().map(|size| count(*size)).collect(),
        series: names.iter().filter_map(|name| series(name)).collect(),
        is_logarithmic: true,
    });
    Ok(Chart { title: "Collections of different sizes".to_owned(), panels: panels.collect() })
}
