//! Definitions of analyzers, as clients give and get them.

use std::sync::Arc;

use errors::{Error, Result};
use velocypack::{Builder, Slice};

use crate::features::Features;
use crate::kind::{self, Kind};

/// Maximum size in bytes of a name, without the name of the database.
pub const NAME_MAX_BYTES: usize = 254;

/// Maximum size in bytes of the properties of an analyzer.
const PROPERTIES_MAX_BYTES: usize = 1 << 20;

/// The definition of an analyzer: its type, properties and features. Its name is not checked.
///
/// Two definitions are equal if their names, types, normalized properties and features are.
#[derive(Debug, Clone)]
pub struct Definition {
    name: String,
    kind_name: &'static str,
    kind: Arc<dyn Kind>,
    features: Features,
}

impl Definition {
    /// Reads `type`, `properties` and `features` of an object.
    ///
    /// Errors: 10 naming the property that is wrong; 9 for a type that is not supported.
    pub fn parse(name: &str, definition: Slice<'_>) -> Result<Self> {
        let kind_name = definition.get("type").and_then(Slice::as_str);
        let kind_name =
            kind_name.ok_or_else(|| Error::bad_parameter("an analyzer's 'type' must be a string"))?;
        let properties = definition.get("properties").unwrap_or(Slice::NONE);
        let features = Features::parse(definition.get("features").unwrap_or(Slice::NONE))?;
        Self::new(name, kind_name, properties, features)
    }

    /// Creates a definition of a type from its properties.
    ///
    /// Errors: 10 naming the property that is wrong; 9 for a type that is not supported.
    pub fn new(name: &str, kind_name: &str, properties: Slice<'_>, features: Features) -> Result<Self> {
        if properties.byte_len() > PROPERTIES_MAX_BYTES {
            let message =
                format!("an analyzer's 'properties' must have at most {PROPERTIES_MAX_BYTES} bytes");
            return Err(Error::bad_parameter(message));
        }
        let (kind_name, kind) = kind::read(kind_name, properties, 0)?;
        if features.offset && !kind.has_offsets() {
            let message =
                format!("'features' has 'offset', which analyzers of type '{kind_name}' do not support");
            return Err(Error::bad_parameter(message));
        }
        Ok(Self { name: name.to_owned(), kind_name, kind, features })
    }

    /// Returns the name that it was created with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the same definition under another name.
    #[must_use]
    pub fn renamed(self, name: String) -> Self {
        Self { name, ..self }
    }

    /// Returns the name of the type.
    pub fn kind_name(&self) -> &'static str {
        self.kind_name
    }

    /// Returns the features.
    pub fn features(&self) -> Features {
        self.features
    }

    /// Returns the properties with defaults, in normal form, as a VelocyPack object.
    ///
    /// Errors: 4 if they cannot be built.
    pub fn properties(&self) -> Result<Builder> {
        let mut out = Builder::new();
        kind::print_object(&*self.kind, &mut out)?;
        Ok(out)
    }

    /// Adds `name`, `type`, `properties` and `features` to an object that is open in `out`.
    ///
    /// Errors: 4 if no object is open.
    pub fn print(&self, out: &mut Builder) -> velocypack::Result<()> {
        out.key("name")?;
        out.add_str(&self.name)?;
        out.key("type")?;
        out.add_str(self.kind_name)?;
        out.key("properties")?;
        kind::print_object(&*self.kind, out)?;
        out.key("features")?;
        self.features.print(out)
    }

    pub(crate) fn kind(&self) -> &dyn Kind {
        &*self.kind
    }
}

impl PartialEq for Definition {
    fn eq(&self, other: &Self) -> bool {
        let printed = |definition: &Self| definition.properties().map(Builder::into_vec).ok();
        self.name == other.name
            && self.kind_name == other.kind_name
            && self.features == other.features
            && printed(self) == printed(other)
    }
}

// Everything that is compared is normalized text, numbers and flags.
impl Eq for Definition {}

/// Returns true if an analyzer may have this name, which is without the name of a database.
pub fn is_valid_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    name.len() <= NAME_MAX_BYTES
        && name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && name.bytes().all(is_part)
}
