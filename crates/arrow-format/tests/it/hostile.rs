//! Bytes that are no stream, or a stream that lies, give an error within bounds.

use arrow_format::RowReader;
use proptest::prelude::*;

use crate::{array, documents, schema_of, stream};

fn good() -> Vec<u8> {
    let rows =
        array(r#"[{"a":true,"b":1,"c":[0.5,null],"d":"text","e":{"f":[["x"],[]]},"g":[1,"y"]},{"b":2}]"#);
    stream(schema_of(&rows, &[]), &[&rows, &rows]).unwrap()
}

#[test]
fn a_stream_that_is_cut_anywhere_is_refused() {
    let good = good();
    assert_eq!(documents(good.clone()).unwrap().len(), 4);
    for end in 0..good.len() {
        let error = documents(good[..end].to_vec()).unwrap_err();
        assert_eq!(error.status(), 400, "{end}: {}", error.message());
    }
}

#[test]
fn what_is_no_stream_is_named() {
    let message = |bytes: &[u8]| documents(bytes.to_vec()).unwrap_err().message().to_owned();
    assert!(message(b"ARROW1\0\0").contains("is an Arrow file; send the stream format"));
    assert!(message(b"{\"a\":1}\n").contains("longer than 16 MiB"));
    assert!(message(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]).contains("has no schema"));
    assert!(message(&[good(), vec![1]].concat()).contains("has bytes after its end"));
    assert!(message(&[good(), good()].concat()).contains("has bytes after its end"));
}

#[test]
fn rows_without_data_are_bounded() {
    use arrow_array::{ArrayRef, NullArray, RecordBatch};
    let rows = |count: usize| {
        let column: ArrayRef = std::sync::Arc::new(NullArray::new(count));
        let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
        let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    };
    assert_eq!(documents(rows(100)).unwrap().len(), 100);
    assert!(documents(rows(1_000_000)).unwrap_err().message().contains("more rows than bits"));
    assert!(documents(rows(1 << 40)).unwrap_err().message().contains("more than 16,777,216 rows"));
}

#[test]
fn a_long_value_of_a_dictionary_is_not_repeated_without_end() {
    use arrow_array::{ArrayRef, DictionaryArray, Int8Array, ListArray, RecordBatch, StringArray};
    use arrow_buffer::OffsetBuffer;
    let values: ArrayRef = std::sync::Arc::new(StringArray::from(vec!["x".repeat(1 << 20)]));
    let keys = Int8Array::from(vec![0_i8; 200]);
    let dictionary: ArrayRef = std::sync::Arc::new(DictionaryArray::new(keys, values));
    let field = arrow_schema::Field::new("item", dictionary.data_type().clone(), true);
    let list = ListArray::new(field.into(), OffsetBuffer::from_lengths([200]), dictionary, None);
    let batch = RecordBatch::try_from_iter([("a", std::sync::Arc::new(list) as ArrayRef)]).unwrap();
    let mut reader = RowReader::new(&batch).unwrap();
    assert!(reader.next_document().unwrap_err().message().contains("more than 64 MiB"));
}

#[test]
fn two_columns_of_one_name_are_refused() {
    use arrow_array::{ArrayRef, Int8Array, RecordBatch, StructArray};
    let column = |value: i8| -> ArrayRef { std::sync::Arc::new(Int8Array::from(vec![value])) };
    let twice = RecordBatch::try_from_iter([("a", column(1)), ("a", column(2))]).unwrap();
    let within: ArrayRef = std::sync::Arc::new(StructArray::from(twice.clone()));
    for batch in [twice, RecordBatch::try_from_iter([("s", within)]).unwrap()] {
        let mut reader = RowReader::new(&batch).unwrap();
        let error = reader.next_document().unwrap_err();
        assert_eq!(error.status(), 400, "{}", error.message());
        assert!(error.message().contains("duplicate attribute name 'a'"), "{}", error.message());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Flipped bytes may change values. They must neither end the thread nor take memory.
    #[test]
    fn flipped_bytes_are_an_error_or_other_values(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = good();
        for (place, value) in flips {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if let Err(error) = documents(bytes) {
            prop_assert_eq!(error.status(), 400, "{}", error.message());
        }
    }
}
