//! The list of AQL functions for clients.

/// An AQL function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltinFunction {
    /// The name in upper case.
    pub name: &'static str,
    /// The arguments in ArangoDB's notation: a dot for any value and `h` for a collection. A bar
    /// precedes optional arguments, and a trailing plus sign allows any number of further ones.
    pub arguments: String,
    /// True if equal arguments give equal results.
    pub is_deterministic: bool,
    /// True if a result that depends on it may be cached.
    pub is_cacheable: bool,
}

/// Returns all functions by name.
pub fn builtin_functions() -> Vec<BuiltinFunction> {
    let mut functions: Vec<BuiltinFunction> = aql_functions::all()
        .map(|function| BuiltinFunction {
            name: function.name,
            arguments: arguments(function.min_args, function.max_args, function.collection_arguments),
            is_deterministic: function.deterministic,
            is_cacheable: function.cacheable,
        })
        .collect();
    functions.sort_by_key(|function| function.name);
    functions
}

/// Returns the notation of required and then optional arguments. Long lists are shown as any
/// number.
fn arguments(least: usize, most: Option<usize>, collections: usize) -> String {
    const SHOWN_MAX: usize = 16;
    let signs: Vec<&str> =
        (0..least.min(SHOWN_MAX)).map(|position| if position < collections { "h" } else { "." }).collect();
    let mut text = signs.join(",");
    let optional = match most {
        None => ".+".to_owned(),
        Some(most) if most <= least => return text,
        Some(most) if most > SHOWN_MAX => ".+".to_owned(),
        Some(most) => vec!["."; most - least].join(","),
    };
    text.push('|');
    text.push_str(&optional);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_in_the_notation_of_arangodb() {
        for (least, most, expected) in [
            (0, Some(0), ""),
            (1, Some(1), "."),
            (2, Some(4), ".,.|.,."),
            (1, None, ".|.+"),
            (0, Some(2), "|.,."),
        ] {
            assert_eq!(arguments(least, most, 0), expected);
        }
        assert_eq!(arguments(2, Some(3), 1), "h,.|.");
        assert!(builtin_functions().iter().any(|function| function.name == "LENGTH"));
    }
}
