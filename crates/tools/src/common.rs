//! Options that all tools have, with ArangoDB's names.
//!
//! A tool's tables are its own, then [`GENERAL`], [`SERVER`] and [`LOG`]; what it accepts without effect begins with
//! [`WITHOUT_EFFECT`], and what it refuses is [`REFUSED`].

use options::{Definition, Exception, Kind, option};

use Kind::{Bool, Bytes, Choice, Seconds, Text};

/// What names of variables of the environment begin with.
pub const ENVIRONMENT_PREFIX: &str = "PERSEA_";

/// Options without a section.
#[rustfmt::skip]
pub const GENERAL: &[Definition] = &[
    option("check-configuration", Bool, "false", "check the options and end").uncommon(),
    option("compress-request-threshold", Bytes, "0", "bytes from which bodies of requests are compressed; 0 never"),
    option("compress-transfer", Bool, "false", "ask the server for compressed replies"),
    option("configuration", Text, "", "file with more options, `none` for none"),
    option("define", Text, "", "NAME=VALUE: what `@NAME@` stands for in options, besides the environment").list().uncommon(),
];

/// Options about the server and the way to it.
#[rustfmt::skip]
pub const SERVER: &[Definition] = &[
    option("server.ask-jwt-secret", Bool, "false", "ask for the secret that tokens are signed with, and come as a superuser"),
    option("server.authentication", Bool, "true", "say who asks"),
    option("server.connection-timeout", Seconds, "5", "seconds to connect"),
    option("server.database", Text, "_system", "database to work in"),
    option("server.endpoint", Text, "http+tcp://127.0.0.1:8529", "the server: http+tcp://HOST:PORT, http+ssl://HOST:PORT or http+unix://PATH; of several the first that answers").list(),
    option("server.jwt-secret-keyfile", Text, "", "file with the secret that tokens are signed with, to come as a superuser"),
    option("server.jwt-token", Text, "", "token that says who asks; `-` to be asked for it").secret(),
    option("server.max-packet-size", Bytes, "1GiB", "most bytes of a reply that is kept in memory").uncommon(),
    option("server.password", Text, "", "password or access token; asked for on a terminal when it is missing").secret(),
    option("server.request-timeout", Seconds, "1200", "seconds that a reply may take"),
    option("server.username", Text, "root", "name of the user"),

    option("ssl.cafile", Text, "", "PEM file of certificates, one of which must be the server's or have signed it; without it any certificate is accepted"),
    option("ssl.protocol", Choice(&["5", "6", "9"]), "9", "version of TLS: 5 is 1.2, 6 is 1.3, 9 is either").uncommon(),
];

/// Options about what the tool says.
#[rustfmt::skip]
pub const LOG: &[Definition] = &[
    option("log.color", Bool, "true", "levels in colours on a terminal").uncommon(),
    option("log.file", Text, "", "file that messages are appended to, besides --log.output").uncommon(),
    option("log.level", Text, "info", "least level of messages: fatal, error, warning, info, debug or trace; TOPIC=LEVEL counts for the topics all, general and the tool's own").list(),
    option("log.output", Text, "+", "`-` (standard output), `+` (standard error output) or file://PATH").list().uncommon(),
    option("log.use-json-format", Bool, "false", "each message is a JSON object with time, level and message").uncommon(),
];

/// Options of all tools that change nothing here.
pub const WITHOUT_EFFECT: &[Exception] = &[
    Exception {
        reason: "messages of the tools have one form",
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
    Exception { reason: "tokens that the tools make have no end", names: &["server.jwt-renewal-threshold"] },
    Exception { reason: "the tools use the format that suits the request", names: &["server.force-json"] },
    Exception { reason: "random numbers come from the system", names: &["random.generator"] },
    Exception { reason: "the tools write no temporary files", names: &["temp.path"] },
    Exception { reason: "the system decides about it", names: &["honor-nsswitch", "use-splice-syscall"] },
];

/// Options of all tools that are refused.
pub const REFUSED: &[Exception] = &[Exception {
    reason: "what the tools write is not encrypted; use an encrypted file system, or a program such as age or gpg",
    names: &["encryption.keyfile", "encryption.key-generator"],
}];
