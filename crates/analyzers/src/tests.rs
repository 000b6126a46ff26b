#![allow(clippy::unwrap_used, reason = "what is wrong in a test ends it")]

use crate::{Analyzer, built_in};
use proptest::prelude::*;
use std::convert::Infallible;

fn tokens(analyzer: &str, text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let emit = |token: &str| {
        tokens.push(token.to_owned());
        Ok(())
    };
    let Ok(()) = built_in(analyzer).unwrap().for_each_token::<Infallible>(text, || Ok(()), emit);
    tokens
}

#[test]
fn names() {
    assert_eq!(built_in("identity"), Some(Analyzer::Identity));
    for name in ["", "text_", "text_xx", "text_DE", "Identity", "de", "text_de "] {
        assert_eq!(built_in(name), None, "{name}");
    }
}

#[test]
fn identity_takes_the_text_as_a_whole() {
    assert_eq!(tokens("identity", "Two words"), ["Two words"]);
    assert_eq!(tokens("identity", ""), [""]);
}

#[test]
fn words_lose_case_accents_and_endings() {
    for (analyzer, text, expected) in [
        ("text_de", "Die Häuser, groß & KLEIN.", "die haus gross klein"),
        ("text_en", "Running dogs don't jump over 3 lazy ponies!", "run dog don't jump over 3 lazi poni"),
        ("text_es", "Los niños corrían rápidamente", "los nin corri rapid"),
        ("text_fi", "taloissa", "talo"),
        ("text_fr", "Les élèves continuaient", "le elev continu"),
        ("text_it", "abbandonata città", "abbandon citt"),
        ("text_nl", "lichamelijkheden", "licham"),
        ("text_no", "havnedistriktene", "havnedistrikt"),
        ("text_pt", "boatos QUIETAMENTE", "boat quiet"),
        ("text_ru", "Важная книга", "важн книг"),
        ("text_sv", "jaktkarlarne", "jaktkarl"),
        ("text_zh", "我们喜欢数据库", "我们 喜欢 数据 库"),
    ] {
        assert_eq!(tokens(analyzer, text).join(" "), expected, "{analyzer}");
    }
}

#[test]
fn what_is_no_word_is_no_token() {
    assert!(tokens("text_en", "").is_empty());
    assert!(tokens("text_en", " \t\n.,;:!?-–()[]{}").is_empty());
    assert_eq!(tokens("text_en", "a+b=c 1,234.5 x_z"), ["a", "b", "c", "1,234.5", "x_z"]);
}

#[test]
fn an_error_ends_it() {
    let mut seen = 0;
    let emit = |_: &str| {
        seen += 1;
        if seen == 2 { Err("enough") } else { Ok(()) }
    };
    let result = built_in("text_en").unwrap().for_each_token("one two three", || Ok(()), emit);
    assert_eq!((result, seen), (Err("enough"), 2));
}

#[test]
fn long_texts_can_be_interrupted_even_without_tokens() {
    let mut pauses = 0;
    let pause = || {
        pauses += 1;
        if pauses == 3 { Err("killed") } else { Ok(()) }
    };
    let result = built_in("text_zh").unwrap().for_each_token(&"!".repeat(100_000), pause, |_| Ok(()));
    assert_eq!((result, pauses), (Err("killed"), 3));
}

proptest! {
    #[test]
    fn any_text_is_analyzed_by_all(text in "\\PC{0,40}") {
        for code in ["de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "ru", "sv", "zh"] {
            for token in tokens(&format!("text_{code}"), &text) {
                prop_assert!(!token.is_empty() || !text.is_empty());
            }
        }
    }
}
