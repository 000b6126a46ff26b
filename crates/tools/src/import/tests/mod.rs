//! Tests of the bodies that rows become on their way to the server.

mod json;
mod options;
mod parquet;
mod rejected;
mod table;

use std::io::Cursor;

use super::batch::Batch;
use super::batches;
use super::options::{PROGRAM, Settings};
use crate::{Console, Failure};
use ::options::{Options, Request, Version};

fn settings(arguments: &[&str]) -> Result<Settings, Failure> {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let version = Version { compatible: "", own: "", license: "", commit: "" };
    match Options::read(&PROGRAM, version, &arguments, &|_| None)? {
        Request::Run(options) => Settings::read(&options, &Console::plain()),
        Request::Print(text) => panic!("{text}"),
    }
}

/// Returns all batches of a text with these options.
fn read(arguments: &[&str], text: &[u8]) -> Result<Vec<Batch>, Failure> {
    let arguments = [&["--collection", "c", "data"], arguments].concat();
    let settings = settings(&arguments)?;
    let input = Box::new(Cursor::new(text.to_vec()));
    let mut source = batches(&settings, input, &Console::plain())?;
    let mut all = Vec::new();
    while let Some(batch) = source.next_batch()? {
        all.push(batch);
    }
    Ok(all)
}

/// Returns the only body that a text becomes.
fn body(arguments: &[&str], text: &str) -> String {
    let mut all = read(arguments, text.as_bytes()).unwrap();
    assert!(all.len() <= 1, "{all:?}");
    all.pop().map(|batch| String::from_utf8(batch.body).unwrap()).unwrap_or_default()
}
