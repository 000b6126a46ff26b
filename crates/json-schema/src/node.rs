//! Compiled schemas.

use aql_value::pattern::Regex;
use velocypack::Kind;

use crate::format::Format;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    /// The root is the first.
    pub(crate) nodes: Vec<Node>,
}

/// The number of a node in its schema.
pub(crate) type NodeId = usize;

/// A schema or a part of one.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) keywords: Vec<Keyword>,
    /// Others refer to the node, so it may be asked about one value more than once.
    pub(crate) is_referenced: bool,
}

/// A condition. Those for one type of values hold for values of all other types.
#[derive(Debug)]
pub(crate) enum Keyword {
    /// The schema `false`.
    Never,
    Types(Types),
    /// Values, each in VelocyPack.
    Enum(Vec<Vec<u8>>),
    AllOf(Vec<NodeId>),
    AnyOf(Vec<NodeId>),
    OneOf(Vec<NodeId>),
    Not(NodeId),
    If {
        condition: NodeId,
        then: Option<NodeId>,
        otherwise: Option<NodeId>,
    },
    Reference(NodeId),
    Number(NumberKeyword),
    Text(TextKeyword),
    Array(ArrayKeyword),
    Object(ObjectKeyword),
}

/// A condition of numbers.
#[derive(Debug)]
pub(crate) enum NumberKeyword {
    /// A number in VelocyPack, which the value is at least.
    Minimum {
        bound: Vec<u8>,
        is_exclusive: bool,
    },
    /// A number in VelocyPack, which the value is at most.
    Maximum {
        bound: Vec<u8>,
        is_exclusive: bool,
    },
    MultipleOf(velocypack::Number),
}

/// A condition of texts. Lengths count code points.
#[derive(Debug)]
pub(crate) enum TextKeyword {
    MinLength(u64),
    MaxLength(u64),
    Pattern(Regex),
    Format(Format),
}

/// A condition of arrays.
#[derive(Debug)]
pub(crate) enum ArrayKeyword {
    MinItems(u64),
    MaxItems(u64),
    UniqueItems,
    /// One schema for each of the first elements, and one for all others.
    Items {
        first: Vec<NodeId>,
        rest: Option<NodeId>,
    },
    Contains(NodeId),
}

/// A condition of objects.
#[derive(Debug)]
pub(crate) enum ObjectKeyword {
    MinProperties(u64),
    MaxProperties(u64),
    Required(Vec<String>),
    Names(NodeId),
    Properties(Properties),
    /// If the attribute is there, the others must be, too.
    RequiredWith(String, Vec<String>),
    /// If the attribute is there, the object must have this schema.
    SchemaWith(String, NodeId),
}

/// The schemas of the attributes of an object.
#[derive(Debug, Default)]
pub(crate) struct Properties {
    /// Ordered by name.
    pub(crate) named: Vec<(String, NodeId)>,
    pub(crate) patterns: Vec<(Regex, NodeId)>,
    /// The schema of all attributes that have neither.
    pub(crate) rest: Option<NodeId>,
}

/// A set of types.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Types(u8);

/// The names of types; each is a bit of [`Types`].
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

impl Types {
    /// Adds a type. Returns false if there is none of that name.
    pub(crate) fn add(&mut self, name: &str) -> bool {
        let bit = TYPES.iter().position(|known| *known == name);
        self.0 |= bit.map_or(0, |bit| 1 << bit);
        bit.is_some()
    }

    /// Returns true if a value is of one of the types. A number without fraction is an integer.
    pub(crate) fn contains(self, value: velocypack::Slice<'_>) -> bool {
        let has = |name: &str| {
            TYPES.iter().position(|known| *known == name).is_some_and(|bit| self.0 & 1 << bit != 0)
        };
        match value.kind() {
            Kind::Bool => has("boolean"),
            Kind::Int | Kind::UInt => has("number") || has("integer"),
            Kind::Double => {
                let is_whole = || value.as_f64().is_some_and(|number| number.fract() == 0.0);
                has("number") || has("integer") && is_whole()
            }
            Kind::String => has("string"),
            Kind::Array => has("array"),
            Kind::Object => has("object"),
            // The marker of an `_id` is a text; all else is shown as null.
            _ if value.is_id_marker() => has("string"),
            _ => has("null"),
        }
    }
}

impl Keyword {
    /// Calls `visit` for each node that judges the same value as this keyword.
    pub(crate) fn for_each_at_same_value(&self, mut visit: impl FnMut(NodeId)) {
        match self {
            Keyword::AllOf(nodes) | Keyword::AnyOf(nodes) | Keyword::OneOf(nodes) => {
                nodes.iter().copied().for_each(visit);
            }
            Keyword::Not(node)
            | Keyword::Reference(node)
            | Keyword::Object(ObjectKeyword::SchemaWith(_, node)) => visit(*node),
            Keyword::If { condition, then, otherwise } => {
                visit(*condition);
                then.iter().chain(otherwise).copied().for_each(visit);
            }
            _ => {}
        }
    }
}
