"""Named graphs, the query caches, user functions and users, by the calls of the driver."""

import uuid

import pytest
from arango.exceptions import (
    AQLFunctionCreateError,
    AQLFunctionDeleteError,
    CollectionDeleteError,
    DocumentDeleteError,
    DocumentInsertError,
    DocumentRevisionError,
    EdgeDefinitionCreateError,
    EdgeDefinitionDeleteError,
    GraphCreateError,
    GraphDeleteError,
    UserCreateError,
    UserGetError,
    VertexCollectionCreateError,
    VertexCollectionDeleteError,
)


@pytest.fixture()
def school(db):
    return db.create_graph(
        "school",
        edge_definitions=[
            {
                "edge_collection": "teach",
                "from_vertex_collections": ["teachers"],
                "to_vertex_collections": ["lectures"],
            }
        ],
        orphan_collections=["rooms"],
    )


def test_definitions(db, school):
    assert db.has_graph("school") and [graph["name"] for graph in db.graphs()] == ["school"]
    assert school.properties()["id"] == "_graphs/school"
    assert school.vertex_collections() == ["lectures", "rooms", "teachers"]
    assert db.has_collection("teach") and db.collection("teach").properties()["edge"] is True
    with pytest.raises(GraphCreateError) as failure:
        db.create_graph("school")
    assert failure.value.error_code == 1925

    school.create_vertex_collection("books")
    with pytest.raises(VertexCollectionCreateError) as failure:
        school.create_vertex_collection("books")
    assert failure.value.error_code == 1938
    with pytest.raises(VertexCollectionDeleteError) as failure:
        school.delete_vertex_collection("teachers")
    assert failure.value.error_code == 1928
    assert school.delete_vertex_collection("books", purge=True) and not db.has_collection("books")

    school.create_edge_definition("held_in", ["lectures"], ["rooms"])
    assert school.properties()["orphan_collections"] == []
    with pytest.raises(EdgeDefinitionCreateError) as failure:
        school.create_edge_definition("held_in", ["lectures"], ["rooms"])
    assert failure.value.error_code == 1920
    school.replace_edge_definition("held_in", ["teachers"], ["rooms"])
    assert {
        "edge_collection": "held_in",
        "from_vertex_collections": ["teachers"],
        "to_vertex_collections": ["rooms"],
    } in school.edge_definitions()
    assert school.delete_edge_definition("held_in", purge=True) and not db.has_collection("held_in")
    with pytest.raises(EdgeDefinitionDeleteError) as failure:
        school.delete_edge_definition("held_in")
    assert failure.value.error_code == 1930

    with pytest.raises(CollectionDeleteError) as failure:
        db.delete_collection("teachers")
    assert failure.value.error_code == 1942
    assert db.delete_graph("school", drop_collections=True)
    assert not db.has_collection("teachers") and not db.has_collection("teach")
    with pytest.raises(GraphDeleteError) as failure:
        db.delete_graph("school")
    assert failure.value.error_code == 1924


def test_vertices_and_edges(db, school):
    teachers, lectures, teach = (
        school.vertex_collection("teachers"),
        school.vertex_collection("lectures"),
        school.edge_collection("teach"),
    )
    meta = teachers.insert({"_key": "jon", "name": "Prof. Jon"}, return_new=True)
    assert meta["new"]["name"] == "Prof. Jon" and meta["vertex"]["_id"] == "teachers/jon"
    lectures.insert({"_key": "stats"})
    assert teachers.get("jon")["name"] == "Prof. Jon" and teachers.get("nobody") is None
    updated = teachers.update({"_key": "jon", "age": 40}, return_old=True, return_new=True)
    assert "age" not in updated["old"] and updated["new"]["age"] == 40
    with pytest.raises(DocumentRevisionError):
        teachers.replace({"_key": "jon", "_rev": meta["vertex"]["_rev"]}, check_rev=True)

    edge = teach.insert({"_key": "jon-stats", "_from": "teachers/jon", "_to": "lectures/stats"})
    assert edge["_id"] == "teach/jon-stats"
    assert teach.link("teachers/jon", "lectures/stats", {"online": True})["_key"]
    for ends, error in [
        (("teachers/nobody", "lectures/stats"), 1202),
        (("lectures/stats", "teachers/jon"), 1906),
        (("elsewhere/jon", "lectures/stats"), 1947),
    ]:
        with pytest.raises(DocumentInsertError) as failure:
            teach.insert({"_from": ends[0], "_to": ends[1]})
        assert failure.value.error_code == error
    assert len(teach.edges("teachers/jon", direction="out")["edges"]) == 2

    assert teachers.delete("jon", return_old=True)["old"]["age"] == 40
    assert teach.count() == 0 and lectures.count() == 1
    with pytest.raises(DocumentDeleteError) as failure:
        teachers.delete("jon")
    assert failure.value.error_code == 1202


def test_results_cache(db):
    db.create_collection("things").insert({"n": 1})
    cache = db.aql.cache
    try:
        assert cache.configure(mode="demand", max_results=50)["max_results"] == 50
        ask = lambda: db.aql.execute("FOR t IN things RETURN t.n", cache=True)
        assert [ask().cached(), ask().cached()] == [False, True]
        assert [entry["query"] for entry in cache.entries()] == ["FOR t IN things RETURN t.n"]
        db.collection("things").insert({"n": 2})
        assert sorted(ask()) == [1, 2]
        assert cache.clear() is True and cache.entries() == []
    finally:
        cache.configure(mode="off")


def test_user_functions(db):
    name, code = "temperature::to_fahrenheit", "function (celsius) { return celsius * 1.8 + 32; }"
    assert db.aql.functions() == []
    assert db.aql.create_function(name, code) == {"is_new": True}
    assert db.aql.create_function(name, code) == {"is_new": False}
    assert [(function["name"], function["code"]) for function in db.aql.functions()] == [(name, code)]
    with pytest.raises(AQLFunctionCreateError) as failure:
        db.aql.create_function(name, "")
    assert failure.value.error_code == 1581
    assert db.aql.delete_function("temperature", group=True) == {"deleted": 1}
    with pytest.raises(AQLFunctionDeleteError) as failure:
        db.aql.delete_function(name)
    assert failure.value.error_code == 1582


def test_users(client, db):
    system = client.db("_system", username="root", password="")
    name = "user_" + uuid.uuid4().hex[:12]
    new = system.create_user(name, "first", extra={"a": 1})
    assert (new["username"], new["active"], new["extra"]) == (name, True, {"a": 1})
    with pytest.raises(UserCreateError) as failure:
        system.create_user(name, "x")
    assert failure.value.error_code == 1702
    assert system.update_user(name, extra={"b": 2})["extra"] == {"a": 1, "b": 2}
    assert system.permission(name, db.name) == "none"
    assert system.update_permission(name, "ro", db.name) and system.permission(name, db.name) == "ro"
    own = client.db(db.name, username=name, password="first")
    assert own.collections() is not None
    assert system.reset_permission(name, db.name) and system.permission(name, db.name) == "none"
    assert isinstance(system.permissions(name), dict)
    assert system.replace_user(name, "second", extra={})["extra"] == {}
    assert system.delete_user(name) and not system.has_user(name)
    with pytest.raises(UserGetError) as failure:
        system.user(name)
    assert failure.value.error_code == 1703
