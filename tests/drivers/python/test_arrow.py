"""Results, exports and imports in Arrow, by pandas, polars and DuckDB.

Each test is skipped if its library is not installed: `run` installs none of them.
"""

import io
import os

import pytest
import requests

pyarrow = pytest.importorskip("pyarrow")

STREAM = "application/vnd.apache.arrow.stream"
ROWS = """
    FOR n IN 1..2500
      RETURN {
        n, half: n / 2, even: n % 2 == 0, text: CONCAT("t", n), list: [n, n + 1],
        inner: {a: n, b: [TO_STRING(n)]}, mixed: n % 2 ? n : "x", none: null, sparse: n % 3 ? null : n
      }
"""


def post(db, path, accept=STREAM, **more):
    url = f"{os.environ['PERSEA_ENDPOINT']}/_db/{db.name}{path}"
    reply = requests.post(url, headers={"Accept": accept}, auth=("root", ""), timeout=60, **more)
    assert reply.ok, reply.text
    return reply


def query(db, text, **more):
    return post(db, "/_api/cursor", json={"query": text, "batchSize": 1000, **more}).content


def load(db, collection, table):
    body = io.BytesIO()
    with pyarrow.ipc.new_stream(body, table.schema) as stream:
        stream.write_table(table)
    url = f"{os.environ['PERSEA_ENDPOINT']}/_db/{db.name}/_api/import?collection={collection}&details=true"
    headers = {"Content-Type": STREAM}
    return requests.post(url, data=body.getvalue(), headers=headers, auth=("root", ""), timeout=60).json()


def test_pyarrow_reads_the_types(db):
    table = pyarrow.ipc.open_stream(query(db, ROWS)).read_all()
    table.validate(full=True)
    assert table.num_rows == 2500
    types = {field.name: str(field.type) for field in table.schema}
    assert types["n"] == "int64" and types["half"] == "double" and types["even"] == "bool"
    assert types["text"] == "string" and types["list"].startswith("list<")
    assert types["inner"].startswith("struct<a: int64")
    assert table["sparse"].null_count == 1667
    last = table.slice(2499).to_pylist()[0]
    assert last["inner"] == {"a": 2500, "b": ["2500"]}
    assert last["mixed"] == '"x"' and last["none"] is None


def test_pandas_reads_and_writes(db):
    pandas = pytest.importorskip("pandas")
    frame = pyarrow.ipc.open_stream(query(db, ROWS, options={"stream": True})).read_pandas()
    assert len(frame) == 2500 and frame["n"].sum() == 2500 * 2501 // 2
    assert frame["text"].iloc[-1] == "t2500"
    db.create_collection("c")
    moments = pandas.to_datetime(["2026-01-02T03:04:05.678Z", None])
    frame = pandas.DataFrame({"_key": ["a", "b"], "at": moments, "x": [1.5, float("nan")]})
    frame["kind"] = pandas.Categorical(["k", "k"])
    reply = load(db, "c", pyarrow.Table.from_pandas(frame, preserve_index=False))
    assert (reply["created"], reply["errors"]) == (2, 0), reply
    a, b = (db.collection("c").get(key) for key in "ab")
    assert (a["at"], a["x"], a["kind"]) == ("2026-01-02T03:04:05.678Z", 1.5, "k")
    assert "at" not in b and "x" not in b and b["kind"] == "k"


def test_polars_reads_and_writes(db):
    polars = pytest.importorskip("polars")
    frame = polars.read_ipc_stream(query(db, ROWS))
    assert frame.height == 2500 and frame["n"].sum() == 2500 * 2501 // 2
    assert frame["inner"].struct.field("a")[2499] == 2500
    assert frame["mixed"].to_list()[:2] == ["1", '"x"']
    db.create_collection("c")
    reply = load(db, "c", polars.DataFrame({"_key": ["a"], "list": [[1, 2]]}).to_arrow())
    assert (reply["created"], reply["errors"]) == (1, 0), reply
    assert db.collection("c").get("a")["list"] == [1, 2]


def test_duckdb_reads_and_writes(db):
    duckdb = pytest.importorskip("duckdb")
    result = pyarrow.ipc.open_stream(query(db, ROWS)).read_all()  # noqa: F841: the query reads it
    connection = duckdb.connect()
    found = connection.sql('SELECT count(*), sum(n), max("inner".a), sum(list[1]) FROM result').fetchall()
    assert found == [(2500, 3126250, 2500, 3126250)]
    db.create_collection("c")
    relation = connection.sql("SELECT 'a' AS _key, DATE '2026-01-02' AS day, 12.50::DECIMAL(9, 2) AS price")
    reply = load(db, "c", relation.to_arrow_table())
    assert (reply["created"], reply["errors"]) == (1, 0), reply
    document = db.collection("c").get("a")
    assert (document["day"], document["price"]) == ("2026-01-02", 12.5)


def test_an_export_comes_back(db):
    db.create_collection("c")
    db.create_collection("copy")
    db.aql.execute("FOR n IN 1..1500 INSERT {_key: CONCAT('k', n), n, list: RANGE(1, n % 3)} INTO c")
    table = pyarrow.ipc.open_stream(post(db, "/_api/export?collection=c").content).read_all()
    assert table.column_names[:3] == ["_key", "_id", "_rev"] and table.num_rows == 1500
    reply = load(db, "copy", table)
    assert (reply["created"], reply["errors"]) == (1500, 0), reply
    assert db.collection("copy").get("k1500")["n"] == 1500
