//! `--tikv`: the engine on a TiKV cluster.

use std::time::Duration;

use kv_tikv::{DIRTY_READ_AGE_MAX, TikvOptions, TlsFiles};
use options::{Bytes, Flag, List, Maybe, Opt, Options, Seconds, Text, bytes, flag, seconds, text};

use crate::failure::Failure;

/// The shortest lease: several signs of life fit into it. The longest one: changes of definitions
/// wait for a dead server until its lease has ended.
const LEASE_MIN: Duration = Duration::from_secs(5);
const LEASE_MAX: Duration = Duration::from_secs(300);

options::section! {
    static ADOPT_RESTORED: Opt<Flag> =
        flag("tikv.adopt-restored", false, "Take over a deployment that was restored from a backup of another cluster. Start the first server after the restore with it, once.");
    static CA: Opt<Maybe<Text>> =
        text("tikv.ca", "", "PEM file with the CA certificates of the cluster; enables encryption.").optional();
    static CERT: Opt<Maybe<Text>> =
        text("tikv.cert", "", "PEM file with the certificate that this server shows to the cluster.").optional();
    static COLLECT_GARBAGE: Opt<Flag> =
        flag("tikv.collect-garbage", true, "Let the cluster remove old versions of keys after ten minutes, if no other program uses the cluster.");
    static DIRTY_READ_AGE: Opt<Seconds> =
        seconds("tikv.dirty-read-age", "0", "Age in seconds of what dirty reads see, at most 60. At 0 they see the present, for which a replica asks the leader of its region; above 0 they need no leader, if the replica has all commits up to then.");
    static KEY: Opt<Maybe<Text>> =
        text("tikv.key", "", "PEM file with the key of --tikv.cert.").optional();
    static LEASE: Opt<Seconds> =
        seconds("tikv.lease", "30", "Time in seconds after which other servers take this one for dead without a sign of life, at least 5. It must exceed an election of the cluster. All servers must have the same.");
    static MAX_TRANSACTION_SIZE: Opt<Bytes> =
        bytes("tikv.max-transaction-size", "64MiB", "Maximum size in bytes of the keys and values of one transaction in the cluster.");
    static ONE_PHASE_COMMIT: Opt<Flag> =
        flag("tikv.one-phase-commit", true, "Commit in one phase if a single region holds all keys.");
    static PD: Opt<List<Text>> =
        text("tikv.pd", "127.0.0.1:2379", "Address (HOST:PORT) of a PD member. Separate several by commas, or repeat the option.").list();
    static PREFIX: Opt<Text> =
        text("tikv.prefix", "persea", "Prefix of all keys of this deployment in the cluster.");
    static TIMEOUT: Opt<Seconds> =
        seconds("tikv.timeout", "25", "Maximum duration in seconds of one operation in the cluster, including retries.");
}

/// Makes the options of the engine.
pub(super) fn settings(options: &Options) -> Result<TikvOptions, Failure> {
    let file = |option: &Opt<Maybe<Text>>| options.get(option).filter(|path| !path.is_empty());
    let identity = match (file(&CERT), file(&KEY)) {
        (Some(certificate), Some(key)) => Some((certificate.into(), key.into())),
        (None, None) => None,
        _ => return Err("--tikv.cert and --tikv.key need each other".to_owned().into()),
    };
    let tls = match (file(&CA), identity) {
        (Some(authority), identity) => Some(TlsFiles { authority: authority.into(), identity }),
        (None, None) => None,
        (None, Some(_)) => return Err("--tikv.cert needs --tikv.ca".to_owned().into()),
    };
    let addresses = options.get(&PD);
    let pd: Vec<String> = addresses
        .into_iter()
        .flat_map(|list| list.split(','))
        .map(|address| address.trim().trim_start_matches("http://").trim_start_matches("https://").to_owned())
        .filter(|address| !address.is_empty())
        .collect();
    if pd.is_empty() {
        return Err(format!("--{} has no address", PD.name).into());
    }
    let prefix = options.get(&PREFIX).to_owned();
    if prefix.is_empty() || prefix.contains('/') {
        return Err(format!("--{} is '{prefix}'; it must not be empty or contain '/'", PREFIX.name).into());
    }
    let timeout = options.duration(&TIMEOUT).max(Duration::from_secs(1));
    let lease = options.duration(&LEASE);
    if !(LEASE_MIN..=LEASE_MAX).contains(&lease) {
        let (given, least, most) = (lease.as_secs_f64(), LEASE_MIN.as_secs(), LEASE_MAX.as_secs());
        return Err(format!("--{} is {given}; it must be from {least} to {most}", LEASE.name).into());
    }
    let dirty_read_age = options.duration(&DIRTY_READ_AGE);
    if dirty_read_age > DIRTY_READ_AGE_MAX {
        let (given, most) = (dirty_read_age.as_secs_f64(), DIRTY_READ_AGE_MAX.as_secs());
        return Err(format!("--{} is {given}; it must be at most {most}", DIRTY_READ_AGE.name).into());
    }
    let defaults = TikvOptions::default();
    Ok(TikvOptions {
        pd,
        tls,
        prefix,
        timeout,
        message_timeout: defaults.message_timeout.min(timeout),
        lease,
        format: defaults.format,
        adopts_restored: options.get(&ADOPT_RESTORED),
        one_phase: options.get(&ONE_PHASE_COMMIT),
        collect_garbage: options.get(&COLLECT_GARBAGE),
        dirty_read_age,
        transaction_bytes_max: options.size(&MAX_TRANSACTION_SIZE).max(1 << 20),
    })
}
