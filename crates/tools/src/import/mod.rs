//! `persea import` (arangoimport): documents from JSON, JSON Lines, CSV, TSV and Parquet over
//! `/_api/import`.
//!
//! One thread reads the file and cuts it into [`batch::Batch`]es ([`lines`], [`array`], [`table`]);
//! rows of [`parquet`] become lines first. Other threads send them ([`send`]) and count the results
//! ([`outcome`]). The number of batches is bounded, so memory does not grow with the file.

mod array;
mod batch;
mod columns;
mod latency;
mod line_ends;
mod lines;
mod options;
mod outcome;
mod parquet;
mod rate;
mod record;
mod rejected;
mod rewrite;
mod send;
mod table;
mod table_options;
mod value;

use std::io::Read;
use std::sync::Arc;

use client::Request;
use velocypack::Builder;

use self::options::{CREATE_DATABASE, Form, PROGRESS, Settings};
use crate::{Console, Failure, Progress, Server, Tool, Unit, connect, input};
use ::options::Options;
use array::ArrayBatches;
use batch::Batches;
use line_ends::WithoutLoneCr;
use lines::LineBatches;
use outcome::Outcome;
use table::TableBatches;

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "import",
    links: &["arangoimport", "arangoimp"],
    summary: "import documents from JSON, JSON Lines, CSV, TSV or Parquet",
    when_stopped: "acknowledged documents are stored; documents in transit may be",
    handles_signals: false,
    program: &options::PROGRAM,
    run,
};

/// ArangoDB's number of the error that a collection does not exist.
const COLLECTION_NOT_FOUND: u64 = 1203;

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    let settings = Settings::read(options, console)?;
    let server = connect(options, console, options.get(&CREATE_DATABASE))?;
    let progress = Progress::new(console, options.get(&PROGRESS), "import", Unit::Bytes, None);
    let progress = Arc::new(progress);
    // Opened before any change, so that an unreadable file does not empty a collection.
    let input = match settings.form {
        Form::Parquet => parquet::open(&settings.file, &progress)?,
        _ => input::open(&settings.file, &settings.files, &progress)?,
    };
    let mut batches = batches(&settings, input, console)?;
    prepare(&settings, &server)?;
    let outcome = Outcome::new(&settings, console)?;
    let sent = send::send_all(batches.as_mut(), &server.client, &settings, &outcome);
    // The progress line must not appear after the results.
    drop(batches);
    drop(progress);
    outcome.print(console);
    sent?;
    outcome.check()
}

/// Returns the reader of the file's form.
fn batches(
    settings: &Settings,
    mut input: Box<dyn Read + Send>,
    console: &Console,
) -> Result<Box<dyn Batches>, Failure> {
    let skipped = settings.skip_lines;
    let form = match settings.form {
        Form::Json => {
            let (is_array, whole) = lines::is_array(input).map_err(|error| settings.unreadable(1, &error))?;
            input = whole;
            if is_array { Form::Json } else { Form::Lines }
        }
        form => form,
    };
    if form == Form::Json && skipped > 0 {
        let text = format!("--skip-lines is for rows line by line, but {} is an array", settings.file);
        return Err(Failure::option(text));
    }
    Ok(match form {
        Form::Json => Box::new(ArrayBatches::new(Box::new(WithoutLoneCr::new(input)), settings)),
        Form::Lines => Box::new(LineBatches::new(Box::new(WithoutLoneCr::new(input)), settings, skipped)?),
        Form::Parquet => Box::new(LineBatches::new(input, settings, skipped)?),
        Form::Csv | Form::Tsv => Box::new(TableBatches::new(input, settings, console)?),
    })
}

/// Creates and truncates the collection, as far as the options ask for it.
fn prepare(settings: &Settings, server: &Server) -> Result<(), Failure> {
    let collection = Request::get("/_api/collection").segment(&settings.collection);
    match server.client.call(&collection) {
        Ok(_) if settings.overwrite => {
            let request = Request::put("/_api/collection").segment(&settings.collection).segment("truncate");
            server.client.call(&request.repeatable())?;
            Ok(())
        }
        Ok(_) => Ok(()),
        Err(error) if error.number() != Some(COLLECTION_NOT_FOUND) => Err(error.into()),
        Err(_) if settings.create_collection => {
            let mut body = Builder::new();
            body.open_object()?;
            body.key("name")?;
            body.add_str(&settings.collection)?;
            body.key("type")?;
            body.add_u64(if settings.creates_edges { 3 } else { 2 })?;
            body.close()?;
            server.client.call(&Request::post("/_api/collection").json(body.as_slice().to_json_string()))?;
            Ok(())
        }
        Err(_) => Err(Failure::new(format!(
            "the database has no collection {:?}; --create-collection creates it",
            settings.collection
        ))),
    }
}

#[cfg(test)]
mod tests;
