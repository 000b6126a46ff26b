//! Public addresses, as opposed to those of networks that only insiders should reach.
//!
//! Source: IANA's registries of special-purpose addresses for IPv4 and IPv6.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of IPv4 that are not public: first address and length of the prefix.
const SPECIAL_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The public networks of IPv6 are within this one.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Networks within [`GLOBAL_V6`] that are not public: protocol assignments with Teredo, and
/// documentation.
const SPECIAL_V6: [(Ipv6Addr, u32); 3] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// The network of 6to4, whose addresses contain one of IPv4.
const SIX_TO_FOUR: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16);
/// The network of NAT64, whose addresses end with one of IPv4.
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Returns an IPv4 address that is written as one of IPv6 as it is, and others unchanged.
pub(crate) fn canonical(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

/// Returns true if everybody on the Internet may reach the address.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match canonical(address) {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4.iter().any(|(network, length)| in_v4(address, *network, *length))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = u128::from(address);
    if in_v6(address, NAT64.0, NAT64.1) {
        return is_public_v4(Ipv4Addr::from(bits as u32));
    }
    if in_v6(address, SIX_TO_FOUR.0, SIX_TO_FOUR.1) {
        return is_public_v4(Ipv4Addr::from((bits >> 80) as u32));
    }
    in_v6(address, GLOBAL_V6.0, GLOBAL_V6.1)
        && !SPECIAL_V6.iter().any(|(network, length)| in_v6(address, *network, *length))
}

/// Returns true if an address is within a network.
pub(crate) fn in_network(address: IpAddr, network: IpAddr, length: u32) -> bool {
    match (canonical(address), network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => in_v4(address, network, length),
        (IpAddr::V6(address), IpAddr::V6(network)) => in_v6(address, network, length),
        _ => false,
    }
}

fn in_v4(address: Ipv4Addr, network: Ipv4Addr, length: u32) -> bool {
    let differing = u32::from(address) ^ u32::from(network);
    differing.checked_shr(32_u32.saturating_sub(length)).unwrap_or(0) == 0
}

fn in_v6(address: Ipv6Addr, network: Ipv6Addr, length: u32) -> bool {
    let differing = u128::from(address) ^ u128::from(network);
    differing.checked_shr(128_u32.saturating_sub(length)).unwrap_or(0) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_not_public_however_they_are_written() {
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "239.1.1.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "fe80::1",
            "fc00::1",
            "fd12:3456::1",
            "fec0::1",
            "ff02::1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::1",
            "2002:0a00:1::",
            "2001:db8::1",
            "2001::1",
            "3fff::1",
            "::7f00:1",
            "100::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
    }

    #[test]
    fn others_are_public() {
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::8a",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn a_network_of_length_zero_has_all_addresses() {
        let all = (IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);
        assert!(in_network("203.0.113.9".parse().unwrap(), all.0, all.1));
        assert!(!in_network("::1".parse().unwrap(), all.0, all.1));
    }
}
