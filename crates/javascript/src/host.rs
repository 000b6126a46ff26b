//! The interface between the modules and the program that runs them.

use std::path::PathBuf;
use std::time::Duration;

use errors::Error;

use crate::{CompiledScripts, Failure};

/// The result of a function of the host.
pub type HostResult<T> = Result<T, HostError>;

/// The reason why a function of the host failed.
#[derive(Clone, Debug)]
pub enum HostError {
    /// An error that the script may handle: it is thrown as an `ArangoError`.
    Thrown(Error),
    /// A failure that ends the script. No script can catch it.
    Fatal(Failure),
}

impl From<Error> for HostError {
    fn from(error: Error) -> Self {
        HostError::Thrown(error)
    }
}

/// The program that an isolate runs in.
///
/// The first functions are for every host. The others return capabilities, which a host omits
/// by default: a module without its capability throws error 11 (forbidden).
///
/// Functions block until they are done. A panic in one of them ends the script as
/// [`Failure::Host`].
pub trait Host {
    /// Sends a request to Persea's HTTP API.
    ///
    /// Errors: the host's own, such as a connection that broke. A reply of status 400 or more is no
    /// error here.
    fn request(&self, request: Request<'_>) -> HostResult<Reply>;

    /// Returns the database that scripts begin in.
    fn database(&self) -> String;

    /// Prints a text as it is, without an end of line.
    fn print(&self, text: &str) -> HostResult<()>;

    /// Writes a message of `console`.
    fn log(&self, level: LogLevel, text: &str);

    /// Returns the file system, if scripts may use it.
    fn files(&self) -> Option<&dyn Files> {
        None
    }

    /// Returns the environment variables, if scripts may see them.
    fn environment(&self) -> Option<&dyn Environment> {
        None
    }

    /// Returns the process, if scripts may look at it and end it.
    fn process(&self) -> Option<&dyn Process> {
        None
    }

    /// Returns the network, if scripts may send requests to other hosts.
    fn network(&self) -> Option<&dyn Network> {
        None
    }

    /// Returns the terminal and connection of an interactive program.
    fn terminal(&self) -> Option<&dyn Terminal> {
        None
    }

    /// Returns the compiled scripts that isolates share, if they do.
    fn compiled_scripts(&self) -> Option<&CompiledScripts> {
        None
    }

    /// Returns the services of the database, if scripts may run as services.
    fn services(&self) -> Option<&dyn Services> {
        None
    }
}

/// A request to Persea's HTTP API.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The method, in upper case.
    pub method: &'a str,
    /// The database.
    pub database: &'a str,
    /// Path and query string, percent-encoded, without `/_db/NAME`.
    pub path: &'a str,
    /// Names, in lower case, and values of headers.
    pub headers: &'a [(String, String)],
    /// The body; JSON unless `content-type` is among the headers.
    pub body: &'a [u8],
    /// True if the script sees the headers of the reply. Otherwise only `content-type` is needed.
    pub wants_headers: bool,
}

/// A reply, of any status.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// Names, in lower case, and values of headers.
    pub headers: Vec<(String, String)>,
    /// The body, decompressed. The header `content-type` says if it is JSON or VelocyPack.
    pub body: Vec<u8>,
}

/// A request to another host.
#[derive(Clone, Debug)]
pub struct OutsideRequest<'a> {
    /// The method, in upper case.
    pub method: &'a str,
    /// The URL, `http` or `https`.
    pub url: &'a str,
    /// Names and values of headers.
    pub headers: &'a [(String, String)],
    /// The body.
    pub body: &'a [u8],
    /// The maximum time until the reply.
    pub timeout: Option<Duration>,
    /// True if the server's certificate must be valid.
    pub verifies: bool,
}

/// The importance of a message of `console`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// `console.debug`.
    Debug,
    /// `console.info`, `console.log`.
    Info,
    /// `console.warn`.
    Warning,
    /// `console.error`.
    Error,
}

/// The file system. Relative paths begin at the working directory.
pub trait Files {
    /// Returns the content of a file.
    fn read(&self, path: &str) -> HostResult<Vec<u8>>;
    /// Writes a file, or appends to it.
    fn write(&self, path: &str, content: &[u8], append: bool) -> HostResult<()>;
    /// Returns the facts about an entry, following links; none if there is no such entry.
    fn metadata(&self, path: &str) -> HostResult<Option<Metadata>>;
    /// Returns the names in a directory, in no order.
    fn list(&self, path: &str) -> HostResult<Vec<String>>;
    /// Creates a directory, with its parents if `recursive` is true.
    fn make_directory(&self, path: &str, recursive: bool) -> HostResult<()>;
    /// Removes a file or a link.
    fn remove(&self, path: &str) -> HostResult<()>;
    /// Removes a directory, with its content if `recursive` is true.
    fn remove_directory(&self, path: &str, recursive: bool) -> HostResult<()>;
    /// Renames an entry.
    fn rename(&self, from: &str, to: &str) -> HostResult<()>;
    /// Copies a file.
    fn copy(&self, from: &str, to: &str) -> HostResult<()>;
    /// Creates a symbolic link to `target`.
    fn link(&self, target: &str, path: &str) -> HostResult<()>;
    /// Changes the mode of an entry.
    fn set_mode(&self, path: &str, mode: u32) -> HostResult<()>;
    /// Packs files into a new ZIP archive.
    fn pack(&self, packing: &Packing<'_>) -> HostResult<()>;
    /// Unpacks a ZIP archive.
    fn unpack(&self, unpacking: &Unpacking<'_>) -> HostResult<()>;
    /// Returns the directory of temporary files.
    fn temporary_directory(&self) -> PathBuf;
    /// Returns the working directory.
    fn working_directory(&self) -> PathBuf;
}

/// Files to pack into a ZIP archive.
#[derive(Clone, Copy, Debug)]
pub struct Packing<'a> {
    /// The path of the archive, which must not exist.
    pub archive: &'a str,
    /// The folder that relative paths begin at. Names in the archive do not contain it.
    pub folder: &'a str,
    /// The paths of the files.
    pub files: &'a [String],
    /// The password that encrypts the files.
    pub password: Option<&'a str>,
}

/// A ZIP archive to unpack.
#[derive(Clone, Copy, Debug)]
pub struct Unpacking<'a> {
    /// The path of the archive.
    pub archive: &'a str,
    /// The folder for its files.
    pub folder: &'a str,
    /// True if all files go into the folder itself, without the folders of the archive.
    pub skips_paths: bool,
    /// True if existing files are overwritten.
    pub overwrites: bool,
    /// The password of encrypted files.
    pub password: Option<&'a str>,
}

/// The facts about an entry of the file system.
#[derive(Clone, Copy, Debug)]
pub struct Metadata {
    /// The kind of the entry.
    pub kind: EntryKind,
    /// The size in bytes.
    pub bytes: u64,
    /// The last change, in seconds since 1970.
    pub modified: f64,
}

/// The kind of an entry of the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// A socket, a device or another special entry.
    Other,
}

/// The environment variables.
pub trait Environment {
    /// Returns all variables.
    fn variables(&self) -> Vec<(String, String)>;
    /// Sets a variable, or removes it.
    fn set(&self, name: &str, value: Option<&str>);
}

/// The process.
pub trait Process {
    /// Returns the process's id.
    fn id(&self) -> u32;
    /// Returns the arguments of the script.
    fn arguments(&self) -> Vec<String>;
}

/// The network.
pub trait Network {
    /// Sends a request and reads the reply. Redirects are not followed.
    fn request(&self, request: OutsideRequest<'_>) -> HostResult<Reply>;
}

/// The terminal and the connection of an interactive program.
pub trait Terminal {
    /// Returns true if printed values have colours.
    fn has_colors(&self) -> bool;
    /// Returns true if printed objects are indented.
    fn is_pretty(&self) -> bool;
    /// Prints everything until [`Terminal::end_pager`] through a pager.
    fn begin_pager(&self);
    /// Ends the use of the pager.
    fn end_pager(&self);
    /// Reads a line from the standard input; none at its end.
    fn read_line(&self) -> Option<String>;
    /// Returns the address of the server.
    fn endpoint(&self) -> String;
    /// Returns the name of the user of the requests.
    fn user(&self) -> String;
    /// Connects to another server or as another user.
    fn reconnect(&self, endpoint: &str, user: &str, password: &str) -> HostResult<()>;
}

/// The services of the database that a script runs in.
pub trait Services {
    /// Returns the description of the service at a mount point; none if nothing is mounted there.
    ///
    /// It is a VelocyPack object: `mount`, `basePath` (the absolute folder of its files),
    /// `manifest` (normalized), `configuration` (an object of values), `dependencies` (an object:
    /// from an alias to a mount point, an array of mount points, or null), `development`,
    /// `checksum`, `collectionPrefix`, and `unmet` (an array of texts, one for each missing
    /// setting).
    fn service(&self, mount: &str) -> HostResult<Option<Vec<u8>>>;
}
