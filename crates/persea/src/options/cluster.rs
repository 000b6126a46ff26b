//! `--cluster`: servers that share a store.

use std::time::Duration;

use database::Instance;
use options::{Maybe, Opt, Options, Seconds, Text, seconds, text};
use server::http::address::Address;

use crate::failure::Failure;

options::section! {
    static DRAIN_TIME: Opt<Seconds> =
        seconds("cluster.drain-time", "5", "Time in seconds for which a server that stops still serves, if others share its store. It must exceed the time in which load balancers notice.");
    static MY_ADDRESS: Opt<Maybe<Text>> =
        text("cluster.my-address", "", "Address (tcp://HOST:PORT) at which other servers on the same store reach this one. Default: the first unencrypted endpoint, with the host name if it listens on all interfaces.").optional();
}

/// Tells the other servers of a shared store where this one listens.
pub(crate) fn announce(options: &Options, instance: &Instance, endpoints: &[Address]) -> Result<(), Failure> {
    let Some(sharing) = instance.store().sharing() else { return Ok(()) };
    let address = match options.get(&MY_ADDRESS).filter(|address| !address.is_empty()) {
        Some(address) => Some(host_and_port(address)?),
        None => endpoints.iter().find_map(|endpoint| own(endpoint, &machine_name())),
    };
    match address {
        Some(address) => sharing.set_address(&address).map_err(errors::Error::from)?,
        None => tracing::warn!(
            target: "cluster",
            "other servers cannot forward requests to this one, because it has no unencrypted endpoint; \
             add one in the servers' network, or set --{}",
            MY_ADDRESS.name
        ),
    }
    Ok(())
}

/// Returns the time for which a server that stops still serves.
pub(crate) fn drain_time(options: &Options) -> Duration {
    options.duration(&DRAIN_TIME)
}

/// Returns `HOST:PORT` of an address.
fn host_and_port(address: &str) -> Result<String, Failure> {
    let wrong = || format!("--{} is '{address}'; it must be tcp://HOST:PORT", MY_ADDRESS.name);
    let rest =
        ["tcp://", "http://"].iter().find_map(|scheme| address.strip_prefix(scheme)).ok_or_else(wrong)?;
    let (host, port) = rest.trim_end_matches('/').rsplit_once(':').ok_or_else(wrong)?;
    let is_host = !host.is_empty() && !host.contains(['/', '@', ' ']);
    if !is_host || port.parse::<u16>().is_err() {
        return Err(wrong().into());
    }
    Ok(format!("{host}:{port}"))
}

/// Returns the address of an endpoint for others; `None` for one that they cannot use.
fn own(endpoint: &Address, machine: &str) -> Option<String> {
    match endpoint {
        Address::Tcp(address) if address.ip().is_unspecified() => {
            Some(format!("{machine}:{}", address.port())).filter(|_| !machine.is_empty())
        }
        Address::Tcp(address) => Some(address.to_string()),
        Address::Tls(_) | Address::Unix(_) => None,
    }
}

fn machine_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_scheme_a_host_and_a_port() {
        assert_eq!(host_and_port("tcp://db1:8529").unwrap(), "db1:8529");
        assert_eq!(host_and_port("http://[fd00::1]:80/").unwrap(), "[fd00::1]:80");
        for wrong in
            ["db1:8529", "tcp://db1", "tcp://:1", "ssl://a:1", "tcp://a:b", "tcp://u@a:1", "tcp://a/b:1"]
        {
            assert!(host_and_port(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_endpoint_everywhere_is_the_machine() {
        let tcp = |text: &str| Address::Tcp(text.parse().unwrap());
        assert_eq!(own(&tcp("0.0.0.0:8529"), "db1").as_deref(), Some("db1:8529"));
        assert_eq!(own(&tcp("[::]:8529"), "db1").as_deref(), Some("db1:8529"));
        assert_eq!(own(&tcp("10.0.0.1:8529"), "db1").as_deref(), Some("10.0.0.1:8529"));
        assert_eq!(own(&Address::Tls("10.0.0.1:8529".parse().unwrap()), "db1"), None);
    }
}
