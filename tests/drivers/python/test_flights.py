"""Airports and flights: imported, queried and exported; every answer is computed here a second time, without a database."""

import collections
import csv
import json
import threading
import urllib.request

import pytest


@pytest.fixture(scope="module")
def tables(data_folder):
    with open(data_folder / "airports.csv", newline="", encoding="utf-8") as file:
        airports = list(csv.DictReader(file))
    with open(data_folder / "flights.csv", newline="", encoding="utf-8") as file:
        flights = list(csv.DictReader(file, skipinitialspace=True))
    known = {airport["id"] for airport in airports}
    ends = ("source airport id", "destination airport id")
    return airports, [flight for flight in flights if all(flight[end] in known for end in ends)]


@pytest.fixture()
def flown(db, tables):
    """The database with both tables in it."""
    airports, flights = tables
    collection = db.create_collection("airports")
    outcome = collection.import_bulk(
        [
            {
                "_key": airport["id"],
                "name": airport["Name"],
                "country": airport["Country"],
                "code": airport["AiportID"],
                "position": [float(airport["CoordinatesX"]), float(airport["CoordinatesY"])],
                "continent": airport["Continent"].split("/")[0],
            }
            for airport in airports
        ]
    )
    assert outcome["created"] == len(airports) and outcome["errors"] == 0
    edges = db.create_collection("flights", edge=True)
    created = 0
    for start in range(0, len(flights), 10_000):
        outcome = edges.import_bulk(
            [
                {
                    "_from": flight["source airport id"],
                    "_to": flight["destination airport id"],
                    "airline": flight["airline"],
                    "stops": int(flight["stops"]),
                }
                for flight in flights[start : start + 10_000]
            ],
            from_prefix="airports",
            to_prefix="airports",
        )
        assert outcome["errors"] == 0, outcome
        created += outcome["created"]
    assert created == len(flights) == edges.count()
    return db


def test_flights_by_airline(flown, tables):
    expected = collections.Counter(flight["airline"] for flight in tables[1])
    query = "FOR f IN flights COLLECT airline = f.airline WITH COUNT INTO n SORT n DESC, airline RETURN [airline, n]"
    rows = list(flown.aql.execute(query, batch_size=100))
    assert rows[0] == list(max(expected.items(), key=lambda item: item[1]))
    assert {airline: n for airline, n in rows} == expected
    assert [n for _, n in rows] == sorted((n for _, n in rows), reverse=True)


def test_airports_by_continent(flown, tables):
    expected = collections.Counter(airport["Continent"].split("/")[0] for airport in tables[0])
    rows = flown.aql.execute("FOR a IN airports COLLECT c = a.continent WITH COUNT INTO n RETURN {c, n}")
    assert {row["c"]: row["n"] for row in rows} == expected


def test_one_stop_connections(flown, tables):
    """All airports that are two flights from Reykjavik (KEF) and not one, by a join over the edge index."""
    airports, flights = tables
    start = next(airport["id"] for airport in airports if airport["AiportID"] == "KEF")
    onward = collections.defaultdict(set)
    for flight in flights:
        onward[flight["source airport id"]].add(flight["destination airport id"])
    expected = {second for first in onward[start] for second in onward[first]} - onward[start] - {start}
    query = """
        LET direct = (FOR f IN flights FILTER f._from == @start RETURN DISTINCT f._to)
        FOR first IN flights FILTER first._from == @start
          FOR second IN flights FILTER second._from == first._to
            FILTER second._to != @start AND second._to NOT IN direct
            RETURN DISTINCT PARSE_IDENTIFIER(second._to).key"""
    rows = list(flown.aql.execute(query, bind_vars={"start": f"airports/{start}"}))
    assert len(rows) == len(set(rows)) and set(rows) == expected
    plan = flown.aql.explain(query, bind_vars={"start": f"airports/{start}"})
    assert sum(node["type"] == "IndexNode" for node in plan["nodes"]) == 3


def test_flights_join_airports(flown, tables):
    airports, flights = tables
    country = {airport["id"]: airport["Country"] for airport in airports}
    expected = collections.Counter(
        (country[f["source airport id"]], country[f["destination airport id"]])
        for f in flights
        if country[f["source airport id"]] == "Iceland"
    )
    query = """
        FOR a IN airports FILTER a.country == "Iceland"
          FOR f IN flights FILTER f._from == a._id
            FOR b IN airports FILTER b._id == f._to
              COLLECT country = b.country WITH COUNT INTO n
              RETURN [country, n]"""
    assert {("Iceland", c): n for c, n in flown.aql.execute(query)} == expected


def test_export_returns_every_document_once(flown, tables):
    host = flown.conn._hosts[0] if hasattr(flown.conn, "_hosts") else None
    base = f"{host}/_db/{flown.name}"
    request = urllib.request.Request(base + "/_api/export?collection=flights", data=b'{"batchSize": 5000, "count": true}')
    with urllib.request.urlopen(request) as reply:
        batch = json.load(reply)
    assert batch["count"] == len(tables[1])
    keys = [document["_key"] for document in batch["result"]]
    while batch["hasMore"]:
        request = urllib.request.Request(f"{base}/_api/export/{batch['id']}", method="PUT")
        with urllib.request.urlopen(request) as reply:
            batch = json.load(reply)
        keys += [document["_key"] for document in batch["result"]]
    assert len(keys) == len(set(keys)) == len(tables[1])


def test_a_cursor_shows_the_moment_of_its_query_while_others_write(flown, tables):
    total = len(tables[1])
    cursor = flown.aql.execute("FOR f IN flights RETURN f.airline", batch_size=1_000, stream=True)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            flown.collection("flights").insert({"_from": "airports/1", "_to": "airports/2", "airline": "NEW"})

    writer = threading.Thread(target=write)
    writer.start()
    try:
        rows = list(cursor)
    finally:
        stop.set()
        writer.join()
    assert len(rows) == total and "NEW" not in rows
    assert flown.collection("flights").count() > total
