//! The parts of a manifest that have a form of their own.

/// The type of a configuration parameter's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterType {
    /// Finite integers: `integer` or `int`.
    Integer,
    /// `true` and `false`: `boolean` or `bool`.
    Boolean,
    /// Finite numbers.
    Number,
    /// Texts.
    String,
    /// Any JSON value, also as a text of JSON.
    Json,
    /// Texts that no reply shows.
    Password,
}

impl ParameterType {
    /// The names, each with its type.
    const NAMES: &[(&str, ParameterType)] = &[
        ("integer", ParameterType::Integer),
        ("int", ParameterType::Integer),
        ("boolean", ParameterType::Boolean),
        ("bool", ParameterType::Boolean),
        ("number", ParameterType::Number),
        ("string", ParameterType::String),
        ("json", ParameterType::Json),
        ("password", ParameterType::Password),
    ];

    /// Returns the type of a name in a manifest.
    pub fn of_name(name: &str) -> Option<ParameterType> {
        ParameterType::NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// Returns the values of the type in words.
    pub fn values(self) -> &'static str {
        match self {
            ParameterType::Integer => "an integer",
            ParameterType::Boolean => "true or false",
            ParameterType::Number => "a number",
            ParameterType::String | ParameterType::Password => "a text",
            ParameterType::Json => "JSON",
        }
    }
}

/// The definition of a configuration parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The type of its values.
    pub kind: ParameterType,
    /// The name of the type as the manifest has it.
    pub kind_name: String,
    /// Text for people.
    pub description: Option<String>,
    /// The value where none is set, as VelocyPack.
    pub default: Option<Vec<u8>>,
    /// True if the service does not run without a value.
    pub required: bool,
}

/// The definition of a dependency: another service, whose exports this one uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The name of the API, `*` for any.
    pub name: String,
    /// The range of its versions.
    pub version: String,
    /// Text for people.
    pub description: Option<String>,
    /// True if the service does not run without it.
    pub required: bool,
    /// True if several services may be assigned.
    pub multiple: bool,
}

/// A file or folder that the service sends as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its path in the service.
    pub path: String,
    /// Its media type, unless its name tells.
    pub kind: Option<String>,
    /// True if clients may receive it packed.
    pub gzip: bool,
}
