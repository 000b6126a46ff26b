//! Long texts split into pieces.

/// Maximum size in bytes of a piece. Finding the words of a script without spaces takes
/// microseconds a byte.
const MAX_PIECE_BYTES: usize = 4096;

/// Returns the text in pieces that end after white space, or where they are full if there is none.
///
/// A word that is cut then is longer than any word.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at_checked(end_of_piece(rest))?;
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

fn end_of_piece(text: &str) -> usize {
    if text.len() <= MAX_PIECE_BYTES {
        return text.len();
    }
    let full = text.floor_char_boundary(MAX_PIECE_BYTES);
    let head = text.get(..full).unwrap_or_default();
    let last_space = head.char_indices().rev().find(|(_, character)| character.is_whitespace());
    last_space.map_or(full, |(start, space)| start + space.len_utf8())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn end_after_white_space_if_there_is_any() {
        let words = "word ".repeat(MAX_PIECE_BYTES);
        assert!(pieces(&words).all(|piece| piece.ends_with(' ') && piece.len() <= MAX_PIECE_BYTES));
        assert_eq!(pieces(&"ä".repeat(MAX_PIECE_BYTES)).count(), 2);
        assert_eq!(pieces("").count(), 0);
    }

    proptest! {
        #[test]
        fn make_up_the_text(words in prop::collection::vec("[aä ]{0,900}", 0..20)) {
            let text = words.concat();
            prop_assert_eq!(pieces(&text).collect::<String>(), text);
        }
    }
}
