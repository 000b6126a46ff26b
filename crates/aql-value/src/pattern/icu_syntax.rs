//! Differences in syntax between ICU's regular expressions and Rust's.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

/// The line terminators of one character, as a class.
const LINE_END: &str = r"[\n-\r\x{85}\x{2028}\x{2029}]";
/// The matches of `.`: anything but ICU's line terminators.
const DOT: &str = r"[^\n\r\x{85}\x{2028}\x{2029}]";

/// Returns the expression in Rust's syntax.
///
/// `\Q...\E`, `\h`, `\H`, `\v`, `\V`, `\R`, `\Z`, `\e`, `\cX` and octal escapes are spelled out. So
/// is `.`, unless a flag in the expression changes its meaning. Anything else stays as it is.
pub(super) fn translate(pattern: &str) -> Cow<'_, str> {
    if !pattern.contains(['\\', '.']) {
        return Cow::Borrowed(pattern);
    }
    let keeps_dots = changes_dots(pattern);
    let mut output = String::with_capacity(pattern.len() + 16);
    let mut characters = pattern.chars().peekable();
    let mut class_depth = 0_usize;
    while let Some(character) = characters.next() {
        match character {
            '\\' => escape(&mut characters, &mut output),
            '.' if class_depth == 0 && !keeps_dots => output.push_str(DOT),
            _ => {
                match character {
                    '[' => class_depth += 1,
                    ']' => class_depth = class_depth.saturating_sub(1),
                    _ => {}
                }
                output.push(character);
            }
        }
    }
    Cow::Owned(output)
}

/// Returns true if there are flags like `(?s)` or `(?im-s:...)`.
///
/// Flags are letters and a minus after `(?`.
fn changes_dots(pattern: &str) -> bool {
    pattern.split("(?").skip(1).any(|rest| {
        let flags = rest.split(|character: char| !character.is_ascii_alphabetic() && character != '-').next();
        flags.is_some_and(|flags| flags.contains('s'))
    })
}

/// Writes the escape after a backslash.
fn escape(characters: &mut Peekable<Chars<'_>>, output: &mut String) {
    match characters.next() {
        Some('Q') => quote(characters, output),
        // The end of a quotation that did not begin.
        Some('E') => {}
        Some('h') => output.push_str(r"[\t\p{Zs}]"),
        Some('H') => output.push_str(r"[^\t\p{Zs}]"),
        Some('v') => output.push_str(LINE_END),
        Some('V') => output.push_str(r"[^\n-\r\x{85}\x{2028}\x{2029}]"),
        Some('R') => {
            output.push_str(r"(?:\r\n|");
            output.push_str(LINE_END);
            output.push(')');
        }
        Some('Z') => {
            output.push_str(r"(?=(?:\r\n|");
            output.push_str(LINE_END);
            output.push_str(r")?\z)");
        }
        Some('e') => output.push_str(r"\x1B"),
        Some('c') => control(characters, output),
        Some('0') => octal(characters, output),
        Some(other) => output.extend(['\\', other]),
        None => output.push('\\'),
    }
}

/// Writes everything up to `\E`, or to the end, as literal text.
fn quote(characters: &mut Peekable<Chars<'_>>, output: &mut String) {
    let mut text = String::new();
    while let Some(character) = characters.next() {
        if character == '\\' && characters.next_if_eq(&'E').is_some() {
            break;
        }
        text.push(character);
    }
    output.push_str(&::regex::escape(&text));
}

/// Writes `\cX`, the control character of a letter.
fn control(characters: &mut Peekable<Chars<'_>>, output: &mut String) {
    match characters.next_if(char::is_ascii) {
        Some(letter) => output.push_str(&format!(r"\x{:02X}", letter as u32 & 0x1f)),
        None => output.push_str(r"\c"),
    }
}

/// Writes `\0ooo`, up to three octal digits.
fn octal(characters: &mut Peekable<Chars<'_>>, output: &mut String) {
    let mut number = 0;
    let mut digits = 0;
    while digits < 3
        && let Some(digit) = characters.peek().and_then(|character| character.to_digit(8))
        && number * 8 + digit <= 0o377
    {
        characters.next();
        number = number * 8 + digit;
        digits += 1;
    }
    output.push_str(&if digits == 0 { r"\0".to_owned() } else { format!(r"\x{number:02X}") });
}

#[cfg(test)]
mod tests {
    use super::translate;
    use crate::pattern::Regex;

    #[test]
    fn plain_expressions_stay_as_they_are() {
        for pattern in [
            "",
            "abc",
            "^[a-z]+$",
            r"\d+\s*\w{2,3}\b",
            r"\p{L}\x41\u0041\\",
            r"a\.b[.]",
            r"[\]\\.]",
            "(?s)a.b",
        ] {
            assert_eq!(translate(pattern), pattern);
        }
    }

    #[test]
    fn what_icu_writes_differently() {
        for (pattern, matching, other) in [
            (r"^\Qa.b[\E$", "a.b[", "axb["),
            (r"^\Q(x", "(x", "x"),
            (r"a\hb", "a\u{a0}b", "a\nb"),
            (r"a[\hx]b", "a\tb", "a-b"),
            (r"a\Hb", "axb", "a b"),
            (r"a\vb", "a\u{2028}b", "a b"),
            (r"a\Vb", "axb", "a\rb"),
            (r"^a\Rb$", "a\r\nb", "a\n\rb"),
            (r"^a\Z", "a\r\n", "a\n\n"),
            (r"a\Z|b", "a", "a "),
            (r"\e\[", "\u{1b}[", "["),
            (r"^\cA$", "\u{1}", "A"),
            (r"^\0101$", "A", "0101"),
            (r"^\0777$", "\u{3f}7", "777"),
            ("a.b", "a\u{2027}b", "a\rb"),
            ("a.b", "axb", "a\u{85}b"),
            ("(?s)a.b", "a\nb", "ab"),
            ("(?i)A.B", "axb", "a\nb"),
            ("a[.]b", "a.b", "axb"),
            (r"a\.b", "a.b", "axb"),
        ] {
            let regex = Regex::new(pattern, false).unwrap();
            assert_eq!(
                regex.is_match(matching, &crate::Interrupt::new()),
                Ok(Some(true)),
                "{pattern} in {matching:?}"
            );
            assert_eq!(
                regex.is_match(other, &crate::Interrupt::new()),
                Ok(Some(false)),
                "{pattern} in {other:?}"
            );
        }
    }
}
