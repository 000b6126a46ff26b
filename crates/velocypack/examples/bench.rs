//! Measures how fast values are read, written, searched and compared, on documents like those of an
//! application.
//!
//! Run: `cargo run --release -p velocypack --example bench [name] [file.jsonl]`

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use velocypack::{Builder, Limits, MergeOptions, Slice, document, json, merge, normalize, order, validate};

const DOCUMENTS: usize = 2000;
const MEASURED_FOR: Duration = Duration::from_millis(600);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let filter = arguments.next().unwrap_or_default();
    let text = arguments.next().map_or_else(generated, |path| std::fs::read_to_string(path).unwrap());
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).take(DOCUMENTS).collect();
    let bytes: usize = lines.iter().map(|line| line.len()).sum();
    println!("{} documents of {} bytes of JSON on average", lines.len(), bytes / lines.len());

    let started = Instant::now();
    black_box(order::compare_strings("a", "\u{e9}"));
    println!("the first comparison, with the collation's tables: {:.0?}", started.elapsed());

    let bench = Bench { filter };
    let packed: Vec<Vec<u8>> = lines.iter().map(|line| pack(line)).collect();
    let packed_bytes: usize = packed.iter().map(Vec::len).sum();
    println!("VelocyPack is {:.2} of the JSON", packed_bytes as f64 / bytes as f64);

    json_in_and_out(&bench, &lines, bytes, &packed);
    whole_values(&bench, &packed, packed_bytes);
    access(&bench, &packed);
    strings(&bench);
}

fn json_in_and_out(bench: &Bench, lines: &[&str], bytes: usize, packed: &[Vec<u8>]) {
    let mut builder = Builder::new();
    let joined = lines.join("\n");
    bench.throughput("parse", bytes, || {
        for line in lines {
            builder.clear();
            json::parse(line.as_bytes(), &Limits::default(), &mut builder).unwrap();
            black_box(builder.as_bytes());
        }
    });
    bench.throughput("parse lines", joined.len(), || {
        let mut parser = json::Parser::new(joined.as_bytes(), &Limits::default());
        builder.clear();
        while parser.next_value(&mut builder).unwrap().is_some() {}
        black_box(builder.as_bytes());
    });
    let mut out = Vec::new();
    bench.throughput("write", bytes, || {
        for value in packed {
            out.clear();
            json::write(Slice::new(value), None, &mut out);
            black_box(&out);
        }
    });
}

fn whole_values(bench: &Bench, packed: &[Vec<u8>], bytes: usize) {
    let mut out = Vec::new();
    bench.throughput("validate", bytes, || {
        for value in packed {
            black_box(validate(value, &Limits::default()).unwrap());
        }
    });
    bench.throughput("normalize", bytes, || {
        for value in packed {
            out.clear();
            normalize(Slice::new(value), &mut out).unwrap();
        }
    });
    bench.each("document", packed, |value| {
        out.clear();
        document("1234567", "_gabcdef---", None, Slice::new(value), &mut out).unwrap();
        black_box(out.len());
    });
    let patch = pack(r#"{"active":false,"visits":77,"address":{"city":"Bonn"}}"#);
    bench.each("merge", packed, |value| {
        out.clear();
        merge(Slice::new(value), Slice::new(&patch), MergeOptions::default(), &mut out).unwrap();
        black_box(out.len());
    });
    bench.each("hash document", packed, |value| {
        black_box(order::hash(Slice::new(value)));
    });
    bench.each("sort_key document", packed, |value| {
        out.clear();
        order::sort_key(Slice::new(value), &mut out);
    });
    let pairs: Vec<_> = packed.windows(2).map(<[_]>::to_vec).collect();
    bench.each("compare documents", &pairs, |pair| {
        black_box(order::compare(Slice::new(&pair[0]), Slice::new(&pair[1])));
    });
}

fn access(bench: &Bench, packed: &[Vec<u8>]) {
    let mut stored: Vec<Vec<u8>> = Vec::new();
    for (index, value) in packed.iter().enumerate() {
        let mut out = Vec::new();
        document(&index.to_string(), "_gabcdef---", None, Slice::new(value), &mut out).unwrap();
        stored.push(out);
    }
    for name in ["_key", "age", "visits", "missing"] {
        bench.each(&format!("get {name}"), &stored, |value| {
            black_box(Slice::new(value).get(black_box(name)));
        });
    }
    bench.each("get_path address.city as_str", &stored, |value| {
        black_box(Slice::new(value).get_path(black_box(&["address", "city"])).and_then(Slice::as_str));
    });
    for size in [4, 8, 12, 16, 24, 32, 64, 256] {
        let members: Vec<String> =
            (0..size).map(|number| format!("\"attribute{number}\":{number}")).collect();
        let value = [pack(&format!("{{{}}}", members.join(",")))];
        let name = format!("attribute{}", size / 2);
        bench.each(&format!("get 1 of {size}"), &value, |value| {
            black_box(Slice::new(value).get(black_box(&name)));
        });
    }
}

fn strings(bench: &Bench) {
    let ascii: Vec<String> =
        (0..1000).map(|number| format!("user{:06}@example.org", number * 7919 % 1000)).collect();
    let accented: Vec<String> =
        (0..1000).map(|number| format!("Müller {:04}", number * 7919 % 1000)).collect();
    for (kind, words) in [("ascii", &ascii), ("non-ascii", &accented)] {
        let pairs: Vec<_> = words.windows(2).map(<[_]>::to_vec).collect();
        bench.each(&format!("compare {kind}"), &pairs, |pair| {
            black_box(order::compare_strings(&pair[0], &pair[1]));
        });
        let mut out = Vec::new();
        bench.each(&format!("sort_key {kind}"), words, |word| {
            out.clear();
            order::sort_key_str(word, &mut out);
            black_box(&out);
        });
        bench.each(&format!("hash {kind}"), words, |word| {
            black_box(order::hash_str(word));
        });
    }
    let numbers: Vec<Vec<u8>> = (0..1000).map(|number| pack(&format!("{}", number * 7919))).collect();
    let mut out = Vec::new();
    bench.each("sort_key number", &numbers, |value| {
        out.clear();
        order::sort_key(Slice::new(value), &mut out);
    });
    let pairs: Vec<_> = numbers.windows(2).map(<[_]>::to_vec).collect();
    bench.each("compare numbers", &pairs, |pair| {
        black_box(order::compare(Slice::new(&pair[0]), Slice::new(&pair[1])));
    });
}

fn pack(text: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    json::parse(text.as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}

/// Returns documents of an imagined application, the same on every run.
fn generated() -> String {
    let mut lines = String::new();
    for number in 0..DOCUMENTS {
        let (name, city) =
            (["Anna", "Bertil", "Chloë", "Dmitri"][number % 4], ["Köln", "Paris", "Oslo"][number % 3]);
        lines += &format!(
            "{{\"name\":{{\"first\":\"{name}\",\"last\":\"Example{number}\"}},\"email\":\"user{number}@example.org\",\
             \"age\":{},\"active\":{},\"score\":{},\"visits\":{},\"created\":\"2024-03-{:02}T10:{:02}:00.000Z\",\
             \"address\":{{\"street\":\"Main Street {}\",\"city\":\"{city}\",\"zip\":\"{:05}\",\"location\":[{},{}]}},\
             \"tags\":[\"alpha\",\"beta\",\"gamma\"],\"notes\":null,\"manager\":\"people/{}\"}}\n",
            18 + number % 70,
            number % 2 == 0,
            number as f64 * 0.37,
            number * 131,
            1 + number % 28,
            number % 60,
            number % 200,
            10_000 + number * 13,
            6.95 + number as f64 / 1000.0,
            50.94 + number as f64 / 7919.0,
            number / 10,
        );
    }
    lines
}

struct Bench {
    filter: String,
}

impl Bench {
    fn seconds(&self, name: &str, mut run: impl FnMut()) -> Option<f64> {
        if !name.contains(&self.filter) {
            return None;
        }
        run();
        let mut best = f64::MAX;
        let started = Instant::now();
        while started.elapsed() < MEASURED_FOR {
            let once = Instant::now();
            run();
            best = best.min(once.elapsed().as_secs_f64());
        }
        Some(best)
    }

    fn throughput(&self, name: &str, bytes: usize, run: impl FnMut()) {
        if let Some(seconds) = self.seconds(name, run) {
            println!("{name:32} {:8.0} MB/s", bytes as f64 / seconds / 1e6);
        }
    }

    fn each<T>(&self, name: &str, items: &[T], mut run: impl FnMut(&T)) {
        let repeat = 1000usize.div_ceil(items.len());
        let all = || (0..repeat).for_each(|_| items.iter().for_each(&mut run));
        if let Some(seconds) = self.seconds(name, all) {
            println!("{name:32} {:8.1} ns", seconds / (repeat * items.len()) as f64 * 1e9);
        }
    }
}
