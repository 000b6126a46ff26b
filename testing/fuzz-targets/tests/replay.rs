//! Runs every fuzz target without a fuzzer: with the inputs in `fuzz/corpus`, and with random
//! changes of them.
//!
//! The first seed is fixed; the second one is random and is printed. `PERSEA_FUZZ_SECONDS=N` spends
//! so long on each target (default 2), `PERSEA_FUZZ_TARGET=name` runs that one alone.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::path::Path;
use std::time::{Duration, Instant};

use fuzz_targets::{TARGETS, Target};

/// The length of the longest generated input.
const LENGTH_MAX: usize = 4096;

#[test]
fn targets_bear_known_and_random_inputs() {
    let seconds = std::env::var("PERSEA_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2.0);
    let wanted = std::env::var("PERSEA_FUZZ_TARGET").unwrap_or_default();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    for target in TARGETS.iter().filter(|target| target.name.contains(&wanted)) {
        let corpus = corpus(target.name);
        corpus.iter().for_each(|input| call(target, input));
        for seed in [1, now.as_nanos() as u64] {
            let count = random(target, &corpus, seed, Duration::from_secs_f64(seconds / 2.0));
            eprintln!("{}: {} known and {count} random inputs from seed {seed}", target.name, corpus.len());
        }
    }
}

/// Returns the inputs of the corpus, in the order of their names.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new("../../fuzz/corpus").join(name);
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Calls a target and prints the input if it panics.
fn call(target: &Target, input: &[u8]) {
    let outcome = std::panic::catch_unwind(|| (target.run)(input));
    if let Err(panic) = outcome {
        eprintln!("{} failed with the input {:?}", target.name, String::from_utf8_lossy(input));
        eprintln!("as bytes: {input:?}");
        std::panic::resume_unwind(panic);
    }
}

fn random(target: &Target, corpus: &[Vec<u8>], seed: u64, time: Duration) -> u64 {
    let mut random = Random(seed | 1);
    let start = Instant::now();
    let mut count = 0;
    while start.elapsed() < time {
        let mut input = corpus[random.below(corpus.len())].clone();
        for _ in 0..1 + random.below(4) {
            change(&mut input, corpus, &mut random);
        }
        input.truncate(LENGTH_MAX);
        call(target, &input);
        count += 1;
    }
    count
}

/// Changes an input somewhere, as clients and attackers do.
fn change(input: &mut Vec<u8>, corpus: &[Vec<u8>], random: &mut Random) {
    let at = random.below(input.len() + 1);
    let end = (at + random.below(12)).min(input.len());
    match random.below(7) {
        0 => drop(input.drain(at..end)),
        1 => input.insert(at, random.below(256) as u8),
        2 if at < input.len() => input[at] ^= 1 << random.below(8),
        3 => {
            let piece = input[at..end].repeat(1 + random.below(20));
            input.splice(at..at, piece);
        }
        4 => {
            let other = &corpus[random.below(corpus.len())];
            let from = random.below(other.len() + 1);
            let piece = other[from..(from + random.below(30)).min(other.len())].to_vec();
            input.splice(at..end, piece);
        }
        5 => {
            let words: [&[u8]; 12] = [
                b"null",
                b"-1",
                b"1e999",
                b"9223372036854775808",
                b"\"",
                b"[",
                b"{",
                b"\0",
                b"\xff",
                b"_key",
                b"\\u0000",
                b"0",
            ];
            input.splice(at..end, words[random.below(words.len())].iter().copied());
        }
        _ => input.truncate(at),
    }
}

/// A private random generator, so that a seed gives the same inputs everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}
