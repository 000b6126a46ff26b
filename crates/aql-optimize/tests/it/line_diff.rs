//! The difference between two texts, by lines.

/// Returns the lines that are in only one of the texts, in order.
///
/// Lines of the first text follow `- `, lines of the second follow `+ `. The omitted lines are a
/// longest common subsequence.
pub(crate) fn line_diff(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let common = common_lines(&old, &new);
    let (mut i, mut j, mut text) = (0, 0, String::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            text += &format!("- {}\n", old[i]);
            i += 1;
        } else {
            text += &format!("+ {}\n", new[j]);
            j += 1;
        }
    }
    text
}

/// Returns, for each pair of positions, the length of the longest common subsequence of the texts
/// from there on.
fn common_lines(old: &[&str], new: &[&str]) -> Vec<Vec<usize>> {
    let mut common = vec![vec![0; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    common
}

#[test]
fn only_lines_that_differ_are_shown() {
    assert_eq!(line_diff("a\nb\nc\n", "a\nc\n"), "- b\n");
    assert_eq!(line_diff("a\nb\nc\n", "a\nx\ny\nc\n"), "- b\n+ x\n+ y\n");
    assert_eq!(line_diff("a\nb\n", "b\na\n"), "- a\n+ a\n");
    assert_eq!(line_diff("a\n", "a\n"), "");
}
