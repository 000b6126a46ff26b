//! 500,000 inserts by size of batches, number of clients and number of attributes, as in the post
//! on batch requests.

use chart::{Chart, Panel, Series};
use serde_json::Value;

use crate::markdown::{count, figure, header, row};
use crate::{Failure, Setup};

const INSERTS: u64 = 500_000;
const COMPLEXITIES: [u64; 3] = [1, 10, 100];
const BATCHES: [u64; 9] = [0, 1, 2, 4, 8, 16, 32, 64, 128];
const CLIENTS: [u64; 5] = [1, 2, 4, 8, 16];

pub(super) fn run(setup: &Setup) -> Result<Chart, Failure> {
    let inserts = setup.documents(INSERTS);
    let clients = CLIENTS.map(|clients| format!("clients: {clients}, s (to single)"));
    let mut columns = vec!["attributes", "batch size"];
    columns.extend(clients.iter().map(String::as_str));
    header(&columns);
    let panels = COMPLEXITIES.map(|complexity| panel(setup, inserts, complexity));
    let panels = panels.into_iter().collect::<Result<_, _>>()?;
    Ok(Chart { title: format!("{} inserts by batches", count(inserts)), panels })
}

fn panel(setup: &Setup, inserts: u64, complexity: u64) -> Result<Panel, Failure> {
    let folder = tempfile::tempdir()?;
    let server = setup.persea(folder.path(), &[])?;
    let numbers = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>();
    let (batches, clients) = (numbers(&BATCHES), numbers(&CLIENTS));
    let (inserts, attributes) = (inserts.to_string(), complexity.to_string());
    let mut options = vec!["--test-case", "document", "--delay", "true", "--requests", &inserts];
    options.extend(["--complexity", &attributes]);
    options.extend(batches.iter().flat_map(|size| ["--batch-size", size.as_str()]));
    options.extend(clients.iter().flat_map(|count| ["--threads", count.as_str()]));
    let report = super::bench(setup, &server, &options)?;
    let seconds = |size: u64, clients: u64| -> Option<f64> {
        let is_it = |run: &&Value| run["batchSize"] == size && run["threads"] == clients;
        report["runs"].as_array()?.iter().find(is_it)?["elapsed"].as_f64()
    };
    for size in BATCHES {
        let mut cells = vec![attributes.clone(), size.to_string()];
        for clients in CLIENTS {
            let (Some(own), Some(single)) = (seconds(size, clients), seconds(0, clients)) else {
                return Err("a run is missing in the report of persea bench".into());
            };
            cells.push(format!("{} ({})", figure(own), figure(single / own)));
        }
        row(&cells);
    }
    let series = CLIENTS.map(|clients| Series {
        name: format!("clients: {clients}"),
        values: BATCHES.iter().map(|size| seconds(*size, clients)).collect(),
    });
    Ok(Panel {
        title: format!("attributes: {complexity}"),
        x_title: "operations in a batch (0: none)".to_owned(),
        y_title: "seconds".to_owned(),
        places: batches,
        series: series.into(),
        is_logarithmic: false,
    })
}
