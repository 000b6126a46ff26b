//! `persea export` (arangoexport): collections, the result of a query, or a graph to files.
//!
//! [`rows`] fetches documents as JSON Lines, from Persea in one stream for each collection, else by
//! cursors. [`form`], [`xgmml`] and [`parquet`] write them. [`output`] compresses and names the
//! files. [`resume`] finds where an export was interrupted.

mod form;
mod options;
mod output;
mod parquet;
mod resume;
mod rows;
mod xgmml;

use std::path::Path;
use std::sync::atomic::Ordering;

use client::Request;
use memchr::memchr_iter;
use velocypack::Slice;

use self::options::{Form, PROGRESS, Query, STDOUT, Settings, Subject};
use crate::{Console, Failure, Progress, Server, Tool, Unit, connect};
use ::options::Options;
use form::text_form;
use output::{Output, Written, part_of, unwritable};
use resume::{Reached, reached};
use rows::{CursorRows, Rows, StreamedRows};
use xgmml::GraphForm;

/// The tool.
pub(crate) static TOOL: Tool = Tool {
    command: "export",
    links: &["arangoexport"],
    summary: "export collections, query results or graphs as JSON Lines, JSON, CSV, XML, XGMML or Parquet",
    when_stopped: "incomplete files end with .part",
    handles_signals: false,
    program: &options::PROGRAM,
    run,
};

/// The file name of a query's result, as in arangoexport.
const QUERY_NAME: &str = "query";

/// The type of edge collections.
const EDGES: u64 = 3;

/// An export in progress.
struct Export<'a> {
    settings: &'a Settings,
    server: &'a Server,
    console: &'a Console,
    progress: Progress,
    written: Written,
    requests: u64,
}

fn run(options: &Options, console: &Console) -> Result<(), Failure> {
    let settings = Settings::read(options)?;
    let server = connect(options, console, false)?;
    let folder = &settings.directory;
    if settings.file.is_none() {
        std::fs::create_dir_all(folder).map_err(|error| unwritable(&folder.display().to_string(), &error))?;
    }
    let progress = Progress::new(console, options.get(&PROGRESS), "export", Unit::Items("documents"), None);
    let (settings, server) = (&settings, &server);
    let mut export = Export { settings, server, console, progress, written: Written::default(), requests: 0 };
    let collections = match &settings.subject {
        Subject::Collections(names) => {
            export.expect(names)?;
            names.iter().try_for_each(|name| export.collection(name))?;
            names.len()
        }
        Subject::Query(query) => export.query(query).map(|()| 0)?,
        Subject::Graph(name, collections) => export.graph(name, collections)?,
    };
    let Export { progress, written, requests, .. } = export;
    drop(progress);
    let (bytes, what) =
        (written.load(Ordering::Relaxed), if collections == 0 { "query result" } else { "collection(s)" });
    let summary =
        format!("Processed {} {what}, wrote {bytes} Byte(s), {requests} HTTP request(s)", collections.max(1));
    // The standard output may be the file itself.
    match settings.file.as_deref() {
        Some(STDOUT) => console.info(&summary),
        _ => console.print(&summary),
    }
    Ok(())
}

impl<'a> Export<'a> {
    /// Adds the documents of collections to the expected total.
    ///
    /// It also finds out early that a collection does not exist.
    fn expect(&mut self, names: &[String]) -> Result<(), Failure> {
        for name in names {
            let request = Request::get("/_api/collection").segment(name).segment("count");
            let value = self.server.client.call(&request)?.value()?;
            self.requests += 1;
            self.progress
                .add_total(Slice::new(&value).get("count").and_then(|count| count.as_u64()).unwrap_or(0));
        }
        Ok(())
    }

    fn collection(&mut self, name: &str) -> Result<(), Failure> {
        let path = self.settings.path(name);
        let Some(reached) = self.begin(path.as_deref())? else { return Ok(()) };
        let from = reached.as_ref().and_then(|reached| reached.key.as_deref());
        let mut rows = self.rows(name, from)?;
        let written = self.write(name, path.as_deref(), reached.as_ref(), rows.as_mut());
        self.requests += rows.requests();
        written.map_err(|failure| self.explain(&failure, name))
    }

    fn query(&mut self, query: &Query) -> Result<(), Failure> {
        let path = self.settings.path(QUERY_NAME);
        // The result of a query has no order by key, so its export cannot resume.
        if self.begin(path.as_deref())?.is_none() {
            return Ok(());
        }
        let mut rows = CursorRows::of_query(&self.server.client, query, self.settings.batch_rows)?;
        let written = self.write(QUERY_NAME, path.as_deref(), None, &mut rows);
        self.requests += rows.requests();
        written.map_err(|failure| failure.during("the query"))
    }

    /// Examines the existing files.
    ///
    /// Returns `None` if nothing is left to do, else the progress of an interrupted export.
    fn begin(&self, path: Option<&Path>) -> Result<Option<Option<Reached>>, Failure> {
        let Some(path) = path else { return Ok(Some(None)) };
        let name = path.display();
        if path.exists() && !self.settings.overwrite {
            if self.settings.resume {
                self.console.info(&format!("{name} is complete"));
                return Ok(None);
            }
            return Err(Failure::new(format!("{name} already exists; --overwrite replaces it")));
        }
        let part = part_of(path);
        let is_broken_off = self.settings.resume && !self.settings.overwrite && part.exists();
        if !is_broken_off || matches!(self.settings.subject, Subject::Query(_) | Subject::Graph(..)) {
            return Ok(Some(None));
        }
        if !self.settings.form.is_resumable() {
            let ending = self.settings.form.ending();
            self.console.info(&format!("starting {name} over: files of type {ending} cannot be resumed"));
            return Ok(Some(None));
        }
        let reached = reached(&part, self.settings.compression)?;
        if let Some(key) = reached.as_ref().and_then(|reached| reached.key.as_deref()) {
            self.console.info(&format!("resuming {name} after document {key:?}"));
        }
        Ok(Some(reached))
    }

    /// Returns all documents of a collection, from the server's fastest route.
    fn rows(&self, name: &str, from: Option<&str>) -> Result<Box<dyn Rows + 'a>, Failure> {
        let server: &'a Server = self.server;
        let client = &server.client;
        if self.server.persea_version.is_some() {
            return Ok(Box::new(StreamedRows::new(client, name, from)?));
        }
        let (in_order, batch_rows) = (self.settings.resume, self.settings.batch_rows);
        Ok(Box::new(CursorRows::of_collection(client, name, in_order, from, batch_rows)?))
    }

    fn write(
        &mut self,
        name: &str,
        path: Option<&Path>,
        reached: Option<&Reached>,
        rows: &mut dyn Rows,
    ) -> Result<(), Failure> {
        if let (Form::Parquet, Some(path)) = (self.settings.form, path) {
            return parquet::write(path, &self.settings.fields, rows, &self.progress, &self.written);
        }
        let compression = self.settings.compression;
        let mut text = Vec::new();
        // An immediate failure leaves no file behind.
        let mut next = rows.next_lines()?;
        let (mut output, mut form) = match (path, reached) {
            (Some(path), Some(reached)) => {
                let output = Output::resume(path, reached.bytes, compression, &self.written)?;
                (output, text_form(self.settings, name, reached.key.is_some()))
            }
            _ => {
                let mut form = text_form(self.settings, name, false);
                form.begin(&mut text);
                (Output::create(path, compression, &self.settings.files, &self.written)?, form)
            }
        };
        while let Some(lines) = next {
            form.lines(&lines, &mut text)?;
            output.write(&text)?;
            text.clear();
            self.progress.add(memchr_iter(b'\n', &lines).count() as u64);
            next = rows.next_lines()?;
        }
        form.end(&mut text);
        output.write(&text)?;
        output.finish()
    }

    /// Writes a graph to one file and returns the number of its collections.
    fn graph(&mut self, name: &str, collections: &[String]) -> Result<usize, Failure> {
        let path = self.settings.path(name);
        let (vertices, edges) = match collections {
            [] => self.collections_of(name)?,
            named => self.split(named)?,
        };
        let all: Vec<String> = vertices.iter().chain(&edges).cloned().collect();
        if self.begin(path.as_deref())?.is_none() {
            return Ok(all.len());
        }
        self.expect(&all)?;
        let form = GraphForm::new(self.settings);
        let mut output =
            Output::create(path.as_deref(), self.settings.compression, &self.settings.files, &self.written)?;
        let mut text = Vec::new();
        form.begin(name, &mut text);
        let edges_begin = vertices.len();
        for (position, collection) in all.iter().enumerate() {
            let mut rows = self.rows(collection, None)?;
            while let Some(lines) = rows.next_lines().map_err(|failure| self.explain(&failure, collection))? {
                form.lines(&lines, position >= edges_begin, &mut text)?;
                output.write(&text)?;
                text.clear();
                self.progress.add(memchr_iter(b'\n', &lines).count() as u64);
            }
            let requests = rows.requests();
            drop(rows);
            self.requests += requests;
        }
        form.end(&mut text);
        output.write(&text)?;
        output.finish()?;
        Ok(all.len())
    }

    /// Returns the vertex collections and the edge collections of a named graph.
    fn collections_of(&mut self, graph: &str) -> Result<(Vec<String>, Vec<String>), Failure> {
        let value = self.server.client.call(&Request::get("/_api/gharial").segment(graph))?.value()?;
        self.requests += 1;
        let graph = Slice::new(&value).get("graph").unwrap_or(Slice::NULL);
        let (mut vertices, mut edges) = (Vec::new(), Vec::new());
        let names = |list: Option<Slice<'_>>, into: &mut Vec<String>| {
            for name in list.into_iter().flat_map(|list| list.elements()).filter_map(|name| name.as_str()) {
                if !into.iter().any(|known| known == name) {
                    into.push(name.to_owned());
                }
            }
        };
        for definition in graph.get("edgeDefinitions").into_iter().flat_map(|list| list.elements()) {
            names(definition.get("from"), &mut vertices);
            names(definition.get("to"), &mut vertices);
            edges.extend(definition.get("collection").and_then(|name| name.as_str()).map(str::to_owned));
        }
        names(graph.get("orphanCollections"), &mut vertices);
        Ok((vertices, edges))
    }

    /// Splits the named collections into vertex collections and edge collections.
    fn split(&mut self, collections: &[String]) -> Result<(Vec<String>, Vec<String>), Failure> {
        let (mut vertices, mut edges) = (Vec::new(), Vec::new());
        for name in collections {
            let value = self.server.client.call(&Request::get("/_api/collection").segment(name))?.value()?;
            self.requests += 1;
            let kind = Slice::new(&value).get("type").and_then(|kind| kind.as_u64());
            if kind == Some(EDGES) { edges.push(name.clone()) } else { vertices.push(name.clone()) }
        }
        Ok((vertices, edges))
    }

    /// Adds the collection to a failure, and a hint at `--resume` if the export can resume.
    fn explain(&self, failure: &Failure, collection: &str) -> Failure {
        let hint = match self.settings.form.is_resumable() && self.settings.file.as_deref() != Some(STDOUT) {
            true => "; run the same command with --resume to continue",
            false => "",
        };
        Failure::new(format!("collection {collection}: {}{hint}", failure.text()))
    }
}

#[cfg(test)]
mod tests;
