//! Places of values in documents, as terms have them.

/// The place of values in documents: attribute names, positions in arrays, and steps into nested
/// documents.
///
/// It is valid UTF-8. Each step begins with a NUL and a letter, and a NUL within a name is doubled.
/// So no path with its end is the prefix of another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path(String);

impl Path {
    /// Returns the path of the document as a whole.
    pub fn root() -> Self {
        Path::default()
    }

    /// Returns the path of the attributes with these names, one below the other.
    pub fn attributes<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        names.into_iter().fold(Path::root(), |path, name| path.attribute(name))
    }

    /// Returns the path of an attribute below this one.
    pub fn attribute(mut self, name: &str) -> Self {
        push_attribute(&mut self.0, name);
        self
    }

    /// Returns the path of an element of the array at this path, for fields that track positions.
    pub fn element(mut self, index: usize) -> Self {
        push_element(&mut self.0, index);
        self
    }

    /// Returns the path of the nested documents in the array at this path.
    pub fn nested(mut self) -> Self {
        push_nested(&mut self.0);
        self
    }

    /// Returns the encoded steps, without an end.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Appends the step to an attribute.
pub(crate) fn push_attribute(path: &mut String, name: &str) {
    path.push_str("\0a");
    push_escaped(path, name);
}

/// Appends the step to an element of an array.
pub(crate) fn push_element(path: &mut String, index: usize) {
    path.push_str("\0i");
    path.push_str(&index.to_string());
}

/// Appends the step into nested documents.
pub(crate) fn push_nested(path: &mut String) {
    path.push_str("\0n");
}

/// Appends a name with its NULs doubled.
pub(crate) fn push_escaped(out: &mut String, name: &str) {
    if name.contains('\0') {
        out.push_str(&name.replace('\0', "\0\0"));
    } else {
        out.push_str(name);
    }
}
