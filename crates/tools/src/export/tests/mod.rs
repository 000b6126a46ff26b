//! The form of files, and the continuation of a broken export.

mod forms;
mod options;
mod resuming;
mod tables;

use std::sync::Arc;

use bytes::Bytes;

use super::options::{PROGRAM, Settings};
use super::rows::Rows;
use crate::Failure;
use ::options::{Options, Request, Version};

fn settings(arguments: &[&str]) -> Result<Settings, Failure> {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let version = Version { compatible: "", own: "", license: "", commit: "" };
    match Options::read(&PROGRAM, version, &arguments, &|_| None)? {
        Request::Run(options) => Settings::read(&options),
        Request::Print(text) => panic!("{text}"),
    }
}

/// Rows that exist already.
struct Ready(Vec<Bytes>);

impl Ready {
    fn new(lines: &[&str]) -> Self {
        Ready(lines.iter().rev().map(|line| Bytes::from(format!("{line}\n"))).collect())
    }
}

impl Rows for Ready {
    fn next_lines(&mut self) -> Result<Option<Bytes>, Failure> {
        Ok(self.0.pop())
    }

    fn requests(&self) -> u64 {
        1
    }
}

fn written() -> super::output::Written {
    Arc::default()
}
