//! The functions of AQL as clients may list them.

/// A function of AQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltinFunction {
    /// Its name, in upper case.
    pub name: &'static str,
    /// The arguments in ArangoDB's notation: a dot for any value, `h` for a collection, with a bar before those that
    /// may be left out, and a plus sign at the end where any number of more may follow.
    pub arguments: String,
    /// Whether the same arguments give the same result.
    pub is_deterministic: bool,
    /// Whether a result that depends on it may be kept.
    pub is_cacheable: bool,
}

/// All functions by name.
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

/// The required arguments by commas, then the optional ones; so many as nobody wants to read are shown as any number.
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
