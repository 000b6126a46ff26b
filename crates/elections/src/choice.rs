//! The choice of a leader among those that answered.

use std::collections::BTreeSet;

use crate::member::{Holder, Position};

/// The answer of a member to the question for its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The run that answered.
    pub(crate) holder: Holder,
    /// The position, or none if the member cannot lead.
    pub(crate) position: Option<Position>,
}

/// Returns the most advanced of those that answered, or none.
///
/// A majority of each set of voters has to have answered; there are two sets while members change.
/// Equal positions: the previous leader, then the lowest id.
pub(crate) fn choose(sets: &[BTreeSet<u64>], answers: &[Answer], previous: Option<u64>) -> Option<Holder> {
    let answered = |set: &BTreeSet<u64>| {
        let count = answers.iter().filter(|answer| set.contains(&answer.holder.member)).count();
        count * 2 > set.len()
    };
    if sets.is_empty() || !sets.iter().all(answered) {
        return None;
    }
    let rank = |answer: &Answer| {
        let id = answer.holder.member;
        answer.position.map(|position| (position, previous == Some(id), std::cmp::Reverse(id)))
    };
    // Not a member that is about to leave: the last set is the one that will remain.
    let remains = |answer: &&Answer| sets.last().is_some_and(|set| set.contains(&answer.holder.member));
    let can_lead = answers.iter().filter(remains).filter(|answer| answer.position.is_some());
    can_lead.max_by_key(|answer| rank(answer)).map(|answer| answer.holder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(member: u64, position: Option<(u64, u64)>) -> Answer {
        let position = position.map(|(epoch, tick)| Position { epoch, tick });
        Answer { holder: Holder { member, run: member * 10 }, position }
    }

    fn chosen(sets: &[&[u64]], answers: &[Answer], previous: Option<u64>) -> Option<u64> {
        let sets: Vec<BTreeSet<u64>> = sets.iter().map(|set| set.iter().copied().collect()).collect();
        choose(&sets, answers, previous).map(|holder| holder.member)
    }

    #[test]
    fn the_most_advanced_of_a_majority_leads() {
        let answers = [answer(1, Some((3, 50))), answer(2, Some((4, 7))), answer(3, Some((4, 6)))];
        assert_eq!(chosen(&[&[1, 2, 3]], &answers, Some(1)), Some(2));
        assert_eq!(chosen(&[&[1, 2, 3]], &answers[..2], None), Some(2));
        assert_eq!(chosen(&[&[1, 2, 3]], &answers[1..2], None), None, "one of three is no majority");
        assert_eq!(chosen(&[&[1, 2, 3, 4]], &answers[..2], None), None, "two of four are none either");
    }

    #[test]
    fn equal_positions_prefer_the_previous_leader_then_the_lowest_id() {
        let answers = [answer(1, Some((1, 5))), answer(2, Some((1, 5))), answer(3, Some((1, 5)))];
        assert_eq!(chosen(&[&[1, 2, 3]], &answers, Some(3)), Some(3));
        assert_eq!(chosen(&[&[1, 2, 3]], &answers, None), Some(1));
    }

    #[test]
    fn a_member_that_cannot_lead_counts_and_is_passed_over() {
        let answers = [answer(1, None), answer(2, Some((0, 0)))];
        assert_eq!(chosen(&[&[1, 2, 3]], &answers, Some(1)), Some(2));
        assert_eq!(chosen(&[&[1, 2, 3]], &[answer(1, None), answer(3, None)], None), None);
    }

    #[test]
    fn a_change_of_members_needs_both_majorities_and_prefers_those_who_stay() {
        let answers = [answer(1, Some((1, 9))), answer(2, Some((1, 5))), answer(4, Some((1, 4)))];
        assert_eq!(chosen(&[&[1, 2, 3], &[2, 3, 4]], &answers, None), Some(2));
        assert_eq!(chosen(&[&[1, 2, 3], &[2, 3, 4]], &answers[..2], None), None);
    }
}
