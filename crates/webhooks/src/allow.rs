//! The addresses that the operator allows.

use std::net::IpAddr;

use crate::public::{canonical, in_network, is_public};
use crate::target::{Target, is_host_name};

/// The addresses that webhooks may reach: public ones over HTTPS, and what the operator names.
///
/// Addresses that the operator names may also be private, and be reached without encryption.
#[derive(Clone, Debug, Default)]
pub struct AllowList {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    /// A host by its name, in lower case.
    Host(String),
    /// All hosts whose names end with this, which begins with a dot.
    Below(String),
    /// A network, or one address.
    Network { network: IpAddr, length: u32 },
}

impl AllowList {
    /// Reads entries: host names, `*.example.com`, addresses, and networks such as `10.0.0.0/8`.
    ///
    /// Errors: the entry that is none of these, with the forms that are right.
    pub fn parse<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<AllowList, String> {
        let entries = entries.into_iter().map(|text| {
            Entry::parse(text.trim()).ok_or_else(|| {
                format!(
                    "'{text}' must be a host name, *.DOMAIN, an IP address, or a network such as 10.0.0.0/8"
                )
            })
        });
        Ok(AllowList { entries: entries.collect::<Result<_, _>>()? })
    }

    /// Checks all addresses of a receiver.
    ///
    /// Errors: the reason why it must not be reached.
    pub fn check(&self, target: &Target, addresses: &[IpAddr]) -> Result<(), String> {
        if addresses.is_empty() {
            return Err(format!("the host '{}' has no address", target.host()));
        }
        if self.entries.iter().any(|entry| entry.names(target.host())) {
            return Ok(());
        }
        addresses.iter().try_for_each(|address| self.check_address(target, canonical(*address)))
    }

    fn check_address(&self, target: &Target, address: IpAddr) -> Result<(), String> {
        if self.entries.iter().any(|entry| entry.contains(address)) {
            return Ok(());
        }
        let why = if !is_public(address) {
            format!("its address {address} is not public")
        } else if !target.is_encrypted() {
            "it is not https".to_owned()
        } else {
            return Ok(());
        };
        Err(format!("'{}' is not allowed: {why}, and --webhooks.allow does not name it", target.origin()))
    }
}

impl Entry {
    fn parse(text: &str) -> Option<Entry> {
        if let Some((network, length)) = text.split_once('/') {
            let network: IpAddr = network.parse().ok()?;
            let bits = if network.is_ipv4() { 32 } else { 128 };
            let length = length.parse().ok().filter(|length| *length <= bits)?;
            return Some(Entry::Network { network, length });
        }
        let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        if let Ok(network) = bare.parse::<IpAddr>() {
            let network = canonical(network);
            return Some(Entry::Network { network, length: if network.is_ipv4() { 32 } else { 128 } });
        }
        let name = text.to_ascii_lowercase();
        match name.strip_prefix('*') {
            Some(domain) => {
                let is_domain = domain.strip_prefix('.').is_some_and(is_host_name);
                is_domain.then(|| Entry::Below(domain.to_owned()))
            }
            None => is_host_name(&name).then_some(Entry::Host(name)),
        }
    }

    /// Returns true if the entry names the host, whatever its addresses are.
    fn names(&self, host: &str) -> bool {
        match self {
            Entry::Host(name) => name == host,
            Entry::Below(domain) => host.len() > domain.len() && host.ends_with(domain.as_str()),
            Entry::Network { .. } => false,
        }
    }

    fn contains(&self, address: IpAddr) -> bool {
        matches!(self, Entry::Network { network, length } if in_network(address, *network, *length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entries: &[&str], url: &str, addresses: &[&str]) -> Result<(), String> {
        let addresses: Vec<IpAddr> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        AllowList::parse(entries.iter().copied()).unwrap().check(&Target::parse(url).unwrap(), &addresses)
    }

    #[test]
    fn public_addresses_over_https_are_allowed_by_default() {
        check(&[], "https://example.com/x", &["93.184.216.34", "2606:2800::1"]).unwrap();
        for (url, addresses) in [
            ("http://example.com/", &["93.184.216.34"][..]),
            ("https://example.com/", &["127.0.0.1"]),
            ("https://example.com/", &["93.184.216.34", "10.0.0.1"]),
            ("https://example.com/", &["::ffff:192.168.0.1"]),
            ("https://example.com/", &[]),
        ] {
            check(&[], url, addresses).unwrap_err();
        }
    }

    #[test]
    fn an_entry_allows_exactly_what_it_names() {
        check(&["receiver"], "http://receiver:8080/", &["10.0.0.1"]).unwrap();
        check(&["RECEIVER"], "http://Receiver./", &["10.0.0.1"]).unwrap();
        check(&["*.internal"], "http://a.b.internal/", &["127.0.0.1"]).unwrap();
        check(&["127.0.0.1"], "http://localhost/", &["127.0.0.1"]).unwrap();
        check(&["[::1]", "127.0.0.0/8"], "http://localhost/", &["127.0.0.1", "::1"]).unwrap();
        check(&["127.0.0.1"], "http://x/", &["::ffff:127.0.0.1"]).unwrap();
        for (entry, url, address) in [
            ("receiver", "http://receiver.other/", "10.0.0.1"),
            ("*.internal", "http://internal/", "10.0.0.1"),
            ("*.internal", "http://xinternal/", "10.0.0.1"),
            ("127.0.0.1", "http://localhost/", "127.0.0.2"),
            ("10.0.0.0/8", "http://x/", "11.0.0.1"),
            ("10.0.0.0/8", "http://x/", "93.184.216.34"),
        ] {
            check(&[entry], url, &[address]).unwrap_err();
        }
        check(&["127.0.0.1"], "http://localhost/", &["127.0.0.1", "127.0.0.2"]).unwrap_err();
    }

    #[test]
    fn other_entries_are_refused() {
        for wrong in
            ["", "*", "*.", "a b", "http://a", "10.0.0.0/33", "10.0.0/8", "a/8", "*a.b", "::1/129", "a:80"]
        {
            assert!(AllowList::parse([wrong]).is_err(), "{wrong}");
        }
    }
}
