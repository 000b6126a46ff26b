//! The bits of `--ssl.options`, which are OpenSSL's.
//!
//! Source of the bits: OpenSSL's manual page `SSL_CTX_set_options` and its public header `ssl.h`.

/// The effects of bits that turn something on or off here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BitEffects {
    pub(super) is_tls12_off: bool,
    pub(super) is_tls13_off: bool,
    /// The server's order of cipher suites counts, not the client's.
    pub(super) prefers_server_order: bool,
    /// Clients do not learn the names of the authorities for their certificates.
    pub(super) hides_authorities: bool,
}

const DISABLE_TLSEXT_CA_NAMES: u64 = 1 << 9;
const CIPHER_SERVER_PREFERENCE: u64 = 1 << 22;
const NO_TLSV1_2: u64 = 1 << 27;
const NO_TLSV1_3: u64 = 1 << 29;

/// Bits that need no effect: what they turn off is never on, and the clients that they help are
/// those of protocols and algorithms that the server does not have.
const NEEDLESS: u64 = SSL_OP_ALL
    | (1 << 14) // NO_TICKET: sessions are kept in memory
    | (1 << 16) // NO_SESSION_RESUMPTION_ON_RENEGOTIATION
    | (1 << 17) // NO_COMPRESSION
    | (1 << 19) // NO_ENCRYPT_THEN_MAC: every suite encrypts and authenticates at once
    | (1 << 20) // ENABLE_MIDDLEBOX_COMPAT: it always is
    | (1 << 24) // NO_ANTI_REPLAY: there is no early data
    | (1 << 25) // NO_SSLv3
    | (1 << 26) // NO_TLSv1
    | (1 << 28) // NO_TLSv1_1
    | (1 << 30) // NO_RENEGOTIATION
    | (1 << 32) // NO_TX_CERTIFICATE_COMPRESSION
    | (1 << 33); // NO_RX_CERTIFICATE_COMPRESSION

/// `SSL_OP_ALL`, ArangoDB's default: workarounds for old clients.
const SSL_OP_ALL: u64 = 1 << 4 | 1 << 6 | 1 << 11 | 1 << 31;

/// Bits that ask for something that rustls does not do, by OpenSSL's names.
const REFUSED: [(u32, &str); 12] = [
    (0, "NO_EXTENDED_MASTER_SECRET"),
    (1, "CLEANSE_PLAINTEXT"),
    (2, "LEGACY_SERVER_CONNECT"),
    (3, "ENABLE_KTLS"),
    (7, "IGNORE_UNEXPECTED_EOF"),
    (8, "ALLOW_CLIENT_RENEGOTIATION"),
    (10, "ALLOW_NO_DHE_KEX"),
    (12, "NO_QUERY_MTU"),
    (13, "COOKIE_EXCHANGE"),
    (18, "ALLOW_UNSAFE_LEGACY_RENEGOTIATION"),
    (21, "PRIORITIZE_CHACHA"),
    (23, "TLS_ROLLBACK_BUG"),
];

/// Reads the bits. Errors: bits that ask for something that the server does not do.
pub(super) fn read(bits: u64) -> Result<BitEffects, String> {
    let known = NEEDLESS | DISABLE_TLSEXT_CA_NAMES | CIPHER_SERVER_PREFERENCE | NO_TLSV1_2 | NO_TLSV1_3;
    let name = |bit: u32| {
        let name = REFUSED.iter().find(|(known, _)| *known == bit).map_or("unknown", |(_, name)| name);
        format!("{:#x} ({name})", 1_u64 << bit)
    };
    let refused: Vec<String> =
        (0..u64::BITS).filter(|bit| bits & !known & (1 << bit) != 0).map(name).collect();
    if !refused.is_empty() {
        return Err(format!("{bits} has bits without an effect on this server: {}", refused.join(", ")));
    }
    let has = |bit: u64| bits & bit != 0;
    Ok(BitEffects {
        is_tls12_off: has(NO_TLSV1_2),
        is_tls13_off: has(NO_TLSV1_3),
        prefers_server_order: has(CIPHER_SERVER_PREFERENCE),
        hides_authorities: has(DISABLE_TLSEXT_CA_NAMES),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_of_arangodb_has_no_effect() {
        assert_eq!(SSL_OP_ALL, 2_147_485_776);
        assert_eq!(read(SSL_OP_ALL), Ok(BitEffects::default()));
        assert_eq!(read(0), Ok(BitEffects::default()));
        let old_protocols = 0x0200_0000 | 0x0400_0000 | 0x1000_0000 | 0x0002_0000;
        assert_eq!(read(old_protocols), Ok(BitEffects::default()));
    }

    #[test]
    fn bits_turn_versions_off() {
        let effects = read(0x0800_0000 | 0x0040_0000).unwrap();
        assert!(effects.is_tls12_off && effects.prefers_server_order && !effects.is_tls13_off);
        assert!(read(0x2000_0000).unwrap().is_tls13_off);
    }

    #[test]
    fn other_bits_are_named() {
        let error = read(0x0004_0000 | 0x8 | 1 << 63).unwrap_err();
        for part in ["0x8 (ENABLE_KTLS)", "ALLOW_UNSAFE_LEGACY_RENEGOTIATION", "0x8000000000000000 (unknown)"]
        {
            assert!(error.contains(part), "{error}");
        }
    }
}
