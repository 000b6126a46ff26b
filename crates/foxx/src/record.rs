//! Documents of the system collection `_appbundles`, which hold the archives of services.
//!
//! ArangoDB does not document their attributes, and dumps can carry bytes in several forms. So the
//! archive is found by its first bytes in any attribute, however it is encoded.

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

use crate::bundle::ARCHIVE_SIGNATURE;

/// The attributes that a document has of itself.
const SYSTEM_ATTRIBUTES: [&str; 3] = ["_key", "_id", "_rev"];
/// The first characters of an archive in base64, in both alphabets.
const BASE64_START: &str = "UEsDB";
/// The first characters of an archive in hexadecimal digits.
const HEX_START: &str = "504b0304";

/// Returns the archive in a document of `_appbundles`.
///
/// It may be binary VelocyPack, or a text in base64 or in hexadecimal digits, in any attribute but
/// `_key`, `_id` and `_rev`.
///
/// Errors: 3015 if there is none.
pub fn bundle_bytes(document: Slice<'_>) -> Result<Vec<u8>> {
    let own = document.entries().filter(|(name, _)| !SYSTEM_ATTRIBUTES.contains(name));
    own.into_iter().find_map(|(_, value)| archive_in(value)).ok_or_else(|| {
        let key = document.get("_key").and_then(|key| key.as_str()).unwrap_or_default();
        let message = format!(
            "the bundle '{}' has no ZIP archive; an attribute must have one, binary or as base64 or \
             hexadecimal text",
            key.escape_debug()
        );
        Error::new(ErrorCode::ServiceSourceError, message)
    })
}

fn archive_in(value: Slice<'_>) -> Option<Vec<u8>> {
    if let Some(bytes) = value.as_binary() {
        return bytes.starts_with(ARCHIVE_SIGNATURE).then(|| bytes.to_vec());
    }
    let text = value.as_str()?.trim();
    let bytes = match text.get(..HEX_START.len()) {
        Some(start) if start.eq_ignore_ascii_case(HEX_START) => of_hex(text)?,
        _ if text.starts_with(BASE64_START) => of_base64(text)?,
        _ => return None,
    };
    bytes.starts_with(ARCHIVE_SIGNATURE).then_some(bytes)
}

fn of_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| (*byte as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?)).collect()
}

/// Reads base64 in either alphabet, with and without padding and line breaks.
fn of_base64(text: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let alphabet = if text.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    let text: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    GeneralPurpose::new(alphabet, config).decode(text).ok()
}

#[cfg(test)]
mod tests {
    use base64::prelude::*;
    use velocypack::Builder;

    use super::*;

    /// Returns a document with a value that the test adds.
    fn document(name: &str, add: impl FnOnce(&mut Builder)) -> Vec<u8> {
        let mut builder = Builder::new();
        builder.open_object().unwrap();
        for name in SYSTEM_ATTRIBUTES {
            builder.key(name).unwrap();
            builder.add_str("UEsDBAA=").unwrap();
        }
        builder.key(name).unwrap();
        add(&mut builder);
        builder.close().unwrap();
        builder.into_vec()
    }

    fn archive() -> Vec<u8> {
        let mut archive = ARCHIVE_SIGNATURE.to_vec();
        archive.extend((0..=255).cycle().take(1000));
        archive
    }

    #[test]
    fn the_archive_is_found_in_every_form() {
        let archive = archive();
        let hex: String = archive.iter().map(|byte| format!("{byte:02X}")).collect();
        let base64 = BASE64_STANDARD.encode(&archive);
        let lines = base64.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap());
        let lines = lines.collect::<Vec<_>>().join("\r\n") + "\n";
        let texts = [hex.to_lowercase(), hex, lines, BASE64_URL_SAFE_NO_PAD.encode(&archive), base64];
        for (text, name) in texts.into_iter().zip(["_attachment", "data", "zip", "x", "bundle"]) {
            let document = document(name, |builder| builder.add_str(&text).unwrap());
            assert_eq!(bundle_bytes(Slice::new(&document)).unwrap(), archive, "{name}");
        }
        // Binary VelocyPack: the type with the size of the length, the length, the bytes.
        let mut binary = vec![0xC1];
        binary.extend((archive.len() as u16).to_le_bytes());
        binary.extend(&archive);
        let document = document("_attachment", |builder| builder.add_slice(Slice::new(&binary)).unwrap());
        assert_eq!(bundle_bytes(Slice::new(&document)).unwrap(), archive);
    }

    #[test]
    fn a_document_without_archive_is_refused() {
        for text in ["", "PK", "UEsDB", "UEsDB!!!", "504b0304f", "504b03zz", "c29tZSB0ZXh0"] {
            let document = document("data", |builder| builder.add_str(text).unwrap());
            let error = bundle_bytes(Slice::new(&document)).unwrap_err();
            assert_eq!(error.code(), ErrorCode::ServiceSourceError, "{text}");
        }
        assert!(bundle_bytes(Slice::new(&[0x18])).is_err());
    }
}
