//! Fair shares of something that is limited: threads, cursors, transactions, memory.
//!
//! A user may hold up to a multiple of what is free (a *dynamic threshold*, as switches use it for
//! shared buffers). One user alone gets most of the whole, several users get equal parts, and a
//! part stays free for the next one. No user is known in advance, and none is configured.

/// The multiple of the free part that a user may hold: alone three quarters of the whole, two users
/// three sevenths each, three users three tenths each.
const COUNT_FACTOR: usize = 3;

/// The multiple for bytes, of which queries give some back soon: alone seven eighths of the whole,
/// two users seven fifteenths each.
const BYTES_FACTOR: u64 = 7;

/// Returns true if a user who holds `own` of the `used` pieces may take one more of `capacity`.
pub fn admits(own: usize, used: usize, capacity: usize) -> bool {
    own < COUNT_FACTOR.saturating_mul(capacity.saturating_sub(used))
}

/// As [`admits`], for a holder whose pieces are counted only where that matters: nobody holds more
/// than all together.
pub fn admits_counted(own: impl FnOnce() -> usize, used: usize, capacity: usize) -> bool {
    admits(used, used, capacity) || admits(own(), used, capacity)
}

/// Returns the bytes that a user who holds `own` of the `used` bytes may still take of `capacity`.
pub(crate) fn room_bytes(own: u64, used: u64, capacity: u64) -> u64 {
    let limit = u128::from(capacity.saturating_sub(used)) * u128::from(BYTES_FACTOR);
    let room = limit.saturating_sub(u128::from(own)) / (u128::from(BYTES_FACTOR) + 1);
    u64::try_from(room).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets users take pieces in turn until none gets any more.
    fn take_all(users: usize, capacity: usize) -> Vec<usize> {
        let mut held = vec![0; users];
        loop {
            let before = held.clone();
            for user in 0..users {
                if admits(held[user], held.iter().sum(), capacity) {
                    held[user] += 1;
                }
            }
            if held == before {
                return held;
            }
        }
    }

    #[test]
    fn users_get_equal_shares_and_leave_one_for_the_next() {
        assert_eq!(take_all(1, 32), [24]);
        assert_eq!(take_all(2, 32), [14, 14]);
        assert_eq!(take_all(3, 32), [10, 10, 9]);
        assert_eq!(take_all(1, 1), [1]);
        assert_eq!(take_all(1, 2), [2]);
    }

    #[test]
    fn bytes_are_shared_in_the_same_way() {
        assert_eq!(room_bytes(0, 0, 800), 700);
        assert_eq!(room_bytes(700, 700, 800), 0);
        assert_eq!(room_bytes(0, 700, 800), 87);
        assert_eq!(room_bytes(100, 900, 800), 0);
        assert_eq!(room_bytes(0, 0, u64::MAX), u64::MAX / 8 * 7 + 6);
    }
}
