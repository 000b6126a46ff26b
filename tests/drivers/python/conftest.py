"""What every test starts from: a connection, and a database of its own."""

import os
import pathlib
import uuid

import pytest
from arango import ArangoClient


@pytest.fixture(scope="session")
def client():
    client = ArangoClient(hosts=os.environ["PERSEA_ENDPOINT"])
    yield client
    client.close()


@pytest.fixture()
def db(client):
    system = client.db("_system", username="root", password="")
    name = "test_" + uuid.uuid4().hex[:12]
    system.create_database(name)
    yield client.db(name, username="root", password="")
    system.delete_database(name)


@pytest.fixture(scope="session")
def data_folder():
    folder = pathlib.Path(os.environ.get("PERSEA_TEST_DATA", ""))
    if not (folder / "airports.csv").is_file():
        pytest.skip("PERSEA_TEST_DATA names no folder with airports.csv")
    return folder
