//! The masking functions: each replaces a value.

use aql_date::{Civil, ParsedDate, format_date, parse_date};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fastrand::Rng;
use sha2::{Digest, Sha256};
use velocypack::{Builder, Slice};

use crate::random::{Secret, letter};

/// The bytes of a hash, which is written in base 64.
const HASH_BYTES: usize = 8;
/// The digits of a credit card's number before its check digit.
const CARD_DIGITS: usize = 15;
const LOWEST_DATE: &str = "1970-01-01T00:00:00.000";
/// The bound of `random`, for positive and negative numbers.
const RANDOM_MAX: i64 = 1_000;

/// A masking function with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Function {
    /// A hash for each string.
    RandomString,
    /// A random value of the same kind.
    Random,
    /// Words whose front becomes `x`.
    XifyFront {
        unmasked: usize,
        hash: bool,
        /// The seed; 0 is the secret of the run.
        seed: u64,
    },
    /// Random digits and letters, and a replacement for other values.
    Zip {
        default: String,
    },
    /// Random digits and letters, and a replacement for other values.
    Phone {
        default: String,
    },
    /// A random date as milliseconds between two, formatted.
    Datetime {
        begin: i64,
        end: i64,
        format: String,
    },
    Integer {
        lower: i64,
        upper: i64,
    },
    Decimal {
        lower: f64,
        upper: f64,
        scale: i32,
    },
    CreditCard,
    Email,
}

impl Function {
    pub(crate) fn parse(rule: Slice<'_>) -> Result<Self, String> {
        let text = |name: &str, default: &str| match rule.get(name) {
            None => Ok(default.to_owned()),
            Some(value) => {
                value.as_str().map(str::to_owned).ok_or_else(|| format!("'{name}' must be a string"))
            }
        };
        let number = |name: &str, default: f64| match rule.get(name) {
            None => Ok(default),
            Some(value) => value.as_f64().ok_or_else(|| format!("'{name}' must be a number")),
        };
        let kind = rule.get("type").and_then(Slice::as_str).unwrap_or_default();
        let function = match kind {
            "randomString" => Function::RandomString,
            "random" => Function::Random,
            "creditCard" => Function::CreditCard,
            "email" => Function::Email,
            "zip" => Function::Zip { default: text("default", "12345")? },
            "phone" => Function::Phone { default: text("default", "+1234567890")? },
            "integer" => Function::Integer {
                lower: number("lower", -100.0)?.ceil() as i64,
                upper: number("upper", 100.0)?.floor() as i64,
            },
            "decimal" => Function::Decimal {
                lower: number("lower", -1.0)?,
                upper: number("upper", 1.0)?,
                scale: number("scale", 2.0)?.clamp(0.0, 15.0) as i32,
            },
            "xifyFront" => {
                let unmasked = number("unmaskedLength", 2.0)?;
                if !(1.0..=1e6).contains(&unmasked) {
                    return Err("'unmaskedLength' must be at least 1".to_owned());
                }
                let hash = rule.get("hash").map_or(Some(false), Slice::as_bool);
                Function::XifyFront {
                    unmasked: unmasked as usize,
                    hash: hash.ok_or("'hash' must be a bool")?,
                    seed: number("seed", 0.0)? as i64 as u64,
                }
            }
            "datetime" => {
                let date = |name: &str, text: &str| {
                    let moment = parse_date(text).and_then(ParsedDate::to_ms);
                    moment.ok_or_else(|| format!("'{name}' is not a date: {text:?}"))
                };
                let end = match rule.get("end") {
                    None => jiff::Timestamp::now().as_millisecond(),
                    Some(_) => date("end", &text("end", "")?)?,
                };
                let begin = date("begin", &text("begin", LOWEST_DATE)?)?;
                Function::Datetime { begin, end, format: text("format", "")? }
            }
            other => {
                return Err(format!(
                    "'type' must be randomString, random, xifyFront, zip, datetime, integer, decimal, creditCard, phone or \
                     email, not {other:?}"
                ));
            }
        };
        function.check()
    }

    /// Returns a reason to doubt that the function does what its author wants.
    pub(crate) fn doubt(&self) -> Option<&'static str> {
        match self {
            Function::Datetime { format, .. } if format.is_empty() => {
                Some("'datetime' without 'format' makes each value an empty string")
            }
            _ => None,
        }
    }

    fn check(self) -> Result<Self, String> {
        let is_empty = match &self {
            Function::Datetime { begin, end, .. } => begin > end,
            Function::Integer { lower, upper } => lower > upper,
            Function::Decimal { lower, upper, .. } => lower > upper,
            _ => false,
        };
        if is_empty { Err("the lower bound is above the upper".to_owned()) } else { Ok(self) }
    }

    /// Adds the replacement of a value that is neither object nor array.
    pub(crate) fn apply(
        &self,
        value: Slice<'_>,
        secret: &Secret,
        random: &mut Rng,
        out: &mut Builder,
    ) -> velocypack::Result<()> {
        match self {
            Function::RandomString => match value.as_str() {
                Some(text) => out.add_str(&random_string(text, secret))?,
                None => out.add_slice(value)?,
            },
            Function::Random => add_random(value, secret, random, out)?,
            Function::XifyFront { unmasked, hash, seed } => match value.as_str() {
                Some(text) => {
                    let mut masked = xify(text, *unmasked);
                    if *hash {
                        masked.push(' ');
                        masked.push_str(&match seed {
                            0 => hash_text(secret, text.as_bytes()),
                            seed => hash_text(&seed.to_le_bytes(), text.as_bytes()),
                        });
                    }
                    out.add_str(&masked)?;
                }
                None if value.is_null() => out.add_null()?,
                None => out.add_str("xxxx")?,
            },
            Function::Zip { default } | Function::Phone { default } => match value.as_str() {
                Some(text) => out.add_str(&shuffle(text, random))?,
                None => out.add_str(default)?,
            },
            Function::Datetime { begin, end, format } => {
                let moment = random.i64(*begin..=*end);
                out.add_str(&format_date(format, Civil::from_ms(moment), moment))?;
            }
            Function::Integer { lower, upper } => out.add_i64(random.i64(*lower..=*upper))?,
            Function::Decimal { lower, upper, scale } => {
                out.add_f64(decimal(*lower, *upper, *scale, random))?;
            }
            Function::CreditCard => out.add_i64(credit_card(random))?,
            Function::Email => {
                let text = value.as_str().map_or_else(|| value.to_json_string(), str::to_owned);
                let hash = hash_text(secret, text.as_bytes());
                let part = |from: usize, to: usize| hash.get(from..to).unwrap_or_default();
                out.add_str(&format!("{}.{}@{}.invalid", part(0, 4), part(4, 8), part(8, 12)))?;
            }
        }
        Ok(())
    }
}

/// Returns a hash of 12 characters in base 64, which nobody can compute without the secret.
fn hash_text(secret: &[u8], text: &[u8]) -> String {
    let digest = Sha256::new().chain_update(secret).chain_update(text).finalize();
    STANDARD.encode(digest.get(..HASH_BYTES).unwrap_or_default())
}

/// Returns the hash, repeated up to the length of a longer text.
fn random_string(text: &str, secret: &[u8]) -> String {
    let hash = hash_text(secret, text.as_bytes());
    let length = text.chars().count().max(hash.len());
    hash.chars().cycle().take(length).collect()
}

fn add_random(
    value: Slice<'_>,
    secret: &[u8],
    random: &mut Rng,
    out: &mut Builder,
) -> velocypack::Result<()> {
    if let Some(text) = value.as_str() {
        return out.add_str(&random_string(text, secret));
    }
    if value.as_bool().is_some() {
        return out.add_bool(random.bool());
    }
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 => out.add_i64(random.i64(-RANDOM_MAX..=RANDOM_MAX)),
        Some(_) => out.add_f64(decimal(-RANDOM_MAX as f64, RANDOM_MAX as f64, 2, random)),
        None => out.add_slice(value),
    }
}

/// Masks words, keeping their last characters.
///
/// Words consist of letters, digits, `_` and `-`. Their other characters become `x`, and characters
/// between words become blanks.
fn xify(text: &str, unmasked: usize) -> String {
    let is_word = |character: &char| character.is_alphanumeric() || matches!(character, '_' | '-');
    let characters: Vec<char> = text.chars().collect();
    let mut masked = String::with_capacity(text.len());
    for run in characters.chunk_by(|left, right| is_word(left) == is_word(right)) {
        let Some(first) = run.first() else { continue };
        if is_word(first) {
            let hidden = run.len().saturating_sub(unmasked);
            masked.extend(std::iter::repeat_n('x', hidden));
            masked.extend(run.iter().skip(hidden));
        } else {
            masked.extend(std::iter::repeat_n(' ', run.len()));
        }
    }
    masked
}

/// Replaces digits by random digits and letters by random letters; everything else stays.
fn shuffle(text: &str, random: &mut Rng) -> String {
    let replace = |character: char| match character {
        digit if digit.is_ascii_digit() => random.digit(10),
        other if other.is_alphabetic() => letter(other, random),
        other => other,
    };
    text.chars().map(replace).collect()
}

fn decimal(lower: f64, upper: f64, scale: i32, random: &mut Rng) -> f64 {
    let number = lower + random.f64() * (upper - lower);
    let factor = 10f64.powi(scale);
    ((number * factor).round() / factor).clamp(lower, upper)
}

/// Returns sixteen digits. The last is the check digit of the Luhn algorithm (ISO/IEC 7812-1).
fn credit_card(random: &mut Rng) -> i64 {
    let mut number = 4;
    let mut sum = 8;
    for position in 1..CARD_DIGITS {
        let digit = random.i64(0..10);
        number = number * 10 + digit;
        let doubled = digit * 2;
        sum += if position % 2 == 0 { doubled - if doubled > 9 { 9 } else { 0 } } else { digit };
    }
    number * 10 + (10 - sum % 10) % 10
}
