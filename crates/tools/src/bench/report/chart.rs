//! The chart: the time of a run by batch size, a line for each number of threads.
//!
//! With only one batch size, the chart is by number of threads.

use chart::{Chart, Panel, Series};

use super::super::options::Settings;
use super::{Run, median};

pub(super) fn chart(settings: &Settings, runs: &[Run]) -> Chart {
    let name = settings.case.name();
    let operations = runs.first().map_or(0, |run| run.tally.operations);
    let title = format!("{name}: {operations} operations, complexity {}", settings.complexity);
    let (x_title, places, series) = match settings.batch_sizes.as_slice() {
        [size] if settings.threads.len() > 1 => {
            let values = settings.threads.iter().map(|threads| time(runs, *size, *threads)).collect();
            let name = format!("batches of {size}");
            ("threads", &settings.threads, vec![Series { name, values }])
        }
        sizes => {
            let line = |threads: &u64| Series {
                name: if *threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") },
                values: sizes.iter().map(|size| time(runs, *size, *threads)).collect(),
            };
            (
                "operations in a batch (0: none)",
                &settings.batch_sizes,
                settings.threads.iter().map(line).collect(),
            )
        }
    };
    let panel = Panel {
        title: String::new(),
        x_title: x_title.to_owned(),
        y_title: "seconds".to_owned(),
        places: places.iter().map(u64::to_string).collect(),
        series,
        is_logarithmic: false,
    };
    Chart { title, panels: vec![panel] }
}

/// Returns the median time of the runs with these settings.
fn time(runs: &[Run], batch_size: u64, threads: u64) -> Option<f64> {
    let alike = runs.iter().filter(|run| run.batch_size == batch_size && run.threads == threads);
    median(alike).map(|run| run.elapsed.as_secs_f64())
}
