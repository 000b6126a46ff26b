//! The groups for the exchange of keys, by OpenSSL's names of their curves.

use tokio_rustls::rustls::crypto::SupportedKxGroup;
use tokio_rustls::rustls::crypto::ring::kx_group;

/// The groups of ring, with OpenSSL's names, those of NIST and of RFC 8422.
static GROUPS: [(&[&str], &dyn SupportedKxGroup); 3] = [
    (&["X25519"], kx_group::X25519),
    (&["prime256v1", "secp256r1", "P-256"], kx_group::SECP256R1),
    (&["secp384r1", "P-384"], kx_group::SECP384R1),
];

/// Returns the groups that a list with `:` names, the preferred first; all for an empty list.
///
/// Errors: a curve that the server does not have.
pub(super) fn select(list: &str) -> Result<Vec<&'static dyn SupportedKxGroup>, String> {
    if list.trim().is_empty() {
        return Ok(GROUPS.iter().map(|(_, group)| *group).collect());
    }
    let mut groups: Vec<&'static dyn SupportedKxGroup> = Vec::new();
    for name in list.split(':').map(str::trim) {
        let is_named = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        let (_, group) = GROUPS.iter().find(|(names, _)| is_named(names)).ok_or_else(|| {
            format!("there is no curve '{name}'; there are X25519, prime256v1 (P-256) and secp384r1 (P-384)")
        })?;
        if !groups.iter().any(|known| known.name() == group.name()) {
            groups.push(*group);
        }
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use tokio_rustls::rustls::NamedGroup;

    use super::*;

    fn selected(list: &str) -> Vec<NamedGroup> {
        select(list).unwrap().iter().map(|group| group.name()).collect()
    }

    #[test]
    fn curves_have_the_names_of_openssl() {
        assert_eq!(selected("prime256v1"), [NamedGroup::secp256r1]);
        assert_eq!(selected("secp384r1:x25519:P-384"), [NamedGroup::secp384r1, NamedGroup::X25519]);
        assert_eq!(selected(""), [NamedGroup::X25519, NamedGroup::secp256r1, NamedGroup::secp384r1]);
    }

    #[test]
    fn other_curves_are_named() {
        for list in ["secp521r1", "prime256v1:brainpoolP256r1", "prime256v1:"] {
            assert!(select(list).err().unwrap().contains("there is no curve"), "{list}");
        }
    }
}
