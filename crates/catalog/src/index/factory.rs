//! The factory text of a vector index: the number of lists, and how their vectors are stored.
//!
//! The form is that of Faiss (its wiki, "The index factory"), as far as ArangoDB documents it:
//! `IVF<lists>,<encoding>`, where `{}` in place of a number leaves it to the index. `_HNSW<links>`
//! behind the number only says how the nearest lists are found, and `,RFlat` at the end says that
//! what was found by codes is compared by exact vectors, which every search does.

use errors::{Error, Result};

/// The way in which the lists of an index store vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorEncoding {
    /// 4 bytes for each element.
    Flat,
    /// 1 byte for each element.
    Scalar8,
    /// 1 byte for each of so many parts of equal length.
    Product {
        /// The number of parts, which divides the dimension.
        parts: usize,
    },
}

/// A factory text and its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factory {
    /// The text as the client gave it.
    pub text: String,
    /// The number of lists that it demands; `None` for `{}`.
    pub lists: Option<u64>,
    /// The name of its encoding.
    encoding: String,
}

impl Factory {
    /// Reads a text.
    ///
    /// Errors: 10 for a text that is not an inverted file.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let invalid = || {
            let message =
                format!("invalid 'factory' '{text}': expecting an inverted file, such as 'IVF100,Flat'");
            Error::bad_parameter(message)
        };
        let mut parts = text.split(',');
        let (base, encoding) = parts.next().zip(parts.next()).ok_or_else(invalid)?;
        let base = base.strip_prefix("IVF").ok_or_else(invalid)?;
        let (count, quantizer) =
            base.split_once('_').map_or((base, None), |(count, quantizer)| (count, Some(quantizer)));
        if quantizer.is_some_and(|text| !text.strip_prefix("HNSW").is_some_and(is_number)) {
            return Err(invalid());
        }
        let lists = match count {
            "{}" => None,
            count => Some(count.parse().ok().filter(|count| *count > 0).ok_or_else(invalid)?),
        };
        Ok(Factory { text: text.to_owned(), lists, encoding: encoding.to_owned() })
    }

    /// Checks that the lists can store vectors as the text says. Definitions of earlier versions
    /// may have other texts: their vectors are stored as [`VectorEncoding::Flat`].
    ///
    /// Errors: 10 for an encoding that there is not, or that cannot divide the dimension.
    pub(super) fn check_encoding(&self, dimension: usize) -> Result<()> {
        let Factory { text, encoding, .. } = self;
        if text.split(',').nth(2).is_some_and(|rest| rest != "RFlat") || text.split(',').count() > 3 {
            return Err(Error::bad_parameter(format!(
                "invalid 'factory' '{text}': only 'RFlat' may follow the encoding '{encoding}'"
            )));
        }
        match parse_encoding(encoding) {
            None => Err(Error::bad_parameter(format!(
                "invalid 'factory' '{text}': there is no encoding '{encoding}'; there are 'Flat', 'SQ8' and \
                 'PQ<parts>', such as 'PQ16'"
            ))),
            Some(VectorEncoding::Product { parts }) if !divides(parts, dimension) => {
                Err(Error::bad_parameter(format!(
                    "invalid 'factory' '{text}': {parts} parts of equal length need a dimension that is a \
                     multiple of {parts}, not {dimension}"
                )))
            }
            Some(_) => Ok(()),
        }
    }

    /// Returns the encoding for vectors of this dimension.
    pub(super) fn encoding(&self, dimension: usize) -> VectorEncoding {
        match parse_encoding(&self.encoding) {
            Some(VectorEncoding::Product { parts }) if !divides(parts, dimension) => VectorEncoding::Flat,
            encoding => encoding.unwrap_or(VectorEncoding::Flat),
        }
    }
}

fn parse_encoding(text: &str) -> Option<VectorEncoding> {
    match text {
        "Flat" => Some(VectorEncoding::Flat),
        "SQ8" => Some(VectorEncoding::Scalar8),
        text => {
            let text = text.strip_prefix("PQ")?;
            let parts = text.strip_suffix("x8").unwrap_or(text);
            let parts = is_number(parts).then(|| parts.parse().ok()).flatten()?;
            (parts > 0).then_some(VectorEncoding::Product { parts })
        }
    }
}

fn divides(parts: usize, dimension: usize) -> bool {
    parts > 0 && dimension.is_multiple_of(parts)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_read() {
        let product = |parts| Some(VectorEncoding::Product { parts });
        for (text, encoding) in [
            ("IVF7,Flat", Some(VectorEncoding::Flat)),
            ("IVF{},SQ8,RFlat", Some(VectorEncoding::Scalar8)),
            ("IVF{}_HNSW32,PQ2", product(2)),
            ("IVF7,PQ4x8", product(4)),
            ("IVF7,PQ3", None),
            ("IVF7,PQ0", None),
            ("IVF7,PQ4x4", None),
            ("IVF7,SQ4", None),
            ("IVF7,SQfp16", None),
            ("IVF7,SQ8,Refine(SQ8)", None),
            ("IVF7,SQ8,RFlat,RFlat", None),
        ] {
            let factory = Factory::parse(text).unwrap();
            let checked = factory.check_encoding(4).map(|()| factory.encoding(4));
            assert_eq!(checked.as_ref().ok(), encoding.as_ref(), "{text}: {checked:?}");
        }
        for text in ["", "Flat", "IVF7", "IVF0,Flat", "IVFx,Flat", "IVF7_PQ4,Flat", "PQ8,IVF7"] {
            assert!(Factory::parse(text).is_err(), "{text}");
        }
    }
}
