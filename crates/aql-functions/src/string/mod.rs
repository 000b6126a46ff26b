//! String functions. Positions and lengths count Unicode code points.

mod case;
mod characters;
mod concat;
mod encode;
mod find;
mod ipv4;
mod json;
mod like;
mod partition;
mod random;
mod regex;
mod repeat;
mod search;
mod soundex;
mod split;
mod starts_with;
mod substitute;
mod substring;
mod tokens;
mod trim;

use aql_value::Function;

use crate::define::{pure, pure_variadic, volatile};

pub(crate) use tokens::{analyzer, tokens_of_text};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("CHAR_LENGTH", 1, 1, characters::char_length),
    pure_variadic("CONCAT", 1, concat::concat),
    pure_variadic("CONCAT_SEPARATOR", 2, concat::concat_separator),
    pure("CONTAINS", 2, 3, find::contains),
    pure("ENCODE_URI_COMPONENT", 1, 1, encode::encode_uri_component),
    pure("FIND_FIRST", 2, 4, find::find_first),
    pure("FIND_LAST", 2, 4, find::find_last),
    pure("IPV4_FROM_NUMBER", 1, 1, ipv4::ipv4_from_number),
    pure("IPV4_TO_NUMBER", 1, 1, ipv4::ipv4_to_number),
    pure("IS_IPV4", 1, 1, ipv4::is_ipv4),
    pure("JSON_PARSE", 1, 1, json::json_parse),
    pure("JSON_STRINGIFY", 1, 1, json::json_stringify),
    pure("LEFT", 2, 2, substring::left),
    pure("LIKE", 2, 3, like::like),
    pure("LOWER", 1, 1, case::lower),
    pure("LTRIM", 1, 2, trim::ltrim),
    pure("PARTITION", 2, 3, partition::partition),
    volatile("RANDOM_TOKEN", 1, 1, random::random_token),
    pure("REGEX_MATCHES", 2, 3, regex::regex_matches),
    pure("REGEX_REPLACE", 3, 4, regex::regex_replace),
    pure("REGEX_SPLIT", 2, 4, regex::regex_split),
    pure("REGEX_TEST", 2, 3, regex::regex_test),
    pure("REPEAT", 2, 3, repeat::repeat),
    pure("RIGHT", 2, 2, substring::right),
    pure("RTRIM", 1, 2, trim::rtrim),
    pure("SOUNDEX", 1, 1, soundex::soundex),
    pure("SPLIT", 1, 3, split::split),
    pure("STARTS_WITH", 2, 4, starts_with::starts_with),
    pure("SUBSTITUTE", 2, 4, substitute::substitute),
    pure("SUBSTRING", 2, 3, substring::substring),
    pure("SUBSTRING_BYTES", 2, 5, substring::substring_bytes),
    pure("TOKENS", 1, 2, tokens::tokens),
    pure("TO_BASE64", 1, 1, encode::to_base64),
    pure("TO_CHAR", 1, 1, characters::to_char),
    pure("TO_HEX", 1, 1, encode::to_hex),
    pure("TRIM", 1, 2, trim::trim),
    pure("UPPER", 1, 1, case::upper),
    volatile("UUID", 0, 0, random::uuid),
];
