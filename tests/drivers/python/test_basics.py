"""The calls with which a program starts, on data made here."""

import pytest
from arango.exceptions import (
    AQLQueryExecuteError,
    CursorNextError,
    DocumentInsertError,
    DocumentReplaceError,
    DocumentRevisionError,
)


def test_documents(db):
    people = db.create_collection("people")
    meta = people.insert({"_key": "ann", "age": 30, "tags": ["a", "b"]}, return_new=True)
    assert meta["new"]["age"] == 30 and meta["_id"] == "people/ann"
    with pytest.raises(DocumentInsertError) as failure:
        people.insert({"_key": "ann"})
    assert failure.value.error_code == 1210
    updated = people.update({"_key": "ann", "age": 31}, return_old=True)
    assert updated["old"]["age"] == 30 and updated["_old_rev"] == meta["_rev"]
    assert people.get("ann")["tags"] == ["a", "b"]
    with pytest.raises(DocumentRevisionError):
        people.update({"_key": "ann", "_rev": meta["_rev"], "age": 1}, check_rev=True)
    with pytest.raises(DocumentReplaceError) as failure:
        people.replace({"_key": "nobody"})
    assert failure.value.error_code == 1202
    people.replace({"_key": "ann", "name": "Ann"})
    assert "age" not in people["ann"]
    assert people.delete("ann", return_old=True)["old"]["name"] == "Ann"
    assert people.get("ann") is None and people.count() == 0


def test_many_documents_fail_one_by_one(db):
    things = db.create_collection("things")
    results = things.insert_many([{"_key": "a"}, {"_key": "a"}, {"_key": "b"}, {"_key": "not allowed?"}])
    assert [getattr(result, "error_code", None) for result in results] == [None, 1210, None, 1221]
    assert sorted(document["_key"] for document in things.all()) == ["a", "b"]


def test_unique_index(db):
    users = db.create_collection("users")
    users.insert_many([{"mail": f"{n}@example.org", "n": n} for n in range(100)])
    index = users.add_index({"type": "persistent", "fields": ["mail"], "unique": True})
    assert index["unique"]
    with pytest.raises(DocumentInsertError) as failure:
        users.insert({"mail": "7@example.org"})
    assert failure.value.error_code == 1210
    plan = db.aql.explain("FOR u IN users FILTER u.mail == '7@example.org' RETURN u")
    assert any(node["type"] == "IndexNode" for node in plan["nodes"])
    assert list(db.aql.execute("FOR u IN users FILTER u.mail == '7@example.org' RETURN u.n")) == [7]


def test_cursor_batches_count_and_full_count(db):
    numbers = db.create_collection("numbers")
    numbers.import_bulk([{"_key": str(n), "n": n} for n in range(2_500)])
    cursor = db.aql.execute("FOR d IN numbers SORT d.n LIMIT 2000 RETURN d.n", batch_size=300, count=True, full_count=True)
    assert cursor.count() == 2_000 and cursor.statistics()["fullCount"] == 2_500
    assert list(cursor) == list(range(2_000))
    cursor = db.aql.execute("FOR d IN numbers RETURN d", batch_size=10)
    cursor.close()
    with pytest.raises(CursorNextError) as failure:
        cursor.fetch()
    assert failure.value.error_code == 1600


def test_modifications(db):
    items = db.create_collection("items")
    db.aql.execute("FOR i IN 1..1000 INSERT {_key: TO_STRING(i), i} INTO items")
    cursor = db.aql.execute("FOR d IN items FILTER d.i > 900 UPDATE d WITH {big: true} IN items RETURN NEW.i")
    assert sorted(cursor) == list(range(901, 1001))
    assert cursor.statistics()["modified"] == 100
    db.aql.execute("FOR d IN items FILTER !d.big REMOVE d IN items")
    assert items.count() == 100
    query = "UPSERT {_key: @key} INSERT {_key: @key, n: 1} UPDATE {n: OLD.n + 1} IN items RETURN [OLD.n, NEW.n]"
    assert list(db.aql.execute(query, bind_vars={"key": "x"})) == [[None, 1]]
    assert list(db.aql.execute(query, bind_vars={"key": "x"})) == [[1, 2]]


@pytest.mark.parametrize(
    ("query", "bind", "number"),
    [
        ("RETURN", {}, 1501),
        ("", {}, 1502),
        ("RETURN @x", {}, 1551),
        ("RETURN 1", {"x": 1}, 1552),
        ("RETURN NO_SUCH_FUNCTION()", {}, 1540),
        ("RETURN LENGTH()", {}, 1541),
        ("FOR d IN missing RETURN d", {}, 1203),
    ],
)
def test_wrong_queries(db, query, bind, number):
    with pytest.raises(AQLQueryExecuteError) as failure:
        db.aql.execute(query, bind_vars=bind)
    assert failure.value.error_code == number
    assert list(db.aql.execute("RETURN 1")) == [1]
