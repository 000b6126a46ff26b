//! `--group`: the servers with which this one elects the one that takes writes.

use std::path::{Path, PathBuf};

use client::Endpoint;
use database::group::{GroupOptions, LEASE_MAX, LEASE_MIN, Member};
use options::{Flag, List, Maybe, Number, Opt, Options, Seconds, Text, flag, number, seconds, text};

use super::{follow, server};
use crate::failure::Failure;

options::section! {
    static ACKNOWLEDGEMENT_TIMEOUT: Opt<Seconds> =
        seconds("group.acknowledgement-timeout", "30", "Longest wait in seconds of a write with `--group.synchronous` for other members.");
    static CA_FILE: Opt<Maybe<Text>> =
        text("group.ca-file", "", "PEM file of authorities, one of which must have signed the certificates of the other members.").optional();
    static LEASE: Opt<Seconds> =
        seconds("group.lease", "2", "Time in seconds for which a leader may write without news from the others. All members must have the same.");
    static MEMBER: Opt<List<Text>> =
        text("group.member", "", "A member of the group that elects a leader, as `ID=ENDPOINT`, this server included. Members and clients use this endpoint.").list();
    static OWN_ID: Opt<Number> =
        number("group.own-id", "0", "The id of this server among the members of its group.");
    static SYNCHRONOUS: Opt<Flag> =
        flag("group.synchronous", false, "Acknowledge a write once a majority of the members has it.");
    static THREADS: Opt<Number> =
        number("group.threads", "0", "Threads that copy the leader's data; 0 for one for each core.");
}

/// The folder of the group in the data folder.
const FOLDER: &str = "group";

/// Returns true if this server is a member of a group.
pub(super) fn is_member(options: &Options) -> bool {
    options.get(&MEMBER).into_iter().next().is_some()
}

/// Returns the options of the group; `None` without `--group.member`.
pub(crate) fn settings(options: &Options, data_folder: &Path) -> Result<Option<GroupOptions>, Failure> {
    let members = options.get(&MEMBER).into_iter().map(member).collect::<Result<Vec<_>, _>>()?;
    let own = options.get(&OWN_ID);
    if members.is_empty() {
        return match own {
            0 => Ok(None),
            _ => Err(format!("--{} needs --{}, once for each member", OWN_ID.name, MEMBER.name).into()),
        };
    }
    if !members.iter().any(|member| member.id == own) {
        let ids: Vec<String> = members.iter().map(|member| member.id.to_string()).collect();
        let message =
            format!("--{} is {own}; it must be the id of a member: {}", OWN_ID.name, ids.join(", "));
        return Err(message.into());
    }
    let lease = options.duration(&LEASE);
    if !(LEASE_MIN..=LEASE_MAX).contains(&lease) {
        return Err(format!(
            "--{} must be between {} and {} seconds",
            LEASE.name,
            LEASE_MIN.as_secs_f64(),
            LEASE_MAX.as_secs()
        )
        .into());
    }
    if follow::source(options)?.is_some() {
        return Err(format!(
            "--follow and --{} exclude each other: a member follows the leader of its group",
            MEMBER.name
        )
        .into());
    }
    server::check_secret(options, MEMBER.name)?;
    Ok(Some(GroupOptions {
        own,
        members,
        folder: data_folder.join(FOLDER),
        lease,
        is_synchronous: options.get(&SYNCHRONOUS),
        acknowledgement_timeout: options.duration(&ACKNOWLEDGEMENT_TIMEOUT),
        authorities: options.get(&CA_FILE).map(PathBuf::from),
        threads: options.get(&THREADS),
        encryption: None,
    }))
}

fn member(text: &str) -> Result<Member, Failure> {
    let wrong = |reason: &str| format!("--{} is '{text}'; {reason}", MEMBER.name);
    let (id, endpoint) =
        text.split_once('=').ok_or_else(|| wrong("it must be ID=ENDPOINT, such as 1=tcp://10.0.0.1:8529"))?;
    let id = id.trim().parse::<u64>().ok().filter(|id| *id > 0);
    let id = id.ok_or_else(|| wrong("the id must be a number from 1 on"))?;
    Endpoint::parse(endpoint).map_err(|error| wrong(&error.to_string()))?;
    Ok(Member { id, endpoint: endpoint.to_owned() })
}
