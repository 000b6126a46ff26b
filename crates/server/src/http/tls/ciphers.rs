//! The cipher suites that a list in OpenSSL's words selects.
//!
//! Source of the words: OpenSSL's manual page `openssl-ciphers`. A list concerns TLS 1.2. Suites of
//! TLS 1.3 stay, unless the list names some of them. OpenSSL ignores those names there.

use tokio_rustls::rustls::crypto::ring::cipher_suite as ring;
use tokio_rustls::rustls::{SupportedCipherSuite, SupportedProtocolVersion};

use Authentication::{Ecdsa, Rsa};
use Cipher::{Aes128Gcm, Aes256Gcm, ChaCha20};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cipher {
    Aes128Gcm,
    Aes256Gcm,
    ChaCha20,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Authentication {
    Ecdsa,
    Rsa,
}

/// A suite that the server has.
struct Suite {
    /// The name of OpenSSL, and that of IANA.
    names: [&'static str; 2],
    cipher: Cipher,
    /// `None` for a suite of TLS 1.3, which does not say it.
    authentication: Option<Authentication>,
    suite: SupportedCipherSuite,
}

const fn suite(
    names: [&'static str; 2],
    cipher: Cipher,
    authentication: Option<Authentication>,
    suite: SupportedCipherSuite,
) -> Suite {
    Suite { names, cipher, authentication, suite }
}

/// The suites of ring, all with ephemeral keys and authenticated encryption.
#[rustfmt::skip]
static SUITES: [Suite; 9] = [
    suite(["TLS_AES_256_GCM_SHA384"; 2], Aes256Gcm, None, ring::TLS13_AES_256_GCM_SHA384),
    suite(["TLS_AES_128_GCM_SHA256"; 2], Aes128Gcm, None, ring::TLS13_AES_128_GCM_SHA256),
    suite(["TLS_CHACHA20_POLY1305_SHA256"; 2], ChaCha20, None, ring::TLS13_CHACHA20_POLY1305_SHA256),
    suite(["ECDHE-ECDSA-AES256-GCM-SHA384", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"], Aes256Gcm, Some(Ecdsa),
        ring::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384),
    suite(["ECDHE-ECDSA-AES128-GCM-SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"], Aes128Gcm, Some(Ecdsa),
        ring::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256),
    suite(["ECDHE-ECDSA-CHACHA20-POLY1305", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"], ChaCha20, Some(Ecdsa),
        ring::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256),
    suite(["ECDHE-RSA-AES256-GCM-SHA384", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"], Aes256Gcm, Some(Rsa),
        ring::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384),
    suite(["ECDHE-RSA-AES128-GCM-SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"], Aes128Gcm, Some(Rsa),
        ring::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256),
    suite(["ECDHE-RSA-CHACHA20-POLY1305", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"], ChaCha20, Some(Rsa),
        ring::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256),
];

/// OpenSSL's words for suites that rustls does not have: those without forward secrecy, without
/// authentication, without authenticated encryption, and those of other algorithms.
#[rustfmt::skip]
const ABSENT: [&str; 70] = [
    "3DES", "ADH", "AECDH", "AESCCM", "AESCCM8", "ARIA", "ARIA128", "ARIA256", "ARIAGCM", "CAMELLIA",
    "CAMELLIA128", "CAMELLIA256", "CBC", "COMPLEMENTOFALL", "COMPLEMENTOFDEFAULT", "DES", "DH", "DHE", "DHEPSK",
    "DSS", "ECDHEPSK", "EDH", "EXP", "EXPORT", "EXPORT40", "EXPORT56", "GOST89MAC", "GOST94", "IDEA", "LOW", "MD5",
    "MEDIUM", "NULL", "PSK", "RC2", "RC4", "RSA", "RSAPSK", "SEED", "SHA", "SHA1", "SHA256", "SHA384", "SRP",
    "SSLv3", "TLSv1", "TLSv1.0", "aDH", "aDSS", "aGOST", "aGOST01", "aNULL", "aPSK", "aSRP", "eNULL",
    "kDH", "kDHE", "kDHEPSK", "kDHd", "kDHr", "kECDHEPSK", "kECDHe", "kECDHr", "kEDH", "kGOST", "kGOST18", "kPSK",
    "kRSA", "kRSAPSK", "kSRP",
];

impl Suite {
    fn is_of_tls12(&self) -> bool {
        self.authentication.is_some()
    }

    fn bits(&self) -> u16 {
        if self.cipher == Aes128Gcm { 128 } else { 256 }
    }

    /// Returns true if a word means the suite; `None` for an unknown word.
    fn is(&self, word: &str) -> Option<bool> {
        if self.names.contains(&word) {
            return Some(true);
        }
        let is_meant = match word {
            "ALL" | "DEFAULT" | "HIGH" | "TLSv1.2" | "ECDH" | "ECDHE" | "EECDH" | "kECDHE" | "kEECDH" => true,
            "AES" | "AESGCM" | "FIPS" => self.cipher != ChaCha20,
            "AES128" => self.cipher == Aes128Gcm,
            "AES256" => self.cipher == Aes256Gcm,
            "CHACHA20" => self.cipher == ChaCha20,
            "aECDSA" | "ECDSA" => self.authentication == Some(Ecdsa),
            "aRSA" => self.authentication == Some(Rsa),
            _ if ABSENT.contains(&word) || is_name_of_suite(word) => return Some(false),
            _ => return None,
        };
        Some(is_meant && self.is_of_tls12())
    }
}

/// Returns true for a text in the form of a suite's name. OpenSSL ignores names that it does not
/// know, so that one list suits many versions.
fn is_name_of_suite(word: &str) -> bool {
    let parts = word.split(['-', '_']);
    word.contains(['-', '_']) && parts.into_iter().all(|part| !part.is_empty())
}

/// Returns the suites that a list selects, the preferred first.
///
/// Errors: an unknown word, or a list that leaves no suite for the versions.
pub(super) fn select(
    list: &str,
    versions: &[&SupportedProtocolVersion],
) -> Result<Vec<SupportedCipherSuite>, String> {
    let mut selection = Selection::default();
    for element in elements(list) {
        selection.apply(element)?;
    }
    let names_tls13 = selection.chosen.iter().any(|suite| !suite.is_of_tls12());
    let all_of_tls13 = SUITES.iter().filter(|suite| !suite.is_of_tls12() && !names_tls13);
    let allowed = |suite: &SupportedCipherSuite| versions.contains(&suite.version());
    let chosen = all_of_tls13.chain(selection.chosen.iter().copied());
    let suites: Vec<_> = chosen.map(|suite| suite.suite).filter(allowed).collect();
    // A list of others' names would silently leave TLS 1.3 alone.
    let leaves_none = selection.chosen.is_empty() && versions.iter().any(|version| is_tls12(version));
    match suites.is_empty() || leaves_none {
        true => Err(format!("'{list}' selects no cipher suite; there are {}", names().join(", "))),
        false => Ok(suites),
    }
}

fn is_tls12(version: &SupportedProtocolVersion) -> bool {
    version.version == tokio_rustls::rustls::ProtocolVersion::TLSv1_2
}

/// Returns OpenSSL's names of all suites.
fn names() -> Vec<&'static str> {
    SUITES.iter().map(|suite| suite.names[0]).collect()
}

/// Returns the elements of a list. `@STRENGTH` also begins one without a separator before it.
fn elements(list: &str) -> impl Iterator<Item = &str> {
    list.split([':', ',', ' ', ';'])
        .flat_map(|part| match part.find('@') {
            Some(at) => [part.get(..at).unwrap_or_default(), part.get(at..).unwrap_or_default()],
            None => [part, ""],
        })
        .filter(|element| !element.is_empty())
}

/// The suites that the elements of a list have selected so far.
#[derive(Default)]
struct Selection {
    chosen: Vec<&'static Suite>,
    /// The suites that `!` has removed for good.
    killed: Vec<&'static Suite>,
}

impl Selection {
    fn apply(&mut self, element: &str) -> Result<(), String> {
        if let Some(command) = element.strip_prefix('@') {
            return self.command(command);
        }
        let words = element.trim_start_matches(['!', '-', '+']);
        let named = matching(words)?;
        let is_named = |suite: &&'static Suite| named.iter().any(|named| std::ptr::eq(*named, *suite));
        match element.as_bytes().first() {
            Some(b'!') => {
                self.chosen.retain(|suite| !is_named(suite));
                self.killed.extend(named);
            }
            Some(b'-') => self.chosen.retain(|suite| !is_named(suite)),
            Some(b'+') => {
                let (moved, stay): (Vec<_>, Vec<_>) = self.chosen.iter().partition(|suite| is_named(suite));
                self.chosen = stay.into_iter().chain(moved).collect();
            }
            _ => {
                for suite in named {
                    let is_there = |list: &[&Suite]| list.iter().any(|other| std::ptr::eq(*other, suite));
                    if !is_there(&self.chosen) && !is_there(&self.killed) {
                        self.chosen.push(suite);
                    }
                }
            }
        }
        Ok(())
    }

    fn command(&mut self, command: &str) -> Result<(), String> {
        match command {
            // The sort is stable.
            "STRENGTH" => self.chosen.sort_by_key(|suite| std::cmp::Reverse(suite.bits())),
            // Every suite, and every key that rustls accepts, has these levels.
            "SECLEVEL=0" | "SECLEVEL=1" | "SECLEVEL=2" => {}
            _ => {
                return Err(format!(
                    "'@{command}' is not known; there are @STRENGTH and @SECLEVEL=0, 1 and 2"
                ));
            }
        }
        Ok(())
    }
}

/// Returns the suites that all words, joined by `+`, mean. Errors: an unknown word.
fn matching(words: &str) -> Result<Vec<&'static Suite>, String> {
    let mut suites: Vec<&'static Suite> = SUITES.iter().collect();
    for word in words.split('+') {
        let mut matching = Vec::new();
        for suite in &SUITES {
            let is_meant = suite.is(word).ok_or_else(|| {
                format!(
                    "'{word}' is neither a cipher suite nor a known word; there are {}",
                    names().join(", ")
                )
            })?;
            if is_meant && suites.iter().any(|other| std::ptr::eq(*other, suite)) {
                matching.push(suite);
            }
        }
        suites = matching;
    }
    Ok(suites)
}

#[cfg(test)]
mod tests {
    use tokio_rustls::rustls::version::{TLS12, TLS13};

    use super::*;

    fn selected(list: &str) -> Result<Vec<&'static str>, String> {
        let suites = select(list, &[&TLS13, &TLS12])?;
        let name = |suite: &SupportedCipherSuite| {
            SUITES.iter().find(|known| known.suite == *suite).map(|known| known.names[0]).unwrap()
        };
        Ok(suites.iter().map(name).collect())
    }

    const TLS13_NAMES: [&str; 3] =
        ["TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"];

    /// Returns the selected suites of TLS 1.2, after a check that all of TLS 1.3 are there.
    fn selected_tls12(list: &str) -> Vec<&'static str> {
        let all = selected(list).unwrap();
        assert_eq!(all[..3], TLS13_NAMES);
        all[3..].to_vec()
    }

    #[test]
    fn the_default_of_arangodb_selects_all_with_the_strongest_first() {
        let all = selected_tls12("HIGH:!EXPORT:!aNULL@STRENGTH");
        let (strong, weak) = all.split_at(4);
        assert!(strong.iter().all(|name| !name.contains("AES128")), "{all:?}");
        assert_eq!(weak, ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"]);
    }

    #[test]
    fn names_of_both_kinds_select_suites_in_their_order() {
        let list = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256:DHE-RSA-AES256-SHA ECDHE-ECDSA-CHACHA20-POLY1305";
        assert_eq!(selected_tls12(list), ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"]);
    }

    #[test]
    fn signs_remove_and_move() {
        assert_eq!(
            selected_tls12("ECDHE+AESGCM:!aRSA:RSA:+AES256:aRSA"),
            ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384"]
        );
        assert_eq!(
            selected_tls12("aRSA:-CHACHA20:-AES128,CHACHA20+aRSA"),
            ["ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305"]
        );
    }

    #[test]
    fn named_suites_of_tls13_are_the_only_ones() {
        assert_eq!(
            selected("TLS_AES_128_GCM_SHA256:AES256+aRSA").unwrap(),
            ["TLS_AES_128_GCM_SHA256", "ECDHE-RSA-AES256-GCM-SHA384"]
        );
    }

    #[test]
    fn a_list_that_leaves_nothing_says_what_there_is() {
        for list in ["AES256-SHA", "RC4:MD5", "HIGH:!ALL", "", "kRSA+AES256", "!aNULL"] {
            let error = selected(list).unwrap_err();
            assert!(error.contains("selects no cipher suite; there are TLS_AES_256"), "{list}: {error}");
        }
        assert!(select("TLS_AES_256_GCM_SHA384", &[&TLS12]).is_err(), "no such suite in TLS 1.2");
        assert_eq!(select("AES256-SHA", &[&TLS13]).unwrap().len(), 3, "the list concerns TLS 1.2");
    }

    #[test]
    fn unknown_words_are_named() {
        assert!(selected("HIGH:AES257").unwrap_err().contains("'AES257'"));
        assert!(selected("HIGH:!AES257").unwrap_err().contains("'AES257'"));
        assert!(selected("HIGH@SPEED").unwrap_err().contains("'@SPEED'"));
        assert!(selected("HIGH@SECLEVEL=4").is_err());
    }
}
