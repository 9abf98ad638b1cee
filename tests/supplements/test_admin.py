from accounts.models import Account
from supplements.models import Supplement


def test_staff_manage_the_schedule_and_look_at_ticks(client, account):
    client.force_login(Account.objects.create_superuser("staff@example.org", "correct horse"))
    fields = {"account": account.pk, "name": "Creatine", "dosage": "5 g", "time": "8 am"}
    assert b"HH:MM" in client.post("/admin/supplements/supplement/add/", fields).content
    assert not Supplement.objects.exists()

    client.post("/admin/supplements/supplement/add/", fields | {"time": "08:00"})
    supplement = account.supplements.get()
    supplement.tick("2026-03-02", "2026-03-02T08:00:00Z")
    assert b"Creatine" in client.get("/admin/supplements/supplementlog/").content
    assert client.get("/admin/supplements/supplementlog/add/").status_code == 403

    client.post(f"/admin/supplements/supplement/{supplement.pk}/delete/", {"post": "yes"})
    assert not account.supplements.exists()
