//! Tokens, and their names in error messages.

use crate::ast::Span;

/// A piece of a query's text. Its value is read from the text on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

macro_rules! tokens {
    ($($(#[$attribute:meta])* $kind:ident $name:literal)*) => {
        /// The kind of a token.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum TokenKind {
            $($(#[$attribute])* $kind,)*
        }

        impl TokenKind {
            /// Returns ArangoDB's name of the token in syntax errors.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(TokenKind::$kind => $name,)*
                }
            }
        }
    };
}

tokens! {
    // Statements.
    For "FOR declaration"
    Let "LET declaration"
    Filter "FILTER declaration"
    Return "RETURN declaration"
    Collect "COLLECT declaration"
    Sort "SORT declaration"
    Limit "LIMIT declaration"
    Window "WINDOW declaration"
    Insert "INSERT command"
    Update "UPDATE command"
    Replace "REPLACE command"
    Remove "REMOVE command"
    Upsert "UPSERT command"

    // Words inside statements.
    Ascending "ASC keyword"
    Descending "DESC keyword"
    In "IN keyword"
    With "WITH keyword"
    Into "INTO keyword"
    Aggregate "AGGREGATE keyword"
    Graph "GRAPH keyword"
    ShortestPath "SHORTEST_PATH keyword"
    KShortestPaths "K_SHORTEST_PATHS keyword"
    KPaths "K_PATHS keyword"
    AllShortestPaths "ALL_SHORTEST_PATHS keyword"
    Distinct "DISTINCT modifier"
    Outbound "outbound modifier"
    Inbound "inbound modifier"
    Any "any modifier"
    All "all modifier"
    None "none modifier"
    /// `AT` and `LEAST` with nothing but blanks between them.
    AtLeast "at least modifier"

    // Names and literals.
    Identifier "identifier"
    QuotedIdentifier "identifier"
    String "quoted string"
    Integer "integer number"
    Double "number"
    Null "null"
    True "true"
    False "false"
    BindParameter "bind parameter"
    DataSourceBindParameter "bind data source parameter"

    // Operators.
    Assign "assignment"
    Not "not operator"
    /// `NOT` and `IN` with nothing but blanks between them.
    NotIn "not in operator"
    And "and operator"
    Or "or operator"
    Like "like operator"
    RegexMatch "~= operator"
    RegexNoMatch "~! operator"
    Equal "== operator"
    NotEqual "!= operator"
    Less "< operator"
    LessOrEqual "<= operator"
    Greater "> operator"
    GreaterOrEqual ">= operator"
    Plus "+ operator"
    Minus "- operator"
    Star "* operator"
    Slash "/ operator"
    Percent "% operator"
    Range ".."

    // Punctuation.
    Question "?"
    Colon ":"
    Scope "::"
    Comma ","
    Dot "."
    LeftParenthesis "("
    RightParenthesis ")"
    LeftBrace "{"
    RightBrace "}"
    LeftBracket "["
    RightBracket "]"

    /// The end of the text; reading on returns it again.
    End "end of query string"
    /// A character that starts no token.
    Invalid "invalid token"
    UnterminatedString "unterminated string literal"
    UnterminatedIdentifier "unterminated identifier"
    UnterminatedComment "unterminated multi-line comment"
}

impl TokenKind {
    /// Returns true if a statement starts with this token.
    pub(crate) fn starts_statement(self) -> bool {
        matches!(
            self,
            TokenKind::For
                | TokenKind::Let
                | TokenKind::Filter
                | TokenKind::Return
                | TokenKind::Collect
                | TokenKind::Sort
                | TokenKind::Limit
                | TokenKind::Window
                | TokenKind::Insert
                | TokenKind::Update
                | TokenKind::Replace
                | TokenKind::Remove
                | TokenKind::Upsert
        )
    }

    /// Returns true if this is a name, quoted or not.
    pub(crate) fn is_identifier(self) -> bool {
        matches!(self, TokenKind::Identifier | TokenKind::QuotedIdentifier)
    }
}

/// The reserved words, in upper case and sorted. They are recognized in any case.
const KEYWORDS: [(&str, TokenKind); 37] = [
    ("AGGREGATE", TokenKind::Aggregate),
    ("ALL", TokenKind::All),
    ("ALL_SHORTEST_PATHS", TokenKind::AllShortestPaths),
    ("AND", TokenKind::And),
    ("ANY", TokenKind::Any),
    ("ASC", TokenKind::Ascending),
    ("COLLECT", TokenKind::Collect),
    ("DESC", TokenKind::Descending),
    ("DISTINCT", TokenKind::Distinct),
    ("FALSE", TokenKind::False),
    ("FILTER", TokenKind::Filter),
    ("FOR", TokenKind::For),
    ("GRAPH", TokenKind::Graph),
    ("IN", TokenKind::In),
    ("INBOUND", TokenKind::Inbound),
    ("INSERT", TokenKind::Insert),
    ("INTO", TokenKind::Into),
    ("K_PATHS", TokenKind::KPaths),
    ("K_SHORTEST_PATHS", TokenKind::KShortestPaths),
    ("LET", TokenKind::Let),
    ("LIKE", TokenKind::Like),
    ("LIMIT", TokenKind::Limit),
    ("NONE", TokenKind::None),
    ("NOT", TokenKind::Not),
    ("NULL", TokenKind::Null),
    ("OR", TokenKind::Or),
    ("OUTBOUND", TokenKind::Outbound),
    ("REMOVE", TokenKind::Remove),
    ("REPLACE", TokenKind::Replace),
    ("RETURN", TokenKind::Return),
    ("SHORTEST_PATH", TokenKind::ShortestPath),
    ("SORT", TokenKind::Sort),
    ("TRUE", TokenKind::True),
    ("UPDATE", TokenKind::Update),
    ("UPSERT", TokenKind::Upsert),
    ("WINDOW", TokenKind::Window),
    ("WITH", TokenKind::With),
];

/// The number of letters of the longest reserved word.
const LONGEST_KEYWORD: usize = 18;

/// Returns the reserved word that a name is, in any case of its letters.
pub(crate) fn keyword(word: &str) -> Option<TokenKind> {
    if word.len() > LONGEST_KEYWORD {
        return None;
    }
    let mut buffer = [0; LONGEST_KEYWORD];
    let upper = buffer.get_mut(..word.len())?;
    upper.copy_from_slice(word.as_bytes());
    upper.make_ascii_uppercase();
    let found = KEYWORDS.binary_search_by(|(keyword, _)| keyword.as_bytes().cmp(upper)).ok()?;
    KEYWORDS.get(found).map(|&(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted_and_none_is_longer_than_the_longest() {
        assert!(KEYWORDS.is_sorted_by_key(|(word, _)| word));
        assert_eq!(KEYWORDS.iter().map(|(word, _)| word.len()).max(), Some(LONGEST_KEYWORD));
    }

    #[test]
    fn keywords_are_found_in_any_case_and_nothing_else_is() {
        for (word, kind) in KEYWORDS {
            assert_eq!(keyword(word), Some(kind));
            assert_eq!(keyword(&word.to_lowercase()), Some(kind));
        }
        for word in ["", "FO", "FORT", "count", "OPTIONS", "prune", "KEEP", "TO", "SEARCH", "AT", "LEAST"] {
            assert_eq!(keyword(word), None, "{word}");
        }
        assert_eq!(keyword(&"a".repeat(1000)), None);
    }
}
