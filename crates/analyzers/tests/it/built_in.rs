//! The analyzers that every database has.

use analyzers::{Analyzer, built_in, built_ins};
use errors::Error;
use owner::Interrupt;
use proptest::prelude::*;

use crate::common::{self, printed, tokens};

fn of(name: &str) -> &'static Analyzer {
    built_in(name).unwrap()
}

#[test]
fn names_and_features() {
    let names: Vec<_> = built_ins().map(|analyzer| analyzer.definition().name()).collect();
    let languages = ["de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "ru", "sv", "zh"];
    let texts = languages.iter().map(|language| format!("text_{language}"));
    assert_eq!(names, std::iter::once("identity".to_owned()).chain(texts).collect::<Vec<_>>());
    for name in ["", "text_", "text_xx", "text_DE", "Identity", "de", "text_de "] {
        assert!(built_in(name).is_none(), "{name}");
    }
    let features = |name| of(name).definition().features().names().collect::<Vec<_>>().join(" ");
    assert_eq!(features("identity"), "frequency norm");
    assert_eq!(features("text_en"), "frequency position norm");
    let shown = |language: &str, stemming| {
        format!(
            r#"{{"locale":"{language}","case":"lower","stopwords":[],"accent":false,"stemming":{stemming}}}"#
        )
    };
    assert_eq!(printed(of("text_en").definition()), shown("en", true));
    assert_eq!(printed(of("text_zh").definition()), shown("zh", false));
    assert_eq!(printed(of("identity").definition()), "{}");
}

#[test]
fn identity_takes_the_text_as_a_whole() {
    assert_eq!(tokens(of("identity"), "UPPER lower dïäcríticš"), ["UPPER lower dïäcríticš"]);
    assert_eq!(tokens(of("identity"), ""), [""]);
}

#[test]
fn words_lose_case_accents_and_endings() {
    for (analyzer, text, expected) in [
        ("text_de", "Die Häuser, groß & KLEIN.", "die haus gross klein"),
        ("text_en", "Running dogs don't jump over 3 lazy ponies!", "run dog don't jump over 3 lazi poni"),
        ("text_en", "Crazy fast NoSQL-database!", "crazi fast nosql databas"),
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
        assert_eq!(tokens(of(analyzer), text).join(" "), expected, "{analyzer}");
    }
}

#[test]
fn blanks_and_punctuation_are_no_tokens() {
    assert!(tokens(of("text_en"), "").is_empty());
    assert!(tokens(of("text_en"), " \t\n.,;:!?-–()[]{}").is_empty());
    assert_eq!(tokens(of("text_en"), "a+b=c 1,234.5 x_z"), ["a", "b", "c", "1,234.5", "x_z"]);
}

#[test]
fn an_error_ends_it() {
    let mut seen = 0;
    let emit = |_: analyzers::Token<'_>| {
        seen += 1;
        if seen == 2 { Err(Error::killed()) } else { Ok(()) }
    };
    let result = of("text_en").tokens("one two three", &Interrupt::new(), emit);
    assert_eq!((result, seen), (Err(Error::killed()), 2));
}

#[test]
fn long_texts_can_be_interrupted_even_without_tokens() {
    let killed = Interrupt::new();
    killed.kill();
    let result = of("text_zh").tokens(&*"!".repeat(100_000), &killed, |_| Ok(()));
    assert_eq!(result, Err(Error::killed()));
}

proptest! {
    #[test]
    fn any_text_is_analyzed_by_all(text in "\\PC{0,40}") {
        for analyzer in built_ins() {
            for (term, _, start, end) in common::placed(analyzer, &*text) {
                prop_assert!(!term.is_empty() || text.is_empty());
                prop_assert!(text.get(start as usize..end as usize).is_some());
            }
        }
    }
}
