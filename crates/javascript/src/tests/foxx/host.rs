//! A host that runs services whose files are in a temporary folder.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, UNIX_EPOCH};

use errors::{Error, ErrorCode};
use tempfile::TempDir;
use velocypack::{Builder, Limits as ValueLimits, Slice, json};

use crate::{
    EntryKind, Files, Host, HostResult, Isolate, Limits, LogLevel, Metadata, Packing, Reply, Request,
    Services, Unpacking,
};

/// A service: its mount point, what its description has beyond the defaults, and its files.
pub(super) type Service<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

struct ServiceHost {
    folder: PathBuf,
    descriptions: BTreeMap<String, Vec<u8>>,
    log: Rc<RefCell<String>>,
}

impl Host for ServiceHost {
    fn request(&self, request: Request<'_>) -> HostResult<Reply> {
        let body = match request.path {
            "/_api/collection/test_things" => r#"{"id":"1","name":"test_things","type":2,"status":3}"#,
            "/_api/document/test_things/a" => r#"{"_key":"a","value":1}"#,
            "/_api/database/current" => r#"{"result":{"name":"other"}}"#,
            "/_api/cursor" => r#"{"result":[1,2,3],"hasMore":false}"#,
            _ => {
                let body = r#"{"error":true,"errorNum":1203,"errorMessage":"collection or view not found","code":404}"#;
                return Ok(reply(404, body));
            }
        };
        Ok(reply(200, body))
    }

    fn database(&self) -> String {
        "mydb".to_owned()
    }

    fn print(&self, text: &str) -> HostResult<()> {
        self.log.borrow_mut().push_str(text);
        Ok(())
    }

    fn log(&self, level: LogLevel, text: &str) {
        self.log.borrow_mut().push_str(&format!("{level:?}: {text}\n"));
    }

    fn files(&self) -> Option<&dyn Files> {
        Some(self)
    }

    fn services(&self) -> Option<&dyn Services> {
        Some(self)
    }
}

fn reply(status: u16, body: &str) -> Reply {
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    Reply { status, headers, body: body.as_bytes().to_vec() }
}

impl Services for ServiceHost {
    fn service(&self, mount: &str) -> HostResult<Option<Vec<u8>>> {
        Ok(self.descriptions.get(mount).cloned())
    }
}

fn refused<T>() -> HostResult<T> {
    Err(Error::new(ErrorCode::Forbidden, "services may only read").into())
}

impl Files for ServiceHost {
    fn read(&self, path: &str) -> HostResult<Vec<u8>> {
        std::fs::read(path).map_err(|error| Error::internal(error).into())
    }

    fn write(&self, _: &str, _: &[u8], _: bool) -> HostResult<()> {
        refused()
    }

    fn metadata(&self, path: &str) -> HostResult<Option<Metadata>> {
        let Ok(found) = std::fs::metadata(path) else { return Ok(None) };
        let kind = match (found.is_file(), found.is_dir()) {
            (true, _) => EntryKind::File,
            (_, true) => EntryKind::Directory,
            _ => EntryKind::Other,
        };
        let modified = found.modified().unwrap().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
        Ok(Some(Metadata { kind, bytes: found.len(), modified }))
    }

    fn list(&self, path: &str) -> HostResult<Vec<String>> {
        let entries = std::fs::read_dir(path).map_err(Error::internal)?;
        Ok(entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect())
    }

    fn make_directory(&self, _: &str, _: bool) -> HostResult<()> {
        refused()
    }

    fn remove(&self, _: &str) -> HostResult<()> {
        refused()
    }

    fn remove_directory(&self, _: &str, _: bool) -> HostResult<()> {
        refused()
    }

    fn rename(&self, _: &str, _: &str) -> HostResult<()> {
        refused()
    }

    fn copy(&self, _: &str, _: &str) -> HostResult<()> {
        refused()
    }

    fn link(&self, _: &str, _: &str) -> HostResult<()> {
        refused()
    }

    fn set_mode(&self, _: &str, _: u32) -> HostResult<()> {
        refused()
    }

    fn pack(&self, _: &Packing<'_>) -> HostResult<()> {
        refused()
    }

    fn unpack(&self, _: &Unpacking<'_>) -> HostResult<()> {
        refused()
    }

    fn temporary_directory(&self) -> PathBuf {
        self.folder.clone()
    }

    fn working_directory(&self) -> PathBuf {
        self.folder.clone()
    }
}

/// An isolate with services.
pub(super) struct Fixture {
    isolate: Isolate,
    log: Rc<RefCell<String>>,
    folder: TempDir,
}

/// A reply of a service.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the values of a header, joined.
    pub(super) fn header(&self, name: &str) -> String {
        let values: Vec<&str> =
            self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect();
        values.join(" | ")
    }

    /// Returns the value of an attribute of a body in JSON, as JSON.
    pub(super) fn attribute(&self, name: &str) -> String {
        let value = parse(&self.text());
        Slice::new(&value).get(name).map_or(String::new(), |value| value.to_json_string())
    }
}

pub(super) fn parse(text: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    json::parse(text.as_bytes(), &ValueLimits::default(), &mut builder)
        .unwrap_or_else(|e| panic!("{e}: {text}"));
    builder.into_vec()
}

impl Fixture {
    /// Makes a service at the mount point `/test` of a file `index.js`.
    pub(super) fn of(index: &str) -> Self {
        Fixture::new(&[("/test", "{}", &[("index.js", index)])])
    }

    /// Makes services. A description without an attribute has that of a plain service.
    pub(super) fn new(services: &[Service<'_>]) -> Self {
        let folder = TempDir::new().unwrap();
        let mut descriptions = BTreeMap::new();
        for (mount, extra, files) in services {
            let base = folder.path().join(mount.trim_start_matches('/'));
            for (name, content) in *files {
                let path = base.join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, content).unwrap();
            }
            let description = describe(mount, &base, extra);
            descriptions.insert((*mount).to_owned(), description);
        }
        let log = Rc::new(RefCell::new(String::new()));
        let host = ServiceHost { folder: folder.path().to_owned(), descriptions, log: Rc::clone(&log) };
        let isolate =
            Isolate::new(Box::new(host), &Limits::default(), Arc::new(AtomicBool::new(false))).unwrap();
        Fixture { isolate, log, folder }
    }

    /// Ends scripts that run longer from now.
    pub(super) fn limit(&self, duration: Duration) {
        self.isolate.set_deadline(Instant::now().checked_add(duration));
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn log(&self) -> String {
        self.log.borrow().clone()
    }

    /// Calls an entry point with arguments in JSON, and returns its value in JSON and its body.
    pub(super) fn call(&self, function: &str, arguments: &[&str], body: &[u8]) -> (String, Vec<u8>) {
        let arguments: Vec<Vec<u8>> = arguments.iter().map(|text| parse(text)).collect();
        let slices: Vec<Slice<'_>> = arguments.iter().map(|value| Slice::new(value)).collect();
        let exchanged = self.isolate.exchange("persea/foxx/entry", function, &slices, body).unwrap();
        (Slice::new(&exchanged.value).to_json_string(), exchanged.body)
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "{}", b"")
    }

    pub(super) fn post(&self, path: &str, content_type: &str, body: impl AsRef<[u8]>) -> Answer {
        let headers = format!(r#"{{"content-type":"{content_type}"}}"#);
        self.send("POST", path, &headers, body.as_ref())
    }

    /// Sends a request to `/test`. `headers` is a JSON object.
    pub(super) fn send(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
        self.send_as(method, path, headers, body, "null")
    }

    pub(super) fn send_as(&self, method: &str, path: &str, headers: &str, body: &[u8], user: &str) -> Answer {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let request = format!(
            r#"{{"mount":"/test","method":"{method}","database":"mydb","path":"/test{path}","query":"{query}",
                "headers":{headers},"user":{user},"client":{{"address":"10.0.0.1","port":4242}},
                "server":{{"address":"127.0.0.1","port":8529}},"protocol":"http","isDatabaseInPath":true,
                "version":"3.12.5"}}"#
        );
        let (value, body) = self.call("handle", &[&request], body);
        answer(&value, body)
    }
}

fn answer(value: &str, body: Vec<u8>) -> Answer {
    let value = parse(value);
    let result = Slice::new(&value).get("result").unwrap();
    let text = |value: Slice<'_>| value.as_str().unwrap().to_owned();
    let headers = result.get("headers").unwrap().elements().map(|pair| {
        let mut pair = pair.elements();
        (text(pair.next().unwrap()), text(pair.next().unwrap()))
    });
    Answer {
        status: result.get("status").unwrap().as_f64().unwrap() as u16,
        headers: headers.collect(),
        body,
    }
}

fn describe(mount: &str, base: &Path, extra: &str) -> Vec<u8> {
    let prefix = mount.trim_start_matches('/').replace('-', "_");
    let defaults = format!(
        r#"{{"mount":"{mount}","basePath":"{}","manifest":{{"main":"index.js","lib":"."}},"configuration":{{}},
            "dependencies":{{}},"development":false,"checksum":"0","collectionPrefix":"{prefix}","unmet":[]}}"#,
        base.display()
    );
    let (defaults, extra) = (parse(&defaults), parse(extra));
    let mut builder = Builder::new();
    builder.open_object().unwrap();
    let extra = Slice::new(&extra);
    for (name, member) in Slice::new(&defaults).entries() {
        builder.key(name).unwrap();
        builder.add_slice(extra.get(name).unwrap_or(member)).unwrap();
    }
    builder.close().unwrap();
    builder.into_vec()
}
