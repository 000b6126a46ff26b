//! `dump.json`: a dump's description of itself.

use velocypack::{Builder, Limits, Slice, json};

/// A dump's description of itself; every attribute may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Info {
    /// The name of the database.
    pub(crate) database: Option<String>,
    /// The server's tick when the dump began.
    pub(crate) tick: String,
    /// True if lines are wrapped. Dumps without the attribute are old, and have wrapped lines.
    pub(crate) envelopes: Option<bool>,
    /// True if the data are VelocyPack.
    pub(crate) velocypack: bool,
    /// The database's `properties`, as JSON.
    pub(crate) properties: Option<String>,
    /// False while the dump is being written. Only Persea writes the attribute; other tools ignore
    /// it.
    pub(crate) is_complete: Option<bool>,
}

impl Info {
    /// Reads the content of the file. `None` if it is not a JSON object.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let mut builder = Builder::new();
        json::parse(text, &Limits::default(), &mut builder).ok()?;
        let value = builder.as_slice();
        if !value.is_object() {
            return None;
        }
        let text = |name: &str| value.get(name).and_then(Slice::as_str).map(str::to_owned);
        let flag = |name: &str| value.get(name).and_then(Slice::as_bool);
        Some(Info {
            database: text("database"),
            tick: text("lastTickAtDumpStart").unwrap_or_default(),
            envelopes: flag("useEnvelope"),
            velocypack: flag("useVPack").unwrap_or(false),
            properties: value.get("properties").filter(|found| found.is_object()).map(Slice::to_json_string),
            is_complete: flag("isComplete"),
        })
    }

    /// Returns the content of the file.
    pub(crate) fn print(&self) -> String {
        let mut text = Vec::from(*b"{\"database\":");
        json::write_str(self.database.as_deref().unwrap_or_default(), &mut text);
        text.extend_from_slice(b",\"lastTickAtDumpStart\":");
        json::write_str(&self.tick, &mut text);
        let mut text = String::from_utf8_lossy(&text).into_owned();
        let envelopes = self.envelopes.unwrap_or(false);
        text.push_str(&format!(",\"useEnvelope\":{envelopes},\"useVPack\":{}", self.velocypack));
        if let Some(properties) = &self.properties {
            text.push_str(&format!(",\"properties\":{properties}"));
        }
        if let Some(is_complete) = self.is_complete {
            text.push_str(&format!(",\"isComplete\":{is_complete}"));
        }
        text + "}\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let info = Info {
            database: Some("größe \"1\"".to_owned()),
            tick: "123".to_owned(),
            envelopes: Some(false),
            velocypack: true,
            properties: Some("{\"id\":\"1\"}".to_owned()),
            is_complete: Some(false),
        };
        assert_eq!(Info::parse(info.print().as_bytes()), Some(info));
        let old = Info::parse(br#"{"database":"a","lastTickAtDumpStart":"1"}"#).unwrap();
        assert_eq!((old.envelopes, old.is_complete), (None, None));
        assert_eq!(Info::parse(b"[]"), None);
    }
}
