//! Hints for queries that failed: the mistakes that models make most.

/// Words that stand in SQL and not in AQL, each with the way of AQL.
const FOREIGN_WORDS: &[(&str, &str)] = &[
    ("select", "AQL has no SELECT; write FOR d IN collection FILTER ... RETURN {a: d.a}"),
    ("match", "AQL has no MATCH; traverse with FOR v, e, p IN 1..2 OUTBOUND start GRAPH \"name\""),
    ("where", "AQL has no WHERE; write FILTER"),
    ("group by", "AQL has no GROUP BY; write COLLECT key = d.key AGGREGATE total = SUM(d.x)"),
    ("order by", "AQL has no ORDER BY; write SORT d.x DESC"),
    ("having", "AQL has no HAVING; write FILTER after COLLECT"),
    ("inner join", "AQL has no JOIN; write a second FOR with a FILTER"),
    ("left join", "AQL has no JOIN; write LET b = FIRST((FOR y IN other FILTER y.k == x.k RETURN y))"),
    ("join", "AQL has no JOIN; write a second FOR with a FILTER"),
    ("offset", "AQL has no OFFSET; write LIMIT offset, count"),
    ("is null", "AQL has no IS NULL; write == null"),
    ("is not null", "AQL has no IS NOT NULL; write != null"),
    ("count(*)", "AQL has no COUNT(*); write COLLECT WITH COUNT INTO n RETURN n"),
    ("between", "AQL has no BETWEEN; write d.x >= a AND d.x <= b"),
    ("union all", "UNION is a function of arrays: FOR x IN UNION((FOR ...), (FOR ...)) RETURN x"),
    ("case when", "AQL has no CASE; write condition ? a : b"),
    ("insert into", "write INSERT {a: 1} INTO collection"),
    ("delete from", "write FOR d IN collection FILTER ... REMOVE d IN collection"),
];

/// Numbers of errors, each with a hint that holds whatever the query is.
const BY_NUMBER: &[(u32, &str)] = &[
    (11, "the user lacks the right; use another collection or ask the operator"),
    (32, "the query needs too much memory; filter earlier, return fewer attributes, or add LIMIT"),
    (1203, "no variable, collection or view has this name; call describe_schema, and quote texts"),
    (1500, "the query took too long; filter on an indexed attribute, lower the depth or add LIMIT"),
    (1511, "a variable is declared twice in one scope; choose another name"),
    (1512, "a variable is not declared; declare it by FOR, LET or COLLECT, or quote a text"),
    (1540, "call aql_reference with the topic 'functions' for the names of functions"),
    (1541, "call aql_reference with the topic 'functions' for the arguments of functions"),
    (1551, "pass the missing value in bind_vars; a collection parameter @@x has the key \"@x\""),
    (1552, "the query has no such parameter; remove it from bind_vars or use it as @name"),
    (1579, "a collection that was written cannot be read later in the same query; read first"),
    (1924, "call describe_schema for the names of graphs"),
];

/// Returns a hint for a query that failed with an error.
pub fn hint(aql: Option<&str>, number: u32, message: &str) -> Option<&'static str> {
    /// The number of errors of the parser.
    const PARSE: u32 = 1501;
    if number != PARSE {
        return BY_NUMBER.iter().find(|(known, _)| *known == number).map(|(_, hint)| *hint);
    }
    let aql = without_quoted(aql?);
    let foreign = FOREIGN_WORDS.iter().find(|(word, _)| contains_words(&aql, word));
    if let Some((_, hint)) = foreign {
        return Some(hint);
    }
    if has_single_equals(&aql) {
        return Some("compare with ==; a single = stands only after LET and in COLLECT and options");
    }
    if message.contains("end of query") || message.contains("unexpected end") {
        return Some("a reading query ends with RETURN; check that all brackets are closed");
    }
    Some("call aql_reference for the syntax, for example with the topic 'basics'")
}

/// Returns the text in lower case, with blanks for strings, quoted names and comments, and with one
/// blank between words.
fn without_quoted(aql: &str) -> String {
    let mut text = String::with_capacity(aql.len());
    let mut characters = aql.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' | '\'' | '`' | '´' => {
                while let Some(next) = characters.next() {
                    if next == '\\' {
                        characters.next();
                    } else if next == character {
                        break;
                    }
                }
                text.push('"');
            }
            '/' if characters.peek() == Some(&'/') => {
                characters.by_ref().find(|next| *next == '\n');
                text.push(' ');
            }
            _ if character.is_whitespace() => {
                if !text.ends_with(' ') {
                    text.push(' ');
                }
            }
            _ => text.extend(character.to_lowercase()),
        }
    }
    text
}

/// Returns true if words stand in a text, and not as parts of others or as attributes.
fn contains_words(text: &str, words: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.' | '@' | '$');
    text.match_indices(words).any(|(position, found)| {
        let before = text.get(..position).and_then(|before| before.chars().next_back());
        let after = text.get(position + found.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(|after| is_part(after) || after == ':')
    })
}

/// Returns true if a condition has `=` for an equality.
fn has_single_equals(text: &str) -> bool {
    let Some((_, condition)) = text.split_once("filter ") else { return false };
    let end = ["return", "let ", "collect", "sort "].iter().filter_map(|word| condition.find(word)).min();
    let condition = condition.get(..end.unwrap_or(condition.len())).unwrap_or_default().as_bytes();
    condition.iter().enumerate().any(|(position, byte)| {
        let before = position.checked_sub(1).and_then(|before| condition.get(before));
        let after = condition.get(position + 1);
        *byte == b'='
            && !matches!(before, Some(b'=' | b'!' | b'<' | b'>'))
            && !matches!(after, Some(b'=' | b'~'))
    })
}

/// Bytes of the longest names that are compared.
const COMPARED_MAX_BYTES: usize = 128;

/// Returns the known names that are most like a name: at most three, the closest first.
pub fn closest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    if name.len() > COMPARED_MAX_BYTES {
        return Vec::new();
    }
    let lower = name.to_lowercase();
    let most = (name.chars().count() / 3).max(1);
    let mut found: Vec<(usize, &str)> = known
        .filter(|known| known.len() <= COMPARED_MAX_BYTES)
        .filter_map(|known| {
            let other = known.to_lowercase();
            let distance = distance(&lower, &other);
            let (short, long) = (lower.len().min(other.len()), lower.len().max(other.len()));
            // A short name within a long one says little.
            let is_part =
                short > 2 && short * 3 >= long && (other.contains(&lower) || lower.contains(&other));
            (distance <= most || is_part).then_some((distance, known))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().take(3).map(|(_, known)| known).collect()
}

/// Returns Levenshtein's distance of two texts.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (position, from) in left.chars().enumerate() {
        let mut diagonal = position;
        let mut before = position + 1;
        for (cell, to) in row.iter_mut().skip(1).zip(&right) {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = *cell;
            *cell = replaced.min(before + 1).min(diagonal + 1);
            before = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = position + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_hint(aql: &str) -> &'static str {
        hint(Some(aql), 1501, "syntax error").unwrap()
    }

    #[test]
    fn words_of_sql_have_hints() {
        assert!(parse_hint("SELECT * FROM users").contains("SELECT"));
        assert!(parse_hint("FOR d IN docs WHERE d.a == 1 RETURN d").contains("FILTER"));
        assert!(parse_hint("FOR d IN docs ORDER   BY d.a RETURN d").contains("SORT"));
        assert!(parse_hint("FOR d IN docs FILTER d.a = 1 RETURN d").contains("=="));
        assert!(
            parse_hint("FOR d IN docs FILTER d.a >= 1 RETURN {a: d.where, b: \"select\"")
                .contains("aql_reference")
        );
    }

    #[test]
    fn errors_have_hints_by_number() {
        assert!(hint(None, 1924, "").unwrap().contains("describe_schema"));
        assert_eq!(hint(None, 9_999, ""), None);
    }

    #[test]
    fn similar_names_are_found() {
        let known = ["airports", "flights", "users"];
        assert_eq!(closest("airport", known.into_iter()), ["airports"]);
        assert_eq!(closest("Flihgts", known.into_iter()), ["flights"]);
        assert!(closest("zebra", known.into_iter()).is_empty());
        assert_eq!(closest("REGEXP_TEST", ["EXP", "REGEX_TEST"].into_iter()), ["REGEX_TEST"]);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
