"""Backups through the calls of python-arango. A restore would start the server again: not here."""

import time

import pytest
from arango.exceptions import BackupDeleteError, BackupRestoreError


def finished(transfer):
    """Waits for the end of a transfer, whose report `transfer` asks for."""
    for _ in range(200):
        status = transfer()["dbservers"]["SNGL"]["status"]
        if status not in ("ACK", "STARTED"):
            return status
        time.sleep(0.05)
    pytest.fail("the transfer has not ended after 10 s")


def test_backups_are_made_listed_copied_and_deleted(db, tmp_path):
    made = db.backup.create(label="driver")
    backup = made["backup_id"]
    assert backup.endswith("_driver")
    assert db.backup.create()["backup_id"] in db.backup.get()["list"]
    assert list(db.backup.get(backup)["list"]) == [backup]
    remote = {"repository": f"local:/{tmp_path}", "config": {"local": {"type": "local"}}}
    upload = db.backup.upload(backup_id=backup, **remote)["upload_id"]
    assert finished(lambda: db.backup.upload(upload_id=upload)) == "COMPLETED"
    assert db.backup.delete(backup)
    download = db.backup.download(backup_id=backup, **remote)["download_id"]
    assert finished(lambda: db.backup.download(download_id=download)) == "COMPLETED"
    for known in db.backup.get()["list"]:
        assert db.backup.delete(known)
    with pytest.raises(BackupDeleteError) as missing:
        db.backup.delete(backup)
    assert missing.value.error_code == 14
    with pytest.raises(BackupRestoreError):
        db.backup.restore(backup)
