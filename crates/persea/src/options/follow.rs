//! `--follow`: the server that this one copies and follows.

use std::path::PathBuf;

use client::Endpoint;
use database::follow::SourceOptions;
use options::{Choice, List, Maybe, Number, Opt, Options, Text, choice, number, text};

use crate::failure::Failure;

options::section! {
    static ENDPOINT: Opt<Maybe<Text>> =
        text("follow", "", "Copy the server at this endpoint, follow its log, and answer reads. This server must be empty at first.").optional();
    static CA_FILE: Opt<Maybe<Text>> =
        text("follow.ca-file", "", "PEM file of authorities, one of which must have signed the certificate of the followed server.").optional();
    static DATABASES: Opt<List<Text>> =
        text("follow.database", "", "Follow this database only. Default: all, with users.").list();
    static PASSWORD: Opt<Text> =
        text("follow.password", "", "Password of the user at the followed server.").secret();
    static READS: Opt<Choice<bool>> =
        choice("follow.reads", READS_FROM, "on-request", "Clients whose reads are answered: `on-request` those that send `x-arango-allow-dirty-read: true`, `always` all.");
    static THREADS: Opt<Number> =
        number("follow.threads", "0", "Threads that copy; 0 for one for each core.");
    static TOKEN: Opt<Maybe<Text>> =
        text("follow.token", "", "Token (JWT) for the followed server, in place of user and password.").optional().secret();
    static USERNAME: Opt<Text> =
        text("follow.username", "root", "User at the followed server, an administrator.");
}

const READS_FROM: &[(&str, bool); 2] = &[("on-request", false), ("always", true)];

/// Returns true if a server that follows another one answers the reads of all clients.
pub(super) fn answers_all(options: &Options) -> bool {
    options.get(&READS)
}

/// Returns the server to follow; `None` without `--follow`.
pub(crate) fn source(options: &Options) -> Result<Option<SourceOptions>, Failure> {
    let Some(endpoint) = options.get(&ENDPOINT) else { return Ok(None) };
    Endpoint::parse(endpoint).map_err(|error| format!("--{}: {error}", ENDPOINT.name))?;
    Ok(Some(SourceOptions {
        endpoint: endpoint.to_owned(),
        username: options.get(&USERNAME).to_owned(),
        password: options.get(&PASSWORD).to_owned(),
        token: options.get(&TOKEN).map(str::to_owned),
        authorities: options.get(&CA_FILE).map(PathBuf::from),
        databases: options.get(&DATABASES).into_iter().map(str::to_owned).collect(),
        threads: options.get(&THREADS),
    }))
}
