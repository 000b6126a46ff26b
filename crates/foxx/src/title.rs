//! Titles for people, made of names for programs.

/// Returns the words of a name, each with a capital: `Secret Key` for `secretKey`.
///
/// A word ends before a capital after a small letter, before the last of several capitals, between
/// letters and digits, and at every other character.
pub fn title_of(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut title = String::with_capacity(name.len() + 4);
    let mut previous: Option<char> = None;
    for (at, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            previous = None;
            continue;
        }
        let next_is_small = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        let begins = previous.is_none_or(|previous| begins_word(previous, c, next_is_small));
        if begins && !title.is_empty() {
            title.push(' ');
        }
        if begins {
            title.extend(c.to_uppercase())
        } else {
            title.push(c)
        }
        previous = Some(c);
    }
    if title.is_empty() { name.to_owned() } else { title }
}

fn begins_word(previous: char, c: char, next_is_small: bool) -> bool {
    if previous.is_numeric() != c.is_numeric() {
        return true;
    }
    c.is_uppercase() && (previous.is_lowercase() || (previous.is_uppercase() && next_is_small))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        for (name, title) in [
            ("setup", "Setup"),
            ("secretKey", "Secret Key"),
            ("my-script_2", "My Script 2"),
            ("HTTPServer", "HTTP Server"),
            ("oauth2Client", "Oauth 2 Client"),
            ("SMTP", "SMTP"),
            ("$x", "X"),
            ("__", "__"),
            ("", ""),
        ] {
            assert_eq!(title_of(name), title);
        }
    }
}
