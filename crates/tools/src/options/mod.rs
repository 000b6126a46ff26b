//! The options that all tools share, with ArangoDB's names.
//!
//! A section is a file: the rows of its options, and the settings made of their values. The
//! sections of a tool are its own, then those of [`general`], [`server`] and [`log`]. Its ignored
//! options begin with [`IGNORED`], and a tool whose files are not encrypted refuses [`REFUSED`].

pub(crate) mod encryption;
pub(crate) mod general;
pub(crate) mod log;
pub(crate) mod server;
mod threads;

use options::Unsupported;

pub(crate) use threads::threads;

/// The prefix of environment variables.
pub(crate) const ENVIRONMENT_PREFIX: &str = "PERSEA_";

/// The options that all tools ignore.
pub(crate) const IGNORED: &[Unsupported] = &[
    Unsupported {
        reason: "messages of the tools have a fixed format",
        names: &[
            "log",
            "log.escape",
            "log.escape-control-chars",
            "log.escape-unicode-chars",
            "log.file-group",
            "log.file-mode",
            "log.force-direct",
            "log.foreground-tty",
            "log.hostname",
            "log.ids",
            "log.line-number",
            "log.max-entry-length",
            "log.max-queued-entries",
            "log.performance",
            "log.prefix",
            "log.process",
            "log.request-parameters",
            "log.role",
            "log.shorten-filenames",
            "log.structured-param",
            "log.thread",
            "log.thread-name",
            "log.time-format",
            "log.use-local-time",
            "log.use-microtime",
        ],
    },
    Unsupported {
        reason: "tokens that the tools create do not expire",
        names: &["server.jwt-renewal-threshold"],
    },
    Unsupported {
        reason: "the tools choose the format that suits the request",
        names: &["server.force-json"],
    },
    Unsupported { reason: "random numbers come from the operating system", names: &["random.generator"] },
    Unsupported { reason: "the tools write no temporary files", names: &["temp.path"] },
    Unsupported {
        reason: "the operating system decides this",
        names: &["honor-nsswitch", "use-splice-syscall"],
    },
];

/// The options that tools without encrypted files refuse.
pub(crate) const REFUSED: &[Unsupported] = &[Unsupported {
    reason: "the tool does not encrypt its files; use an encrypted file system, or a program such as age or gpg",
    names: &["encryption.keyfile", "encryption.key-generator"],
}];
