//! `--webhooks`: the receivers of changes.

use database::changes::WebhookOptions;
use options::{Flag, List, Opt, Options, Text, flag, text};

use crate::failure::Failure;

options::section! {
    static ALLOW: Opt<List<Text>> =
        text("webhooks.allow", "", "Allow webhooks to reach this host name, *.DOMAIN, address or network (CIDR), also if it is private, and without TLS. Default: only public addresses over https.").list();
    static ENABLED: Opt<Flag> =
        flag("webhooks.enabled", true, "Deliver changes to webhooks.");
}

/// Makes the options of webhooks.
pub(crate) fn settings(options: &Options) -> Result<WebhookOptions, Failure> {
    let entries = options.get(&ALLOW);
    let parsed = WebhookOptions::new(options.get(&ENABLED), entries.into_iter());
    Ok(parsed.map_err(|error| format!("--{}: {error}", ALLOW.name))?)
}
